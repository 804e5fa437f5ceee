import { type RawBuilder, type Selectable, type SqlBool, sql } from 'kysely';
import type { Database } from '../../platform/database/handles.ts';
import { type CurrentUser, isVisibleTo } from '../site-access/index.ts';
import { DETAILS_TOO_LARGE } from './outcome/stored-details.ts';
import type { RunTables, TaskStatus } from './tables.ts';

/** `is_own`: the user is an owner, or the user or one of the user's access tokens started the run. */
export type ListedRun = { id: number; is_own: boolean };

export type TaskPage = {
  /** The task's position in the run, or the sequence number of the task's last change. */
  sortBy: 'position' | 'change';
  /** Only tasks above this value of the sort column. */
  after: number;
  limit: number;
  status?: TaskStatus | undefined;
};

const COLUMNS = [
  'id',
  'site_id',
  'site_url',
  'status',
  'http_status',
  'code',
  'error',
  'plugins_updated',
  'plugins_failed',
  'themes_updated',
  'themes_failed',
  'core_updated',
  'core_failed',
  'notes',
  'items',
  'held',
  'pages_compared',
  'pages_planned',
  'window_opens_at',
  'started_at',
  'finished_at',
  'change',
] as const;

export type TaskRow = Pick<
  Selectable<RunTables['run_tasks']>,
  (typeof COLUMNS)[number] | 'details'
> & {
  /** Null if the run was started with a site that the user could not see. */
  site_name: string | null;
  /** True if the details were left out because the page reached `PAGE_DETAILS_MAX_BYTES`. */
  has_more_details: boolean;
};

/** The current name of the site; of a deleted site, its address. */
const SITE_NAME = sql`CASE WHEN site_url IS NOT NULL THEN coalesce(
  (SELECT site_label(s.display_name, s.url) FROM sites s WHERE s.id = site_id), site_label(NULL, site_url)) END`;

/** Limit for the details of all tasks on a page, which has up to ten thousand tasks. */
const PAGE_DETAILS_MAX_BYTES = 4 * 1024 * 1024;
/** Limit for the details of one task. Rows stored before `DETAILS_MAX_BYTES` existed may have megabytes. */
const TASK_DETAILS_MAX_BYTES = 256 * 1024;

/**
 * The size of the details. `#> '{}'` decompresses the value; this is ten times faster than measuring
 * `details::text`. Values that are too large even in compressed form are not decompressed.
 */
const DETAILS_BYTES = sql`CASE WHEN pg_column_size(details) <= ${TASK_DETAILS_MAX_BYTES}
  THEN pg_column_size(details #> '{}') ELSE ${TASK_DETAILS_MAX_BYTES} + 1 END`;

export async function listTasks(
  db: Database,
  user: CurrentUser,
  run: ListedRun,
  { sortBy, after, limit, status }: TaskPage,
): Promise<TaskRow[]> {
  const statusFilter = status ? sql`AND ${visibleStatus(user)} = ${status}` : sql``;
  return readTasks(
    db,
    sql`SELECT * FROM (SELECT *, ${sortValue(run, sortBy)} AS sort_value FROM run_tasks
        WHERE run_id = ${run.id} AND ${isListed(user, run)}) AS run_tasks
      WHERE sort_value > ${after} ${statusFilter} ORDER BY sort_value LIMIT ${limit}`,
  );
}

/** Positions in the run of another user would reveal how many sites it has. */
const sortValue = ({ is_own }: ListedRun, sortBy: TaskPage['sortBy']) =>
  is_own || sortBy === 'change' ? sql.ref(sortBy) : sql`row_number() OVER (ORDER BY position) - 1`;

/** Reads one task with its details. */
export async function findTask(
  db: Database,
  user: CurrentUser,
  run: ListedRun,
  taskId: number,
): Promise<TaskRow | undefined> {
  const task = sql`SELECT *, 0 AS sort_value FROM run_tasks
    WHERE run_id = ${run.id} AND id = ${taskId} AND ${isListed(user, run)}`;
  const [found] = await readTasks(db, task);
  return found;
}

async function readTasks(db: Database, tasks: ReturnType<typeof sql>): Promise<TaskRow[]> {
  const columns = sql.join(COLUMNS.map((column) => sql.ref(column)));
  const { rows } = await sql<TaskRow>`
    SELECT ${columns}, ${SITE_NAME} AS site_name, details IS NOT NULL AND within_task_limit AND NOT within_page_limit AS has_more_details,
      CASE WHEN NOT within_task_limit THEN ${JSON.stringify(DETAILS_TOO_LARGE)}::jsonb
        WHEN within_page_limit THEN details END AS details
    FROM (
      SELECT *, bytes <= ${TASK_DETAILS_MAX_BYTES} AS within_task_limit,
        sum(bytes) FILTER (WHERE bytes <= ${TASK_DETAILS_MAX_BYTES}) OVER (ORDER BY sort_value)
          <= ${PAGE_DETAILS_MAX_BYTES} AS within_page_limit
      FROM (SELECT *, CASE WHEN details IS NULL THEN 0 ELSE ${DETAILS_BYTES} END AS bytes
        FROM (${tasks}) AS page) AS sized
    ) AS summed
    ORDER BY sort_value`.execute(db);
  return rows;
}

/** The task status for this user. Tasks on sites that the user can no longer access appear as refused. */
export function visibleStatus(user: CurrentUser): RawBuilder<TaskStatus> {
  if (user.role === 'owner') return sql`run_tasks.status`;
  return sql`CASE WHEN ${isTaskVisible(user)} THEN run_tasks.status ELSE 'refused' END`;
}

/** Whether the user may see the site of a task. Owners also see the tasks of removed sites. */
export function isTaskVisible(user: CurrentUser): RawBuilder<SqlBool> {
  if (user.role === 'owner') return sql`true`;
  return sql`run_tasks.site_id IN (SELECT s.id FROM sites s WHERE ${isVisibleTo(user, 's')})`;
}

/**
 * Whether a task is part of the run of another user for this user. A task without a URL is none: the other user named a
 * site without access to it.
 */
export function isTaskShared(user: CurrentUser): RawBuilder<SqlBool> {
  return sql`(run_tasks.site_url IS NOT NULL AND ${isTaskVisible(user)})`;
}

const isListed = (user: CurrentUser, { is_own }: ListedRun): RawBuilder<SqlBool> =>
  is_own ? sql`true` : isTaskShared(user);
