import { ERROR_CODES, type RunKind, type SiteFault } from '@steward/contract';

export type CallResult = {
  siteId: number;
  runId: number;
  kind: RunKind;
  /** The action of a plugin_action. */
  action?: string | undefined;
  status: 'succeeded' | 'partial' | 'failed' | 'unverified' | 'unknown' | 'refused' | 'cancelled';
  code: string | null;
  error: string | null;
  /** The failed items of an update; null if the site did not report results. */
  details: { errors: { type: string; error: string }[] } | null;
  /** Totals over all items: `details` may be truncated. */
  counts?: Record<'plugins' | 'themes' | 'core', { updated: number; failed: number }>;
  /** The response to this call was lost, but the site has responded to a later call. */
  hasRespondedSince?: true;
};

/** The conclusion about the site from the result of a call. */
export type CallAssessment =
  | 'inconclusive'
  | 'healthy'
  /** The site responds. An earlier failure is resolved only if no updates are pending. */
  | 'reachable'
  | { fault: SiteFault; code: string; error: string };

const NOT_REACHABLE_CODES = [
  'site_unreachable',
  'site_timeout',
  'site_tls_error',
  'site_redirected',
  'site_invalid_response',
  'site_response_too_large',
  'site_endpoint_not_found',
  'site_down',
  'site_login_required',
  'request_blocked',
  'address_not_proven',
];

/** Connecting the site again resolves these faults, also without a call. */
export const RECONNECT_CODES = [
  'site_rejected_key',
  'site_rejected_signature',
  'site_address_changed',
  'site_connected_elsewhere',
];

/** These failures do not mean a fault of the site: it was busy, the panel stopped, or the request was invalid. */
const NOT_A_SITE_FAULT_CODES = [
  'site_busy',
  'unavailable',
  'internal_error',
  'site_not_active',
  'management_plugin',
  'plugin_not_found',
  'missing_parameter',
  'invalid_action',
  'invalid_plugin',
];

/**
 * These kinds do not install the pending updates of a site: a success does not resolve a failed update, and a failure is
 * not a failed update.
 */
const KINDS_WITHOUT_UPDATES: RunKind[] = ['sync', 'install', 'restore', 'self_update'];

export function assessCall(result: CallResult): CallAssessment {
  const { kind, status, code, error, details, counts } = result;
  const hasUpdates = !KINDS_WITHOUT_UPDATES.includes(kind);
  if (status === 'succeeded') return hasUpdates ? 'healthy' : 'reachable';
  if (status === 'unverified') return 'reachable';
  if (status === 'refused' || status === 'cancelled') return 'inconclusive';
  // The site rolled back or refused the items, and reported this.
  if (details && !hasUpdates) return 'reachable';
  // The site reported the failed items itself, so they count even if the first response was lost.
  if (details)
    return { fault: 'failing', code: 'action_failed', error: describeFailures(details, counts) };
  if (result.hasRespondedSince) return 'reachable';
  if (code === null || NOT_A_SITE_FAULT_CODES.includes(code)) return 'inconclusive';
  const cause = { code, error: error ?? ERROR_CODES.action_failed.message };
  if (code === 'remote_disabled') return { fault: 'remote_off', ...cause };
  if (NOT_REACHABLE_CODES.includes(code)) return { fault: 'not_reachable', ...cause };
  if (kind === 'sync' && !RECONNECT_CODES.includes(code)) return 'inconclusive';
  return { fault: 'failing', ...cause, code: failureCode(result, code) };
}

/** `action_failed` is the code of a failed update. Other actions have codes such as `delete_failed`: see `explainFault`. */
function failureCode({ kind, action }: CallResult, code: string): string {
  const actionName = kind === 'plugin_action' ? (action ?? 'update') : kind;
  return actionName !== 'update' && code === 'action_failed' ? `${actionName}_failed` : code;
}

function describeFailures(
  { errors }: NonNullable<CallResult['details']>,
  counts: CallResult['counts'],
): string {
  const totals = Object.values(counts ?? {});
  const failed = totals.reduce((sum, count) => sum + count.failed, 0);
  const items = totals.reduce((sum, count) => sum + count.updated, failed);
  const firstError = errors.find(({ type }) => failed === 0 || type !== 'system');
  const reason = firstError?.error ?? ERROR_CODES.action_failed.message;
  return failed === 0 ? reason : `${failed} of ${items} updates failed. ${reason}`;
}
