import { ERROR_CODES, type SiteFault } from '@steward/contract';

/** How a call to a site ended, for whoever keeps what is wrong with sites. */
export type CallResult = {
  siteId: number;
  runId: number;
  kind: 'update' | 'plugin_action' | 'sync';
  /** What was to be done to the plugin of a plugin_action. */
  action?: string | undefined;
  status: 'succeeded' | 'partial' | 'failed' | 'unverified' | 'unknown' | 'refused' | 'cancelled';
  code: string | null;
  error: string | null;
  /** What an update did, item by item; null when the site did not say. */
  details: { errors: { type: string; error: string }[] } | null;
  /** Of all its items, as `details` may be cut. */
  counts?: Record<'plugins' | 'themes' | 'core', { updated: number; failed: number }>;
  /** The call was lost, but the site has answered since. */
  hasAnsweredSince?: true;
};

/** What a call shows of its site. `nothing`: it says nothing about it. */
export type Finding =
  | 'nothing'
  | 'works'
  /** It answers, but only a look at what is pending tells whether a failure is over. */
  | 'answers'
  | { fault: SiteFault; code: string; error: string };

const OUT_OF_REACH = [
  'site_unreachable',
  'site_timeout',
  'site_tls_error',
  'site_redirected',
  'site_invalid_response',
  'site_response_too_large',
  'site_down',
  'site_login_required',
  'request_blocked',
  'address_not_proven',
];

/** Until the site is connected again. */
export const NEEDS_CONNECTING = ['site_rejected_key', 'site_rejected_signature'];

/** Not the site's fault: it had other work, the panel stopped, or it was asked for what cannot be. */
const NO_FAULT_OF_THE_SITE = [
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

export function findingOf(result: CallResult): Finding {
  const { kind, status, code, error, details, counts } = result;
  if (status === 'succeeded') return kind === 'sync' ? 'answers' : 'works';
  if (status === 'unverified') return 'answers';
  if (status === 'refused' || status === 'cancelled') return 'nothing';
  // Items that failed were told by the site, even where the first answer was lost on its way.
  if (details)
    return { fault: 'failing', code: 'action_failed', error: sentenceOf(details, counts) };
  if (result.hasAnsweredSince) return 'answers';
  if (code === null || NO_FAULT_OF_THE_SITE.includes(code)) return 'nothing';
  const because = { code, error: error ?? ERROR_CODES.action_failed.message };
  if (code === 'remote_disabled') return { fault: 'remote_off', ...because };
  if (OUT_OF_REACH.includes(code)) return { fault: 'not_reachable', ...because };
  if (kind === 'sync' && !NEEDS_CONNECTING.includes(code)) return 'nothing';
  return { fault: 'failing', ...because, code: failureOf(result, code) };
}

/** A site that failed to update something is still as it was; one that failed to delete may not be. */
function failureOf({ kind, action }: CallResult, code: string): string {
  const isOther = kind === 'plugin_action' && action !== undefined && action !== 'update';
  return isOther && code === 'action_failed' ? `${action}_failed` : code;
}

function sentenceOf(
  { errors }: NonNullable<CallResult['details']>,
  counts: CallResult['counts'],
): string {
  const each = Object.values(counts ?? {});
  const failed = each.reduce((sum, count) => sum + count.failed, 0);
  const items = each.reduce((sum, count) => sum + count.updated, failed);
  const first = errors.find(({ type }) => failed === 0 || type !== 'system');
  const why = first?.error ?? ERROR_CODES.action_failed.message;
  return failed === 0 ? why : `${failed} of ${items} updates failed. ${why}`;
}
