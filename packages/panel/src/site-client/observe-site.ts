import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import {
  canonicalSiteUrl,
  type HealthObstacle,
  isSiteKey,
  proofText,
  resolvePagePath,
  type SignalObservation,
  type SiteFailureCode,
  type SiteObservation,
} from '@steward/contract';
import { BOUNDS } from '../platform/bounded-json.ts';
import { classifyResponse } from './classify-response.ts';
import type { Network } from './connection.ts';
import { endpointOf, homeOf, type SiteTarget } from './endpoint.ts';
import { closeKept, createStartReader, type KeptConnection, type RawResponse } from './exchange.ts';
import type { Failed } from './outcome.ts';
import { createPageReader, FATAL_ERROR, type PageFacts } from './page-reader.ts';
import { readProof } from './responses.ts';
import {
  COMMON_HEADERS,
  JSON_HEADERS,
  loginHeader,
  MAX_REDIRECTS,
  sendRequest,
} from './send-request.ts';
import { buildSignatureHeaders, type CallSigner } from './sign-call.ts';

export type ObserveCall = {
  target: SiteTarget;
  /** Timeout of each request. */
  seconds: number;
  signals: AbortSignal[];
  /** Both requests of an observation use one connection if the site keeps it open. */
  kept?: KeptConnection;
};

const PAGE_READER = createPageReader(2 * 1024 * 1024);
/** Reads more, because the error of a page is often at its end, and a verdict can undo an update. */
const CHECKED_PAGE_READER = createPageReader(5 * 1024 * 1024);
/** With these failures of the home page, the application on the same host cannot respond either. */
const HOST_FAILURES = ['dns', 'connect', 'tls', 'private_address', 'bad_address'];

/** Bounded by the reader itself, so that it can share a connection with the reader of pages. */
const PROOF_READER = createStartReader(BOUNDS.bytes);

/**
 * Observes both signals of a site, one request at a time, without sending a key and without changing the site. Returns
 * null if the panel aborts the call.
 */
export async function observeSite(
  call: ObserveCall,
  deps: ObserveDependencies,
): Promise<SiteObservation | null> {
  const kept: KeptConnection = { line: null };
  try {
    return await observeBoth({ ...call, kept }, deps);
  } finally {
    closeKept(kept);
  }
}

type ObserveDependencies = { network: Network; signer: CallSigner };

async function observeBoth(
  call: ObserveCall,
  deps: ObserveDependencies,
): Promise<SiteObservation | null> {
  const { target } = call;
  const url = homeOf(target);
  if (!url) return bothFailed('site_unreachable');
  const startedMs = performance.now();
  const home = await observePage(url, call, deps.network);
  if (isStopped(home)) return null;
  const responseMs = Math.round(performance.now() - startedMs);
  const endpoint = isSiteKey(target.serviceKey) ? endpointOf(target, 'remote/proof') : null;
  const isSameHost = endpoint === null || endpoint.origin === url.origin;
  if (isSameHost && home.failure && HOST_FAILURES.includes(home.failure.reason)) {
    return { home: home.signal, application: home.signal, certificate_expires_at: null };
  }
  const application = endpoint
    ? await observeProof(endpoint, call, deps)
    : await observeUncachedPage(url, call, deps.network);
  if (isStopped(application)) return null;
  return {
    home: home.signal,
    application: application.signal,
    certificate_expires_at: home.certificateExpiresAt?.toISOString() ?? null,
    response_ms: isTimed(home.signal) ? responseMs : null,
  };
}

/** A challenge, a login or an error says nothing about how fast the site is. A site without a home page responds with 404. */
const isTimed = ({ http_status, obstacle, error, has_fatal_error }: SignalObservation) => {
  const isAnswer = http_status !== null && http_status < 500 && http_status !== 403;
  return isAnswer && error === null && obstacle === null && !has_fatal_error;
};

type Observed = {
  signal: SignalObservation;
  failure: Failed | null;
  certificateExpiresAt: Date | null;
};

