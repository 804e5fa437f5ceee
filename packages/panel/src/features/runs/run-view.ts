import { type RunDetailsResponse, type RunSummaryResponse, TASK_STATUSES } from '@steward/contract';
import type { Static } from 'typebox';
import type { Viewer } from '../site-access/index.ts';
import { siteNotFound } from './outcome/task-outcome.ts';
import type { RunRow } from './runs.repository.ts';
import type { TaskRow } from './task-list.repository.ts';

export type RunSummary = Static<typeof RunSummaryResponse>;
/** The number of its latest change is for the event stream alone: responses leave it out. */
export type TaskView = Static<typeof RunDetailsResponse>['results'][number] & { change: number };

/** All that a run of which every site succeeded has none of. */
const NOT_GOOD = TASK_STATUSES.filter(
  (status) => !['queued', 'running', 'succeeded'].includes(status),
);

/** A run is its creator's and the owners'; to others it does not exist. */
export function maySeeRunOf(user: Viewer, createdBy: number | null): boolean {
  return user.role === 'owner' || createdBy === user.id;
}

export function runView(user: Viewer, run: RunRow): RunSummary {
  return {
    run_id: run.id,
    kind: run.kind,
    request: run.request,
    status: run.finished_at ? 'finished' : 'running',
    success: NOT_GOOD.every((status) => !run.counts[status]),
    total: run.total,
    counts: run.counts,
    created_by: run.created_by,
    retry_of: run.retry_of,
    is_retried: run.retry_id !== null,
    retried_by: maySeeRunOf(user, run.retry_created_by) ? run.retry_id : null,
    created_at: run.created_at.toISOString(),
    cancelled_at: run.cancelled_at?.toISOString() ?? null,
    finished_at: run.finished_at?.toISOString() ?? null,
  };
}

export function taskView(task: TaskRow): TaskView {
  return {
    task_id: task.id,
    site_id: task.site_id,
    site_url: task.site_url,
    status: task.status,
    http_status: task.http_status,
    plugins: { updated: task.plugins_updated, failed: task.plugins_failed },
    themes: { updated: task.themes_updated, failed: task.themes_failed },
    core: { updated: task.core_updated, failed: task.core_failed },
    details: task.details,
    ...(task.has_more_details && { details_omitted: true as const }),
    error: task.error,
    code: task.code,
    notes: task.notes,
    started_at: task.started_at?.toISOString() ?? null,
    finished_at: task.finished_at?.toISOString() ?? null,
    change: task.change,
  };
}

/** The same as for a site that does not exist, which ends as refused when the run is created. */
export function hiddenTaskView(task: TaskRow, run: RunRow): TaskView {
  const { status, code, error } = siteNotFound();
  const none = { updated: 0, failed: 0 };
  const counts = { plugins: none, themes: none, core: none };
  const hidden = { site_url: null, http_status: null, details: null, notes: [], started_at: null };
  const finished_at = run.created_at.toISOString();
  return {
    ...taskView({ ...task, has_more_details: false }),
    ...hidden,
    ...counts,
    status,
    code,
    error,
    finished_at,
  };
}
