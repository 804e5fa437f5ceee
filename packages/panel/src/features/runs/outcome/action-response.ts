import type { ErrorCode } from '@steward/contract';
import { AppError } from '../../../platform/app-error.ts';
import type { TaskView } from '../run-view.ts';
import type { WithdrawalReason } from '../worker/save-results.ts';

/** What passes through as it is: the site's own words, and what the panel has found out about it. */
const PASSED_ON = new Set<string>([
  'missing_parameter',
  'invalid_action',
  'invalid_plugin',
  'invalid_request',
  'remote_disabled',
  'management_plugin',
  'file_changes_disabled',
  'plugin_not_found',
  'not_found',
  'site_busy',
  'action_failed',
  'site_not_found',
  'site_not_active',
  'site_rejected_key',
  'site_rejected_signature',
  'address_not_proven',
  'site_down',
  'site_login_required',
  'request_blocked',
  'site_unreachable',
  'site_tls_error',
  'site_redirected',
  'site_invalid_response',
  'site_response_too_large',
  'site_timeout',
  'unavailable',
  'internal_error',
] satisfies ErrorCode[]);

const WITHDRAWN: Record<WithdrawalReason, string> = {
  panel_stopping: 'The panel is stopping. Nothing was done; try again in a moment.',
  not_begun_in_time:
    'The site could not be called in time: too much else is going on. Nothing was done; try again later.',
};

/** The answer to whoever waits for an action that the panel has ended before it began. */
export function notBegun(reason: WithdrawalReason, runId: number): AppError {
  return new AppError('unavailable', { details: { run_id: runId }, message: WITHDRAWN[reason] });
}

/** Says why a plugin action did not succeed, as the answer to whoever waits for it. */
export function assertActionSucceeded(
  result: TaskView | undefined,
  runId: number,
  { isStopping }: { isStopping: boolean },
): asserts result is TaskView {
  if (result?.status === 'succeeded' || result?.status === 'unverified') return;
  const details = { run_id: runId };
  if (result?.status === 'cancelled') throw new AppError('action_cancelled', { details });
  if (!result || result.code === null) {
    throw isStopping
      ? new AppError('unavailable', { details, message: STILL_AT_WORK })
      : new AppError('site_timeout', { details, message: NOT_ENDED_IN_TIME });
  }
  const { code, error } = result;
  const answered = PASSED_ON.has(code) ? (code as ErrorCode) : 'site_invalid_response';
  throw new AppError(answered, { details, ...(error !== null && { message: error }) });
}

const NOT_ENDED_IN_TIME =
  'The site did not answer in time. The panel goes on finding out how it ends: look at the run under Runs.';
const STILL_AT_WORK =
  'The panel is stopping while the site is at work. It is not lost: the run shows how it ends.';
