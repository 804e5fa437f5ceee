import type { ErrorCode } from '@steward/contract';

/** How a call to a site ended. All that a site or a network can do is told in here, nothing is thrown. */
export type SiteOutcome<Body> = Answered<Body> | Refused | Busy | Failed;

/** The site did as the contract says; whether single items succeeded is in the body. */
export type Answered<Body> = { kind: 'answered'; httpStatus: number; body: Body };

/** The site's own no, in the form that the contract gives it. */
export type Refused = {
  kind: 'refused';
  httpStatus: number;
  /** The site's; only a refused key or signature is told in the panel's words. */
  code: string;
  error: string;
  /** Something on the site ended the work in the middle: how far it had come, it does not say. */
  isBrokenOff?: true;
};

/**
 * 503, in words that only come before any work: in maintenance, or at work for somebody else. Worth
 * another try, also for what changes something.
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
  /** For a person: what happened, and what to do about it. */
  error: string;
  /** Whether a single byte of the request may have reached the site. False is certain. */
  sent: boolean;
  /** Null: no answer had begun. */
  httpStatus: number | null;
  /** For the log: the system's own word, such as ECONNREFUSED. */
  detail: string | null;
};

const CODE_OF_REASON = {
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
  /** The site has not shown that it is at its address. */
  not_proven: 'address_not_proven',
  /** The panel itself ended the call. */
  stopped: 'unavailable',
} as const satisfies Record<string, ErrorCode>;

export type FailureReason = keyof typeof CODE_OF_REASON;

type FailureFacts = Partial<Pick<Failed, 'code' | 'httpStatus' | 'detail'>> &
  Pick<Failed, 'error' | 'sent'>;

export function failed(reason: FailureReason, facts: FailureFacts): Failed {
  const code = CODE_OF_REASON[reason];
  return { kind: 'failed', reason, code, httpStatus: null, detail: null, ...facts };
}

/**
 * Whether a call without success may have changed something on the site, so that only a sync can
 * tell. A redirect or a 4xx comes from something that turned the call away.
 */
export function mayHaveActed(outcome: Failed | Refused): boolean {
  if (outcome.kind === 'refused') return outcome.isBrokenOff === true;
  const { sent, httpStatus } = outcome;
  const wasTurnedAway = httpStatus !== null && httpStatus >= 300 && httpStatus < 500;
  return sent && !wasTurnedAway;
}
