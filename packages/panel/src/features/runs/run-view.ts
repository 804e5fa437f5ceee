import {
  type RunDetailsResponse,
  type RunSummaryResponse,
  TASK_STATUSES,
  type Watch,
} from '@steward/contract';
import type { Static } from 'typebox';
import { AppError } from '../../platform/app-error.ts';
import type { AuditOrigin } from '../../platform/audit-origin.ts';
import type { Database } from '../../platform/database/handles.ts';
import type { CurrentUser } from '../site-access/index.ts';
import { type ItemKey, type ItemName, listItemNames } from './item-names.repository.ts';
import { refusedResult } from './outcome/task-outcome.ts';
import type { Retry } from './retries.repository.ts';
import type { RunRow } from './runs.repository.ts';
import type { RunItem, RunRequest } from './tables.ts';
import type { TaskRow } from './task-list.repository.ts';

export type RunSummary = Static<typeof RunSummaryResponse>;
export type TaskView = Static<typeof RunDetailsResponse>['results'][number] & {
  /** Sequence number of the last change, only for the event stream. The response schemas omit it. */
  changeNumber: number;
  /** Only for plugin actions, which may have no `watch`. The schemas of runs omit it. */
  pages: PageCounts;
};

type PageCounts = { pages_compared?: number; pages_planned?: number };

/** A run with a task in one of these statuses is not successful. */
const UNSUCCESSFUL_STATUSES = TASK_STATUSES.filter(
  (status) => !['queued', 'running', 'succeeded'].includes(status),
);

/** `bot_of`: the user of the access token that created the run. */
type Creator = { created_by: number | null; bot_of: number | null };

/**
 * Owners, the creator of a run and the user of its access token view the whole run, and can cancel and retry it. Other
 * users view only the tasks on their sites.
 */
export function isOwnRun(user: CurrentUser, { created_by, bot_of }: Creator): boolean {
  return user.role === 'owner' || created_by === user.id || bot_of === user.id;
}

/**
 * Returns the id of the newest retry: a repeated request gets the run that the first one created, also if earlier runs
 * had retried some of its sites. Throws if the user cannot view that run.
 */
export function getNewestRetryId(user: CurrentUser, retries: Retry[]): number {
  const newest = retries.toSorted((a, b) => b.run_id - a.run_id)[0];
  if (!newest || !isOwnRun(user, newest)) throw new AppError('run_already_retried');
  return newest.run_id;
}

export async function toRunView(db: Database, user: CurrentUser, run: RunRow): Promise<RunSummary> {
  return createRunView(user, run, await listItemNames(db, user, listNamedItems(run)));
}

/** Reads the names of the items of all runs with one query. */
export async function toRunViews(
  db: Database,
  user: CurrentUser,
  runs: RunRow[],
): Promise<RunSummary[]> {
  const names = await listItemNames(db, user, runs.flatMap(listNamedItems));
  return runs.map((run) => createRunView(user, run, names));
}

function listNamedItems(run: RunRow): ItemKey[] {
  const { plugin, items = [] } = shownRequest(run);
  return plugin === undefined ? items : [{ type: 'plugin', slug: plugin }, ...items];
}

/** In the run of another user, an update names only the items of the visible tasks. */
function shownRequest({ is_own, kind, request, shared_items }: RunRow): RunSummary['request'] {
  if (is_own || kind !== 'update') return shortenItems(request);
  return shortenItems(request.items && shared_items ? { items: shared_items } : {});
}

function createRunView(user: CurrentUser, run: RunRow, names: ItemName[]): RunSummary {
  const shown = new Set(listNamedItems(run).map(toKey));
  const requested = (run.request.items ?? []).filter((item) => shown.has(toKey(item)));
  return {
    run_id: run.id,
    kind: run.kind,
    request: shownRequest(run),
    site: run.site,
    item_names: [
      ...requested.slice(0, SHOWN_ITEMS_MAX).flatMap(toRequestedName),
      ...names.filter((item) => shown.has(toKey(item))),
    ],
    status: run.ends_at ? 'finished' : 'running',
    success: UNSUCCESSFUL_STATUSES.every((status) => !run.counts[status]),
    counts: run.counts,
    ...(run.verifying > 0 && { verifying: run.verifying }),
    is_retried: run.retry_id !== null && !run.has_sites_to_retry,
    retried_by: isOwnRun(user, { created_by: run.retry_created_by, bot_of: run.retry_bot_of })
      ? run.retry_id
      : null,
    ...(run.is_own ? describeOwnRun(run) : describeSharedRun(run)),
    created_at: run.created_at.toISOString(),
    finished_at: run.ends_at?.toISOString() ?? null,
  };
}

