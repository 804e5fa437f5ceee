import { SERVICE_KEY_HEADER } from '@steward/contract';
import packageJson from '../../package.json' with { type: 'json' };
import { BOUNDS } from '../platform/bounded-json.ts';
import { classifyError } from './classify-error.ts';
import { classifyResponse } from './classify-response.ts';
import type { Network } from './connection.ts';
import { endpointOf, type SiteTarget } from './endpoint.ts';
import * as messages from './error-messages.ts';
import {
  type BodyReader,
  type KeptConnection,
  openExchange,
  type RawResponse,
} from './exchange.ts';
import { type Failed, failed, type SiteOutcome } from './outcome.ts';
import type { ResponseReader } from './responses.ts';
import { buildSignatureHeaders, type CallSigner } from './sign-call.ts';

export type SiteCall<Body> = {
  target: SiteTarget;
  path: string;
  body: object;
  read: ResponseReader<Body>;
  /** Timeout for the whole call, from the DNS lookup to the last byte of the response. */
  seconds: number;
  /** Any of these signals aborts the call. */
  signals: AbortSignal[];
};

export const COMMON_HEADERS = {
  // A compressed response could exceed the size limit when unpacked.
  'accept-encoding': 'identity',
  'user-agent': `Steward/${packageJson.version}`,
};
export const TEXT_READER: BodyReader<string> = {
  maxBytes: BOUNDS.bytes,
  read: (body) => body.text(),
};
export const JSON_HEADERS = {
  'content-type': 'application/json',
  accept: 'application/json',
  ...COMMON_HEADERS,
};

export async function callSite<Body>(
  call: SiteCall<Body>,
  { network, signer }: { network: Network; signer: CallSigner },
): Promise<SiteOutcome<Body>> {
  const url = endpointOf(call.target, call.path);
  if (url === null) return failed('bad_address', { error: messages.badAddress, sent: false });
  const { serviceKey, siteUrl } = call.target;
  const { path, seconds, signals } = call;
  const body = JSON.stringify(call.body);
  const headers = {
    ...(serviceKey !== '' && { [SERVICE_KEY_HEADER]: serviceKey }),
    ...(await buildSignatureHeaders({ siteUrl, path, body }, signer)),
    ...JSON_HEADERS,
    ...loginHeader(call.target),
  };
  const request = { headers, body, seconds, signals };
  const received = await sendRequest(url, request, TEXT_READER, network);
  if ('kind' in received) return received;
  return classifyResponse(received, { url, siteUrl, serviceKey, body: call.body, read: call.read });
}

/** Redirects to another host are not followed: the web server login must not leave the site. */
export const MAX_REDIRECTS = 5;

/** The caller sends this only to the origin of the site or to an origin that an owner approved. */
export function loginHeader({ webLogin }: SiteTarget): Record<string, string> {
  if (!webLogin) return {};
  const login = Buffer.from(`${webLogin.username}:${webLogin.password}`).toString('base64');
  return { authorization: `Basic ${login}` };
}

type SiteRequest = {
  headers: Record<string, string>;
  body: string | null;
  seconds: number;
  signals: AbortSignal[];
};

/** `kept`: sends the request again if the kept connection turns out to be closed. */
export async function sendRequest<Content>(
  url: URL,
  request: SiteRequest,
  reader: BodyReader<Content>,
  network: Network,
  kept?: KeptConnection,
): Promise<RawResponse<Content> | Failed> {
  const { headers, body, seconds, signals } = request;
  if (signals.some(({ aborted }) => aborted)) {
    return failed('stopped', { error: messages.stopped(false), sent: false });
  }
  const exchange = openExchange(url, network, reader, kept);
  let abortReason: 'timeout' | 'stopped' | null = null;
  const abort = (reason: typeof abortReason) => {
    abortReason = reason;
    exchange.end(new Error('Call aborted.'));
  };
  const timer = setTimeout(() => abort('timeout'), seconds * 1000);
  const onAbort = () => abort('stopped');
  for (const signal of signals) signal.addEventListener('abort', onAbort);
  try {
    return await exchange.send(headers, body);
  } catch (error) {
    const progress = exchange.progress();
    const facts = { sent: progress.phase === 'open', httpStatus: progress.httpStatus };
    if (abortReason === 'stopped') {
      return failed('stopped', { ...facts, error: messages.stopped(facts.sent) });
    }
    if (abortReason === 'timeout') {
      return failed('timeout', {
        ...facts,
        error: messages.tooSlow(url.host, seconds, facts.sent),
      });
    }
    if (exchange.isReused && progress.httpStatus === null) {
      return sendRequest(url, request, reader, network);
    }
    // An error before the connection starts can only be a bug in the panel.
    if (progress.phase === 'idle') throw error;
    return classifyError(error as Error, progress, url.host);
  } finally {
    clearTimeout(timer);
    for (const signal of signals) signal.removeEventListener('abort', onAbort);
    exchange.end();
  }
}
