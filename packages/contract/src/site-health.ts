import { HEALTH_TROUBLES, type SiteFailureCode, type TroubleCode } from './failures.ts';

/** The health of a site in two signals. Pure: the panel observes, these functions judge. */

/** Something in front of the application responded, so the response says nothing about the application. */
export type HealthObstacle = 'login' | 'firewall' | 'maintenance';

export type SignalObservation = {
  /** Null: no response. */
  http_status: number | null;
  /** The size of the page, up to a limit. */
  bytes: number;
  has_fatal_error: boolean;
  /** The page has its closing tag. For the application: the response certainly comes from it. */
  is_complete: boolean;
  obstacle: HealthObstacle | null;
  /** Why no response arrived, or why it is not the response of the application. */
  error: SiteFailureCode | null;
};

export type SiteObservation = {
  /** The home page as a visitor sees it, possibly from a cache. */
  home: SignalObservation;
  /** A response of the application behind the page, which no cache can give. */
  application: SignalObservation;
  certificate_expires_at: string | null;
  /** How long the home page took, with the connection and redirects. Null or missing: no response that counts. */
  response_ms?: number | null;
};

export const HEALTH_SIGNALS = ['home', 'application'] as const;
export type HealthSignal = (typeof HEALTH_SIGNALS)[number];

export type Trouble = { code: TroubleCode; signal: HealthSignal; message: string };

/** The size of a smaller page, such as one with only a date, varies too much in proportion. */
const MIN_COMPARED_BYTES = 1024;

/**
 * Finds what became worse between two observations. A problem that the site had before is no trouble. Without an
 * observation from before, only fatal errors count. `isLate`: minutes after an update, so the site should have left its
 * maintenance mode.
 */
export function compareHealth(
  before: SiteObservation | null,
  after: SiteObservation,
  { isLate = false } = {},
): Trouble[] {
  const home =
    isLate && wasLeftInMaintenance(before?.home ?? null, after.home)
      ? 'status_changed'
      : findHomeTrouble(before?.home ?? null, after.home);
  const application = findApplicationTrouble(before?.application ?? null, after.application);
  return [
    ...(home ? [createTrouble(home, 'home')] : []),
    ...(application ? [createTrouble(application, 'application')] : []),
  ];
}

function createTrouble(code: TroubleCode, signal: HealthSignal): Trouble {
  return { code, signal, message: HEALTH_TROUBLES[code] };
}

const wasLeftInMaintenance = (before: SignalObservation | null, after: SignalObservation) =>
  after.obstacle === 'maintenance' && before?.obstacle === null && isSuccess(before);

function findHomeTrouble(
  before: SignalObservation | null,
  after: SignalObservation,
): TroubleCode | null {
  if (after.obstacle !== null) return null;
  if (isFatal(after)) return before && isFatal(before) ? null : 'fatal_error';
  // A page that failed before says nothing about the change.
  if (!before || before.error !== null || before.obstacle !== null || isFatal(before)) return null;
  if (after.error !== null) return 'unreachable';
  const [statusBefore, statusAfter] = [before.http_status ?? 0, after.http_status ?? 0];
  if (statusBefore >= 400) return null;
  if (statusAfter >= 300 && statusAfter !== statusBefore && statusBefore < 300)
    return 'status_changed';
  if (statusAfter >= 400) return 'status_changed';
  if (statusAfter >= 300) return null;
  if (before.bytes >= MIN_COMPARED_BYTES && after.bytes < before.bytes / 2) return 'page_shrunk';
  return before.is_complete && !after.is_complete ? 'page_incomplete' : null;
}

function findApplicationTrouble(
  before: SignalObservation | null,
  after: SignalObservation,
): TroubleCode | null {
  if (after.obstacle !== null || isApplicationResponse(after)) return null;
  if (!before) return isFatal(after) ? 'application_down' : null;
  return isApplicationResponse(before) ? 'application_down' : null;
}

const isApplicationResponse = ({ is_complete, error, obstacle }: SignalObservation) =>
  is_complete && error === null && obstacle === null;

/** Whether the page itself was received, also with an error. */
export const isLoaded = ({ http_status, error }: SignalObservation): boolean =>
  http_status !== null && error === null;

/** A 502 or 504 may come from a proxy, so only 500 is a fatal error for certain. */
export const isFatal = ({ http_status, has_fatal_error }: SignalObservation) =>
  has_fatal_error || http_status === 500;

export type Outage = { signal: HealthSignal; reason: SiteFailureCode };

/**
 * Finds why a site is down for its visitors; null if it is up. A site that shows a login, a firewall page, a maintenance
 * page or 404 is up. `hasResponded`: the application has responded to an earlier ping, so another page in its place, such
 * as a parking page, is an outage.
 */
export function findOutage(
  { home, application }: SiteObservation,
  { hasResponded }: { hasResponded: boolean },
): Outage | null {
  const homeReason = outageReason(home);
  if (homeReason) return { signal: 'home', reason: homeReason };
  if (application.obstacle !== null) return null;
  const reason = outageReason(application);
  if (reason) return { signal: 'application', reason };
  const isForeign = application.error === 'site_invalid_response' && isSuccess(application);
  return isForeign && hasResponded
    ? { signal: 'application', reason: 'site_invalid_response' }
    : null;
}

const isSuccess = ({ http_status }: SignalObservation) =>
  http_status !== null && http_status >= 200 && http_status < 300;

function outageReason(signal: SignalObservation): SiteFailureCode | null {
  if (signal.obstacle !== null) return null;
  if (signal.http_status === null) return signal.error;
  return isFatal(signal) || signal.http_status >= 500 ? 'site_down' : null;
}

/** Whether the observation shows a failure of the network, on the side of the site or of the panel. */
export function isNetworkFailure({ home, application }: SiteObservation): boolean {
  return home.http_status === null && application.http_status === null;
}

/** Whether the application itself responded. */
export function hasApplicationResponded({ application }: SiteObservation): boolean {
  return isApplicationResponse(application);
}

/** Returns the troubles of the second list whose signal also had trouble in the first. A transient error is in one list. */
export function confirmTroubles(first: Trouble[], second: Trouble[]): Trouble[] {
  return second.filter(({ signal }) => first.some((trouble) => trouble.signal === signal));
}

/** A certificate that expires within this time is shown to users. */
export const CERTIFICATE_NOTICE_DAYS = 14;

/** `expiring` includes expired certificates: both need a person. */
export const CERTIFICATE_FILTERS = ['expiring', 'expired'] as const;
export type CertificateFilter = (typeof CERTIFICATE_FILTERS)[number];

/** A certificate in this filter expires before this time. */
export const certificateEndsBefore = (filter: CertificateFilter, now: Date): Date =>
  filter === 'expired' ? now : new Date(now.getTime() + CERTIFICATE_NOTICE_DAYS * 86_400_000);
