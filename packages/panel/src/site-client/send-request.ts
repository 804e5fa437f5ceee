import packageJson from '../../package.json' with { type: 'json' };
import { classifyError } from './classify-error.ts';
import type { Network } from './connection.ts';
import type { SiteTarget } from './endpoint.ts';
import * as messages from './error-messages.ts';
import {
  type BodyReader,
  type KeptConnection,
  openExchange,
  type RawResponse,
} from './exchange.ts';
import { type Failed, failed } from './outcome.ts';

export const COMMON_HEADERS = {
  // A compressed response could exceed the size limit when unpacked.
  'accept-encoding': 'identity',
  'user-agent': `Steward/${packageJson.version}`,
};
export const JSON_HEADERS = {
  'content-type': 'application/json',
  accept: 'application/json',
  ...COMMON_HEADERS,
};

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
