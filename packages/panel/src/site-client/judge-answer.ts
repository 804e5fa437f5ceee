import { SiteErrorBody } from '@steward/contract';
import { Compile } from 'typebox/compile';
import { parseBoundedJson } from '../platform/bounded-json.ts';
import type { AnswerReader } from './answers.ts';
import type { RawAnswer } from './exchange.ts';
import { failed, type SiteOutcome } from './outcome.ts';
import { plainText } from './plain-text.ts';
import { isRefusalBeforeWork } from './refusal-before-work.ts';
import * as sentences from './sentences.ts';

const siteError = Compile(SiteErrorBody);
const CODE = /^[a-z][a-z0-9_]{0,63}$/;

type Asked<Body> = { url: URL; serviceKey: string; body: object; read: AnswerReader<Body> };

/** Tells what an answer means: success, the site's own no, or something that is no answer at all. */
export function judgeAnswer<Body>(
  answer: RawAnswer<string>,
  asked: Asked<Body>,
): SiteOutcome<Body> {
  const { httpStatus, retryAfter } = answer;
  const { host } = asked.url;
  if (httpStatus >= 300 && httpStatus < 400) {
    const error = sentences.redirected(host, targetOf(answer, asked));
    return failed('redirect', { error, sent: true, httpStatus });
  }
  const text = answer.content ?? '';
  const parsed = parseBoundedJson(text);
  if (parsed.kind === 'too_large') {
    return failed('too_large', { error: sentences.tooLarge(host), sent: true, httpStatus });
  }
  const json = parsed.kind === 'json' ? parsed.value : undefined;
  if (httpStatus === 503 && isRefusalBeforeWork({ text, json, retryAfter })) {
    const error = sentences.busy(host);
    return { kind: 'busy', httpStatus, code: 'site_busy', reason: 'maintenance', error };
  }
  const isSuccess = httpStatus < 300;
  const read = { httpStatus, text, json };
  return isSuccess ? judgeSuccess(read, asked) : judgeRefusal(read, asked);
}

/** `json`: undefined if the text is none. */
type ReadAnswer = { httpStatus: number; text: string; json: unknown };

function judgeSuccess<Body>(
  { httpStatus, text, json }: ReadAnswer,
  { url, serviceKey, read }: Asked<Body>,
): SiteOutcome<Body> {
  const body = json === undefined ? null : read(json, serviceKey);
  if (body !== null) return { kind: 'answered', httpStatus, body };
  const reason = json === undefined ? 'not_json' : 'wrong_shape';
  const error = sentences.unreadable[reason](url.host, plainText(text, serviceKey));
  return failed(reason, { error, sent: true, httpStatus });
}

function judgeRefusal<Body>(
  { httpStatus, text, json }: ReadAnswer,
  { url, serviceKey, body }: Asked<Body>,
): SiteOutcome<Body> {
  if (siteError.Check(json) && CODE.test(json.code)) {
    if (httpStatus !== 401) {
      const error = plainText(json.error, serviceKey);
      const isBrokenOff = httpStatus >= 500 && !isWholeFailure(json, body);
      return {
        kind: 'refused',
        httpStatus,
        code: json.code,
        error,
        ...(isBrokenOff && { isBrokenOff }),
      };
    }
    if (json.code === 'invalid_signature') {
      const error = sentences.rejectedSignature(url.host);
      return { kind: 'refused', httpStatus, code: 'site_rejected_signature', error };
    }
    const error = sentences.rejectedKey(url.host);
    return { kind: 'refused', httpStatus, code: 'site_rejected_key', error };
  }
  const error = sentences.unexpectedStatus(url.host, httpStatus, plainText(text, serviceKey));
  const code = httpStatus === 401 ? { code: 'site_login_required' as const } : {};
  return failed('http_status', { error, sent: true, httpStatus, ...code });
}

/**
 * An action that was tried to its end says which, and a site that is down has not begun. Another fault
 * may have come anywhere, after six updates of eight for instance.
 */
function isWholeFailure(json: SiteErrorBody, asked: { action?: string; plugin?: string }) {
  if (json.code === 'site_down') return true;
  const isAction = asked.action !== undefined && json.code === 'action_failed';
  return isAction && json.action === asked.action && json.plugin === asked.plugin;
}

/** Without its query, which may carry anything. */
function targetOf(
  { location }: RawAnswer<string>,
  { url, serviceKey }: Asked<unknown>,
): string | null {
  const target = location === null ? null : URL.parse(location, url.href);
  return target && plainText(`${target.protocol}//${target.host}${target.pathname}`, serviceKey);
}
