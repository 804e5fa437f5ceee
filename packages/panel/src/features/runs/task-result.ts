import type { BulkUpdateResponse } from '@steward/contract';
import type { TaskStatus } from '../../database/tables.ts';
import { AppError } from '../../lib/app-error.ts';
import { mayHaveActed, type SiteOutcome } from '../../lib/site-client/index.ts';

/** How a task ended, or that it cannot be told yet. */
export type TaskResult = {
  status: Exclude<TaskStatus, 'queued' | 'running'>;
  http_status: number | null;
  code: string | null;
  error: string | null;
  details: BulkUpdateResponse | null;
  /** The call was lost, but the site has answered since. */
  hasAnsweredSince?: true;
};

export type ItemCounts = { updated: number; failed: number };
export type UpdateCounts = { plugins: ItemCounts; themes: ItemCounts; core: ItemCounts };

/** What a call to a site means for its task. */
export function resultOf(outcome: SiteOutcome<BulkUpdateResponse | object>): TaskResult {
  switch (outcome.kind) {
    case 'answered':
      return resultOfAnswer(outcome.httpStatus, outcome.body);
    case 'failed':
      return { ...problem(outcome), status: mayHaveActed(outcome) ? 'unknown' : 'failed' };
    case 'refused':
      return mayHaveActed(outcome)
        ? { ...problem({ ...outcome, code: 'action_failed' }), status: 'unknown' }
        : { ...problem(outcome), status: 'failed' };
    default:
      return { ...problem(outcome), status: 'failed' };
  }
}

export function resultOfAnswer(
  httpStatus: number | null,
  body: BulkUpdateResponse | object,
): TaskResult {
  const answer = { http_status: httpStatus, code: null, error: null };
  if (!('results' in body)) return { ...answer, status: 'succeeded', details: null };
  return { ...answer, status: statusOfUpdate(body), details: body };
}

export function internalFault(): TaskResult {
  const error = 'Something went wrong in the panel. Its log says what.';
  return { status: 'unknown', http_status: null, code: 'internal_error', error, details: null };
}

/** Somebody, or the panel, has ended it before the site was called. */
export function neverCalled(): TaskResult {
  return { status: 'cancelled', http_status: null, code: null, error: null, details: null };
}

/** Not there, or not for whoever asks. */
export function siteNotFound(): TaskResult {
  const { code, message } = new AppError('site_not_found');
  return { status: 'refused', http_status: null, code, error: message, details: null };
}

/** The site must not be called any more; if an earlier call was lost, not even to ask about that. */
export function siteNotActive({ isLost }: { isLost: boolean }): TaskResult {
  const { code, message } = new AppError('site_not_active');
  const end = { http_status: null, code, details: null };
  if (!isLost) return { ...end, status: 'refused', error: message };
  return { ...end, status: 'unknown', error: `${message} ${CANNOT_BE_ASKED}` };
}

const CANNOT_BE_ASKED =
  'The answer to its last call was lost, so it may have done what was asked. Sync it once it is active again.';

/** All, some or none of the items. A report that did not reach the panel is no failed item. */
function statusOfUpdate(body: BulkUpdateResponse): TaskResult['status'] {
  const { plugins, themes, core } = countsOf(body);
  const failed = plugins.failed + themes.failed + core.failed;
  if (failed === 0) return body.success ? 'succeeded' : 'failed';
  return plugins.updated + themes.updated + core.updated > 0 ? 'partial' : 'failed';
}

export function countsOf(details: BulkUpdateResponse | null): UpdateCounts {
  const count = (items: { success: boolean }[] = []): ItemCounts => {
    const updated = items.filter(({ success }) => success).length;
    return { updated, failed: items.length - updated };
  };
  const { plugins, themes, core } = details?.results ?? {};
  return { plugins: count(plugins), themes: count(themes), core: count(core ? [core] : []) };
}

function problem({
  httpStatus,
  code,
  error,
}: {
  httpStatus: number | null;
  code: string;
  error: string;
}) {
  return { http_status: httpStatus, code, error, details: null };
}