const isStopped = ({ failure }: Observed) => failure?.reason === 'stopped';

const NO_RESPONSE: SignalObservation = {
  http_status: null,
  bytes: 0,
  has_fatal_error: false,
  is_complete: false,
  obstacle: null,
  error: null,
};

function bothFailed(error: SiteFailureCode): SiteObservation {
  const signal = { ...NO_RESPONSE, error };
  return { home: signal, application: signal, certificate_expires_at: null };
}

function toFailed(failure: Failed): Observed {
  const { code, reason, httpStatus: http_status } = failure;
  // The panel itself refuses the address, so the failure does not show the state of the site.
  if (reason === 'private_address') {
    return {
      signal: { ...NO_RESPONSE, obstacle: 'firewall' },
      failure,
      certificateExpiresAt: null,
    };
  }
  const signal = { ...NO_RESPONSE, http_status, error: code as SiteFailureCode };
  return { signal, failure, certificateExpiresAt: null };
}

/**
 * `path`: a page below the home address, which a site or an owner has named. `ticket`: the site accepts a request with it while
 * it is closed to visitors.
 */
export type CheckedPage = {
  page: 'home' | 'endpoint' | { path: string };
  ticket: string | null;
};

/** Observes one page as a visitor sees it behind all caches; no key is sent. */
export async function observeCheckedPage(
  { page, ticket }: CheckedPage,
  call: ObserveCall,
  network: Network,
): Promise<SignalObservation> {
  const url = urlOf(page, call.target);
  if (!url) return { ...NO_RESPONSE, error: 'site_unreachable' };
  const query = ticket ?? String(Date.now());
  return (await observePage(url, call, network, { query, reader: CHECKED_PAGE_READER })).signal;
}

/** Null for a path that leads elsewhere: a hostile site must not choose which addresses the panel loads. */
function urlOf(page: CheckedPage['page'], target: SiteTarget): URL | null {
  if (page === 'endpoint') return endpointOf(target, 'remote/sync');
  const home = homeOf(target);
  return page === 'home' ? home : home && resolvePagePath(home, page.path);
}

/**
 * Loads a page without cookies. Follows redirects on the same host only: the web server login must not leave it. `query`: a
 * ticket, or a value that no cache knows, for each URL.
 */
async function observePage(
  start: URL,
  call: ObserveCall,
  network: Network,
  { query, reader = PAGE_READER }: { query?: string; reader?: typeof PAGE_READER } = {},
): Promise<Observed> {
  const accept = query === undefined ? 'text/html' : 'text/html,application/json';
  const headers = { ...COMMON_HEADERS, accept, ...loginHeader(call.target) };
  let url = new URL(start);
  for (let redirects = 0; ; redirects++) {
    if (query !== undefined) url.searchParams.set('steward_check', query);
    const request = { headers, body: null, seconds: call.seconds, signals: call.signals };
    const received = await sendRequest(url, request, reader, network, call.kept);
    if ('kind' in received) return toFailed(received);
    const next = redirectOnSameHost(received, url);
    if (next && redirects < MAX_REDIRECTS) {
      url = next;
      continue;
    }
    const observed = toObservedPage(received);
    // A check of a page decides about an update, so a page that never loads must not pass as a page.
    if (!next || query === undefined) return observed;
    return { ...observed, signal: { ...observed.signal, error: 'site_redirected' } };
  }
}

function redirectOnSameHost({ httpStatus, location }: RawResponse<unknown>, url: URL): URL | null {
  if (httpStatus < 300 || httpStatus >= 400 || location === null) return null;
  const next = URL.parse(location, url.href);
  if (!next || next.href === url.href) return null;
  const becomesSecure = next.hostname === url.hostname && next.protocol === 'https:';
  return next.origin === url.origin || becomesSecure ? next : null;
}

