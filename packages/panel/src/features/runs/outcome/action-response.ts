import { describeCheckedPages, type ErrorCode } from '@steward/contract';
import { AppError } from '../../../platform/app-error.ts';
import type { WithdrawalReason } from '../cancel-runs.ts';
import type { TaskView } from '../run-view.ts';

/** Codes of sites and of the panel that the response repeats unchanged. */
export const FORWARDED_CODES: readonly ErrorCode[] = [
  'missing_parameter',
  'invalid_action',
  'invalid_plugin',
  'invalid_request',
  'remote_disabled',
  'management_plugin',
  'file_changes_disabled',
  'plugin_not_found',
  'held_version',
  'items_unsupported',
  'not_found',
  'site_busy',
  'action_failed',
  'site_not_found',
  'site_not_active',
  'site_rejected_key',
  'site_rejected_signature',
  'site_address_changed',
  'site_connected_elsewhere',
  'address_not_proven',
  'site_down',
  'site_login_required',
  'request_blocked',
  'site_unreachable',
  'site_tls_error',
  'site_redirected',
  'site_invalid_response',
  'site_response_too_large',
  'site_endpoint_not_found',
  'site_timeout',
  'unavailable',
  'internal_error',
];

const WITHDRAWAL_MESSAGES: Record<WithdrawalReason, string> = {
  panel_stopping:
    'Steward is stopping. Nothing was changed on the site. Try again when Steward runs again.',
  not_begun_in_time:
    'Steward is busy and did not call the site in time. Nothing was changed. Try again later.',
};

/** The error for a client whose action was cancelled before it started. */
export function notStartedError(reason: WithdrawalReason, runId: number): AppError {
  return new AppError('unavailable', {
    details: { run_id: runId },
    message: WITHDRAWAL_MESSAGES[reason],
  });
}

/** Throws the error of a plugin action that did not succeed. */
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
      ? new AppError('unavailable', { details, message: STILL_RUNNING })
      : new AppError('site_timeout', { details, message: NOT_FINISHED_IN_TIME });
  }
  const { code, error } = result;
  const responseCode = FORWARDED_CODES.find((each) => each === code) ?? 'site_invalid_response';
  throw new AppError(responseCode, { details, ...(error !== null && { message: error }) });
}

/** The fields of the response to a plugin action that was done. */
export function describeAction({
  status,
  error,
  notes,
  pages,
}: Pick<TaskView, 'status' | 'error' | 'notes' | 'pages'>) {
  const { pages_compared = 0, pages_planned = 0 } = pages;
  const { code, sentences } = describeCheckedPages({ pages_compared, pages_planned });
  // The number of compared pages is a field of the response, and no warning.
  const isWarning = (note: string) => code !== null || !sentences.includes(note);
  // The error is the reason why the result is unverified.
  const warnings = [...(error === null ? [] : [error]), ...notes.filter(isWarning)];
  return {
    ...(status !== 'succeeded' && { verified: false }),
    ...(warnings.length > 0 && { warnings }),
    ...pages,
  };
}

const NOT_FINISHED_IN_TIME =
  'The site did not respond in time. Steward keeps verifying the result: see the run under Runs.';
const STILL_RUNNING =
  'Steward is stopping while the site is working. The result appears in the run under Runs.';
