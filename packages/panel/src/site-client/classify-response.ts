import { canonicalSiteUrl, ERROR_CODES, SiteErrorBody } from '@steward/contract';
import { Compile } from 'typebox/compile';
import { readOutsideCheck } from './checked-pages.ts';
import { describeOutput } from './describe-output.ts';
import * as messages from './error-messages.ts';
import type { RawResponse } from './exchange.ts';
import { findJson } from './find-json.ts';
import { failed, type SiteOutcome } from './outcome.ts';
import { plainText } from './plain-text.ts';
import { isRefusalBeforeWork } from './refusal-before-work.ts';
import type { ResponseReader } from './responses.ts';

const siteError = Compile(SiteErrorBody);
const CODE = /^[a-z][a-z0-9_]{0,63}$/;

type CallContext<Body> = {
  url: URL;
  /** The address that the site was connected as. */
  siteUrl: string;
  serviceKey: string;
  body: object;
  read: ResponseReader<Body>;
  /** The response may contain a token, so no message quotes it. */
  isSecret: boolean;
};

/** Classifies a response: a success, a refusal by the site, or a failed call. */
export function classifyResponse<Body>(
  response: RawResponse<string>,
  call: CallContext<Body>,
): SiteOutcome<Body> {
  const { httpStatus, retryAfter } = response;
  const { host } = call.url;
  if (httpStatus >= 300 && httpStatus < 400) {
    const error = messages.redirected(host, redirectTargetOf(response, call), call.siteUrl);
    return failed('redirect', { error, sent: true, httpStatus });
  }
  const text = response.content ?? '';
  const result = findJson(text);
  if (result.kind === 'too_large') {
    return failed('too_large', { error: messages.tooLarge(host), sent: true, httpStatus });
  }
  const json = result.kind === 'json' ? result.value : undefined;
  if (httpStatus === 503 && isRefusalBeforeWork({ text, json, retryAfter })) {
    const error = messages.busy(host);
    return { kind: 'busy', httpStatus, code: 'site_busy', reason: 'maintenance', error };
  }
  const refusalStatus = refusalStatusOf(httpStatus, json);
  const parsed = { httpStatus: refusalStatus ?? httpStatus, text, json, date: response.date };
  return refusalStatus === null ? readSuccess(parsed, call) : classifyRefusal(parsed, call);
}

/**
 * Returns the status of a refusal; null for a success. A site that printed something before its response could not set the
 * status any more and sends 200, so the code of the error gives the status.
 */
function refusalStatusOf(httpStatus: number, json: unknown): number | null {
  if (httpStatus >= 300) return httpStatus;
  if (!siteError.Check(json) || json.success !== false || !CODE.test(json.code)) return null;
  const known: Record<string, { status: number }> = ERROR_CODES;
  return Object.hasOwn(known, json.code) ? (known[json.code]?.status ?? 500) : 500;
}

/** `json` is undefined if the text is not JSON. */
type ParsedResponse = { httpStatus: number; text: string; json: unknown; date: string | null };

function readSuccess<Body>(
  { httpStatus, text, json }: ParsedResponse,
  { url, serviceKey, read, isSecret }: CallContext<Body>,
): SiteOutcome<Body> {
  const body = json === undefined ? null : read(json, serviceKey);
  if (body !== null) return { kind: 'answered', httpStatus, body };
  const reason = json === undefined ? 'not_json' : 'wrong_shape';
  const output = json === undefined && !isSecret ? describeOutput(text, serviceKey) : null;
  const error = output
    ? messages.otherOutput(url.host, output)
    : messages.unreadable[reason](url.host, isSecret ? '' : plainText(text, serviceKey));
  return failed(reason, { error, sent: true, httpStatus });
}

function classifyRefusal<Body>(
  { httpStatus, text, json, date }: ParsedResponse,
  { url, siteUrl, serviceKey, body, isSecret }: CallContext<Body>,
): SiteOutcome<Body> {
  if (siteError.Check(json) && CODE.test(json.code)) {
    if (httpStatus !== 401) {
      const error =
        json.code === 'site_address_changed'
          ? messages.addressChanged(siteUrl, plainAddress(json.site_url, serviceKey))
          : plainText(json.error, serviceKey);
      const isInterrupted = httpStatus >= 500 && !isFinalError(json, body);
      return {
        kind: 'refused',
        httpStatus,
        code: json.code,
        error,
        ...(isInterrupted && { isInterrupted }),
        ...(json.code === 'outside_look_needed' && {
          outsideCheck: readOutsideCheck(json, serviceKey),
        }),
      };
    }
    if (json.code === 'invalid_signature') {
      const error = messages.rejectedSignature(url.host, clockDifferenceSeconds(date));
      return { kind: 'refused', httpStatus, code: 'site_rejected_signature', error };
    }
    const error = messages.rejectedKey(url.host);
    return { kind: 'refused', httpStatus, code: 'site_rejected_key', error };
  }
  const quote = isSecret ? '' : plainText(text, serviceKey);
  const error = messages.unexpectedStatus(url.host, httpStatus, quote);
  const code = httpStatus === 401 ? { code: 'site_login_required' as const } : {};
  return failed('http_status', { error, sent: true, httpStatus, ...code });
}

/**
 * Whether the panel need not reconcile after this error. `action_failed` with the action and the plugin of the request is
 * the result of the action; a failed delete may still have deactivated the plugin. With `site_down`, the call has not
 * started. After any other error, the site may have stopped midway, such as after six of eight updates.
 */
function isFinalError(json: SiteErrorBody, request: { action?: string; plugin?: string }) {
  if (json.code === 'site_down') return true;
  const isFailedAction = request.action !== undefined && json.code === 'action_failed';
  return isFailedAction && json.action === request.action && json.plugin === request.plugin;
}

/** Returns null if the text is no address of a site. */
function plainAddress(address: string | undefined, serviceKey: string): string | null {
  const site = canonicalSiteUrl(address ?? '');
  return site.ok ? plainText(site.given, serviceKey) : null;
}

/** Returns how far the clock of the site is ahead of the clock of the panel; null if the response does not tell. */
function clockDifferenceSeconds(date: string | null): number | null {
  const milliseconds = Date.parse(date ?? '');
  return Number.isNaN(milliseconds) ? null : Math.round((milliseconds - Date.now()) / 1000);
}

/** Omits the query, which may contain anything. */
function redirectTargetOf(
  { location }: RawResponse<string>,
  { url, serviceKey }: CallContext<unknown>,
): string | null {
  const target = location === null ? null : URL.parse(location, url.href);
  return target && plainText(`${target.protocol}//${target.host}${target.pathname}`, serviceKey);
}