function toObservedPage(response: RawResponse<PageFacts>): Observed {
  const { httpStatus: http_status, content, certificateExpiresAt } = response;
  const obstacle = obstacleOf(response);
  const signal = {
    http_status,
    bytes: content?.bytes ?? 0,
    has_fatal_error: content?.hasFatalError ?? false,
    is_complete: content?.hasEnd ?? false,
    obstacle,
    error: null,
  };
  return { signal, failure: null, certificateExpiresAt };
}

function obstacleOf(response: RawResponse<unknown>): HealthObstacle | null {
  const { httpStatus, isChallenge, retryAfter } = response;
  if (isChallenge || httpStatus === 429) return 'firewall';
  if (httpStatus === 401) return 'login';
  return httpStatus === 503 && retryAfter !== null ? 'maintenance' : null;
}

/** For a site without a site key. Adds a random query to the URL, so that most caches forward the request. */
async function observeUncachedPage(
  home: URL,
  call: ObserveCall,
  network: Network,
): Promise<Observed> {
  const url = new URL(home);
  url.searchParams.set('steward_check', randomBytes(8).toString('hex'));
  const observed = await observePage(url, call, network);
  const { http_status } = observed.signal;
  // Any page without an error is the response of the application, also one without a closing tag.
  const is_complete = http_status !== null && http_status < 500 && !observed.signal.has_fatal_error;
  return { ...observed, signal: { ...observed.signal, is_complete } };
}

/**
 * Requests a proof for a new challenge. Only the application with the site key can compute the proof, so neither a cache
 * nor another site can respond in its place. An error of the plugin also comes from the application, so it counts too.
 */
async function observeProof(
  url: URL,
  { target, seconds, signals, kept }: ObserveCall,
  { network, signer }: ObserveDependencies,
): Promise<Observed> {
  const { siteUrl, serviceKey } = target;
  const challenge = randomBytes(32).toString('hex');
  const body = JSON.stringify({ challenge });
  const headers = {
    ...(await buildSignatureHeaders({ siteUrl, path: 'remote/proof', body }, signer)),
    ...JSON_HEADERS,
    ...loginHeader(target),
  };
  const request = { headers, body, seconds, signals };
  const received = await sendRequest(url, request, PROOF_READER, network, kept);
  if ('kind' in received) return toFailed(received);
  const { certificateExpiresAt, content, httpStatus: http_status } = received;
  const text = content ?? '';
  const outcome = classifyResponse(received, {
    isSecret: false,
    url,
    siteUrl,
    serviceKey,
    body: { challenge },
    read: readProof,
  });
  const isProven =
    outcome.kind === 'answered' && isProof(outcome.body.proof, challenge, siteUrl, serviceKey);
  const isRefusal = outcome.kind === 'refused' && outcome.code !== 'site_down';
  const is_complete = isProven || isRefusal;
  const isMaintenance = outcome.kind === 'busy';
  const obstacle = isMaintenance ? 'maintenance' : is_complete ? null : obstacleOf(received);
  const failureCode = outcome.kind === 'failed' ? outcome.code : 'site_invalid_response';
  const isDown = outcome.kind === 'refused' && outcome.code === 'site_down';
  const signal: SignalObservation = {
    http_status,
    bytes: Buffer.byteLength(text),
    has_fatal_error: isDown || FATAL_ERROR.test(`\n${text}`),
    is_complete,
    obstacle,
    error: is_complete || obstacle ? null : isDown ? 'site_down' : (failureCode as SiteFailureCode),
  };
  return { signal, failure: null, certificateExpiresAt };
}

function isProof(proof: string, challenge: string, siteUrl: string, siteKey: string): boolean {
  const site = canonicalSiteUrl(siteUrl);
  const text = proofText(challenge, site.ok ? site.canonical : siteUrl);
  const expected = createHmac('sha256', siteKey).update(text).digest();
  const received = Buffer.from(proof, 'hex');
  return received.length === expected.length && timingSafeEqual(expected, received);
}
