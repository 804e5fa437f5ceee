import { ERROR_CODES, type ErrorCode } from '@steward/contract';
import { AppError } from '../../lib/app-error.ts';
import type { TaskView } from './run-view.ts';

/** The site's own words that pass through as they are; `action_failed` says what was tried. */
const PASSED_ON = new Set<string>([
  'missing_parameter',
  'invalid_action',
  'invalid_plugin',
  'remote_disabled',
  'management_plugin',
  'file_changes_disabled',
  'plugin_not_found',
  'site_busy',
  'action_failed',
]);

/** Says why a plugin action did not succeed, as the answer to whoever waits for it. */
export function assertActionSucceeded(
  result: TaskView | undefined,
  runId: number,
): asserts result is TaskView {
  if (result?.status === 'succeeded') return;
  const details = { run_id: runId };
  if (!result || result.code === null) {
    throw new AppError('site_timeout', { details });
  }
  const { code, error } = result;
  const known = code !== null && Object.hasOwn(ERROR_CODES, code) ? (code as ErrorCode) : null;
  const isOfPanel = known !== null && /^(site_|unavailable|internal_error)/.test(known);
  const answered = known !== null && (PASSED_ON.has(known) || isOfPanel) ? known : OTHERWISE;
  throw new AppError(answered, { details, ...(error !== null && { message: error }) });
}

const OTHERWISE: ErrorCode = 'site_invalid_response';