function describeOwnRun(run: RunRow) {
  const { token } = run.origin as AuditOrigin;
  return {
    total: run.total,
    created_by: run.bot_of ?? run.created_by,
    ...(token && { token_name: token.name }),
    ...(run.schedule_name !== null && {
      schedule: { schedule_id: run.schedule_id ?? 0, name: run.schedule_name },
    }),
    retry_of: run.retry_of,
    rollout: run.rollout,
    cancelled_at: run.cancelled_at?.toISOString() ?? null,
  };
}

/** Leaves out what is about the other sites of the run, also names that a user gave to a schedule or a rollout. */
function describeSharedRun({ counts, created_by, bot_of, cancelled_at }: RunRow) {
  return {
    total: Object.values(counts).reduce((sum, tasks) => sum + tasks, 0),
    created_by: bot_of ?? created_by,
    only_your_sites: true as const,
    retry_of: null,
    rollout: null,
    cancelled_at: (counts.cancelled && cancelled_at?.toISOString()) || null,
  };
}

/** The request has a name only for uploaded packages and for the items of rollouts. */
const toRequestedName = ({ type, slug, name }: RunItem): ItemName[] =>
  name === undefined ? [] : [{ type, slug, name }];

const toKey = ({ type, slug }: ItemKey) => `${type} ${slug}`;

const SHOWN_ITEMS_MAX = 20;

/** Keeps only the first items: a run can have thousands of items, and a page can have two hundred runs. */
export function shortenItems({ items, ...request }: RunRequest): RunSummary['request'] {
  if (!items) return request;
  return { ...request, items: items.slice(0, SHOWN_ITEMS_MAX), items_total: items.length };
}

/** What other tables know of the tasks: the retries by site, and the watches by task. */
export type TaskContext = {
  retried: ReadonlyMap<number, Retry>;
  watches: ReadonlyMap<number, Watch>;
};

const NO_CONTEXT: TaskContext = { retried: new Map(), watches: new Map() };

export function toTaskView(
  user: CurrentUser,
  task: TaskRow,
  { retried, watches }: TaskContext,
): TaskView {
  const retry = retried.get(task.site_id);
  const watch = watches.get(task.id);
  return {
    task_id: task.id,
    site_id: task.site_id,
    site_url: task.site_url,
    site_name: task.site_name,
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
    items: task.items,
    held: task.held,
    is_retried: retry !== undefined,
    retried_by: retry && isOwnRun(user, retry) ? retry.run_id : null,
    ...(task.status === 'queued' &&
      task.window_opens_at && { window_opens_at: new Date(task.window_opens_at).toISOString() }),
    ...(watch && { watch: { ...watch, ...toPageCounts(task) } }),
    started_at: task.started_at?.toISOString() ?? null,
    finished_at: task.finished_at?.toISOString() ?? null,
    changeNumber: task.change,
    pages: toPageCounts(task),
  };
}

function toPageCounts({ pages_compared, pages_planned }: TaskRow): PageCounts {
  return {
    ...(pages_compared !== null && { pages_compared }),
    ...(pages_planned !== null && { pages_planned }),
  };
}

/**
 * Hides a site that the user may not see: the task looks the same as one for a site that does not exist,
 * which is refused when the run is created.
 */
export function toHiddenTaskView(user: CurrentUser, task: TaskRow, run: RunRow): TaskView {
  const { status, code, error } = refusedResult('site_not_found');
  const none = { updated: 0, failed: 0 };
  const counts = { plugins: none, themes: none, core: none };
  const hidden = {
    site_url: null,
    site_name: null,
    http_status: null,
    details: null,
    items: null,
    held: null,
    notes: [],
    pages: {},
    started_at: null,
  };
  const finished_at = run.created_at.toISOString();
  return {
    ...toTaskView(user, { ...task, has_more_details: false, window_opens_at: null }, NO_CONTEXT),
    ...hidden,
    ...counts,
    status,
    code,
    error,
    finished_at,
  };
}
