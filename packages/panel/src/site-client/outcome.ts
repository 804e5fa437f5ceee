import type { ErrorCode, OutsideCheckRequest, PageCheck } from '@steward/contract';

/** The outcome of a call to a site. Site and network errors are outcomes; they never throw. */
export type SiteOutcome<Body> = Answered<Body> | Refused | Busy | Failed;

/** A valid response. In an update, single items can still have failed. */
export type Answered<Body> = {
  kind: 'answered';
  httpStatus: number;
  body: Body;
  /** How far the panel checked the pages, for a site that could not. */
  pageCheck?: PageCheck;
};

/** The site refused the call, or the action failed. */
export type Refused = {
  kind: 'refused';
  httpStatus: number;
  /**
   * The code that the site sent. The panel sets it for a rejected key or signature, and for an action that failed
   * although the response was valid.
   */
  code: string;
  error: string;
  /** The work on the site may have ended midway, so its progress is unknown. */
  isInterrupted?: true;
  /** Only of `outside_look_needed`: what the panel can check for the site. */
  outsideCheck?: OutsideCheckRequest;
};

/**
 * A 503 that proves that the site has done no work: it is in maintenance or runs another call. A retry is
 * safe, even of a call that changes the site.
 */
export type Busy = {
  kind: 'busy';
  httpStatus: number;
  code: 'site_busy';
  reason: 'maintenance';
  error: string;
};

export type Failed = {
  kind: 'failed';
  code: ErrorCode;
  reason: FailureReason;
  /** For the user: what happened and what to do. */
  error: string;
  /** Whether a byte of the request may have reached the site. `false` means certainly not. */
  sent: boolean;
  /** Null if no response had started. */
  httpStatus: number | null;
  /** System error code for the log, such as ECONNREFUSED. */
  detail: string | null;
};

const CODES_BY_REASON = {
  bad_address: 'site_unreachable',
  dns: 'site_unreachable',
  private_address: 'site_unreachable',
  connect: 'site_unreachable',
  connection_lost: 'site_unreachable',
  tls: 'site_tls_error',
  timeout: 'site_timeout',
  redirect: 'site_redirected',
  http_status: 'site_invalid_response',
  not_http: 'site_invalid_response',
  not_json: 'site_invalid_response',
  wrong_shape: 'site_invalid_response',
  too_large: 'site_response_too_large',
  /** The address of the site is not proven. */
  not_proven: 'address_not_proven',
  /** The panel is at its limit of calls. */
  limited: 'unavailable',
  /** The panel itself stopped the call. */
  stopped: 'unavailable',
} as const satisfies Record<string, ErrorCode>;

export type FailureReason = keyof typeof CODES_BY_REASON;

type FailureFacts = Partial<Pick<Failed, 'code' | 'httpStatus' | 'detail'>> &
  Pick<Failed, 'error' | 'sent'>;

export function failed(reason: FailureReason, facts: FailureFacts): Failed {
  const code = CODES_BY_REASON[reason];
  return { kind: 'failed', reason, code, httpStatus: null, detail: null, ...facts };
}

/**
 * Whether a failed call may have changed the site; then only a sync can show the result. A redirect or a 4xx
 * means that the call was rejected before any work.
 */
export function mayHaveActed(outcome: Failed | Refused): boolean {
  if (outcome.kind === 'refused') return outcome.isInterrupted === true;
  const { sent, httpStatus } = outcome;
  const wasRejected = httpStatus !== null && httpStatus >= 300 && httpStatus < 500;
  return sent && !wasRejected;
}
