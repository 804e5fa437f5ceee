import { SERVICE_KEY_HEADER } from '@steward/contract';
import packageJson from '../../package.json' with { type: 'json' };
import { BOUNDS } from '../platform/bounded-json.ts';
import type { AnswerReader } from './answers.ts';
import type { Network } from './connection.ts';
import { endpointOf, homeOf, type SiteTarget } from './endpoint.ts';
import { type BodyReader, openExchange, type RawAnswer } from './exchange.ts';
import { judgeAnswer } from './judge-answer.ts';
import { judgeFault } from './judge-fault.ts';
import { type Failed, failed, type SiteOutcome } from './outcome.ts';
import { readPage } from './read-page.ts';
import * as sentences from './sentences.ts';
import { type CallSigner, signatureHeaders } from './sign-call.ts';

export type SiteCall<Body> = {
  target: SiteTarget;
  path: string;
  body: object;
  read: AnswerReader<Body>;
  /** For everything, from the name to the last byte of the answer. */
  seconds: number;
  /** Any of them ends the call. */
  signals: AbortSignal[];
};

export type LookCall = Pick<SiteCall<never>, 'target' | 'seconds' | 'signals'> & {
  /** Of an endpoint; null: the home page. */
  path: string | null;
  /** Lets it in where the site is closed to visitors. */
  ticket: string | null;
};

/**
 * `isBroken`: it died of an error of its own. A 502 or 503 may come from what stands before it, and
 * whether something else is wrong with it, a look does not tell.
 */
export type SiteLook =
  | { kind: 'seen'; httpStatus: number; isBroken: boolean; isWhole: boolean }
  | { kind: 'unseen' };

const COMMON_HEADERS = {
  // What is not compressed cannot unpack to more than its limit.
  'accept-encoding': 'identity',
  'user-agent': `Steward/${packageJson.version}`,
};
const ANSWER: BodyReader<string> = { maxBytes: BOUNDS.bytes, read: (body) => body.text() };
const JSON_HEADERS = {
  'content-type': 'application/json',
  accept: 'application/json',
  ...COMMON_HEADERS,
};

export async function callSite<Body>(
  call: SiteCall<Body>,
  { network, signer }: { network: Network; signer: CallSigner },
): Promise<SiteOutcome<Body>> {
  const url = endpointOf(call.target, call.path);
  if (url === null) return failed('bad_address', { error: sentences.badAddress, sent: false });
  const { serviceKey, siteUrl } = call.target;
  const { path, seconds, signals } = call;
  const body = JSON.stringify(call.body);
  const headers = {
    ...(serviceKey !== '' && { [SERVICE_KEY_HEADER]: serviceKey }),
    ...(await signatureHeaders({ siteUrl, path, body }, signer)),
    ...JSON_HEADERS,
    ...loginHeader(call.target),
  };
  const sent = { headers, body, seconds, signals };
  const received = await receive(url, sent, ANSWER, network);
  if ('kind' in received) return received;
  return judgeAnswer(received, { url, serviceKey, body: call.body, read: call.read });
}

/** What a page of the site shows to a visitor: no key travels. */
export async function lookAtSite(
  { target, path, ticket, ...limits }: LookCall,
  network: Network,
): Promise<SiteLook> {
  let url = path === null ? homeOf(target) : endpointOf(target, path);
  const login = loginHeader(target);
  const headers = { ...COMMON_HEADERS, accept: 'text/html,application/json', ...login };
  for (let redirects = 0; url !== null && redirects <= MOST_REDIRECTS; redirects++) {
    // Past caches; the site admits the ticket while it is closed to visitors.
    url.searchParams.set('steward_check', ticket ?? String(Date.now()));
    const received = await receive(url, { headers, body: null, ...limits }, readPage, network);
    if ('kind' in received) return { kind: 'unseen' };
    const { httpStatus, location, content: page } = received;
    const next: URL | null = location === null ? null : URL.parse(location, url.href);
    const isRedirect = httpStatus >= 300 && httpStatus < 400 && next?.origin === url.origin;
    if (!isRedirect) {
      return {
        kind: 'seen',
        httpStatus,
        isBroken: httpStatus === 500 || page?.hasFatalError === true,
        isWhole: page?.hasEnd === true,
      };
    }
    url = next;
  }
  return { kind: 'unseen' };
}

/** Within the site: the login goes nowhere else. */
const MOST_REDIRECTS = 5;

/** Only to the origin of the site, or the one an owner has approved: redirects are not followed. */
function loginHeader({ webLogin }: SiteTarget): Record<string, string> {
  if (!webLogin) return {};
  const login = Buffer.from(`${webLogin.username}:${webLogin.password}`).toString('base64');
  return { authorization: `Basic ${login}` };
}

type Sent = {
  headers: Record<string, string>;
  body: string | null;
  seconds: number;
  signals: AbortSignal[];
};

async function receive<Content>(
  url: URL,
  { headers, body, seconds, signals }: Sent,
  reader: BodyReader<Content>,
  network: Network,
): Promise<RawAnswer<Content> | Failed> {
  if (signals.some(({ aborted }) => aborted)) {
    return failed('stopped', { error: sentences.stopped(false), sent: false });
  }
  const exchange = openExchange(url, network, reader);
  let endedBy: 'timeout' | 'stopped' | null = null;
  const end = (by: typeof endedBy) => {
    endedBy = by;
    exchange.end(new Error('The call was ended.'));
  };
  const timer = setTimeout(() => end('timeout'), seconds * 1000);
  const onAbort = () => end('stopped');
  for (const signal of signals) signal.addEventListener('abort', onAbort);
  try {
    return await exchange.send(headers, body);
  } catch (error) {
    const progress = exchange.progress();
    const facts = { sent: progress.phase === 'open', httpStatus: progress.httpStatus };
    if (endedBy === 'stopped') {
      return failed('stopped', { ...facts, error: sentences.stopped(facts.sent) });
    }
    if (endedBy === 'timeout') {
      return failed('timeout', {
        ...facts,
        error: sentences.tooSlow(url.host, seconds, facts.sent),
      });
    }
    // Before anything was tried it can only be a mistake of ours.
    if (progress.phase === 'idle') throw error;
    return judgeFault(error as Error, progress, url.host);
  } finally {
    clearTimeout(timer);
    for (const signal of signals) signal.removeEventListener('abort', onAbort);
    exchange.end(new Error('The call is over.'));
  }
}
