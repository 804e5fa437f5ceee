import { type RawBuilder, type Selectable, sql } from 'kysely';
import type { Database, Tables, TaskStatus } from '../../platform/database/tables.ts';
import { isVisibleTo, type Viewer } from '../site-access/index.ts';
import { DETAILS_TOO_LARGE } from './outcome/stored-details.ts';

/** Sorted by position in the run, or by latest change. */
export type TaskPage = {
  by: 'position' | 'change';
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
  'started_at',
  'finished_at',
  'change',
] as const;

export type TaskRow = Pick<
  Selectable<Tables['run_tasks']>,
  (typeof COLUMNS)[number] | 'details'
> & {
  /** The task has details that did not fit on the page. */
  has_more_details: boolean;
};

/** For the details of all tasks on a page, which holds up to ten thousand tasks. */
const PAGE_DETAILS_MAX_BYTES = 4 * 1024 * 1024;
/** Above the current storage limit: rows stored before that limit may have megabytes. */
const SHOWN_DETAILS_MAX_BYTES = 256 * 1024;

/**
 * `#> '{}'` decompresses the value: measuring its text would take ten times as long. Values that are
 * too large even compressed are not decompressed.
 */
const BYTES = sql`CASE WHEN pg_column_size(details) <= ${SHOWN_DETAILS_MAX_BYTES}
  THEN pg_column_size(details #> '{}') ELSE ${SHOWN_DETAILS_MAX_BYTES} + 1 END`;

export async function listTasks(
  db: Database,
  user: Viewer,
  runId: number,
  { by, after, limit, status }: TaskPage,
): Promise<TaskRow[]> {
  const order = sql.ref(by);
  const inStatus = status ? sql`AND ${visibleStatus(user)} = ${status}` : sql``;
  return readTasks(
    db,
    sql`SELECT *, ${order} AS place FROM run_tasks
      WHERE run_id = ${runId} AND ${order} > ${after} ${inStatus} ORDER BY ${order} LIMIT ${limit}`,
  );
}

/** Reads one task with its details. */
export async function findTask(
  db: Database,
  runId: number,
  taskId: number,
): Promise<TaskRow | undefined> {
  const task = sql`SELECT *, 0 AS place FROM run_tasks WHERE run_id = ${runId} AND id = ${taskId}`;
  const [found] = await readTasks(db, task);
  return found;
}

async function readTasks(db: Database, tasks: ReturnType<typeof sql>): Promise<TaskRow[]> {
  const columns = sql.join(COLUMNS.map((column) => sql.ref(column)));
  const { rows } = await sql<TaskRow>`
    SELECT ${columns}, details IS NOT NULL AND is_shown AND NOT fits AS has_more_details,
      CASE WHEN NOT is_shown THEN ${JSON.stringify(DETAILS_TOO_LARGE)}::jsonb
        WHEN fits THEN details END AS details
    FROM (
      SELECT *, bytes <= ${SHOWN_DETAILS_MAX_BYTES} AS is_shown,
        sum(bytes) FILTER (WHERE bytes <= ${SHOWN_DETAILS_MAX_BYTES}) OVER (ORDER BY place)
          <= ${PAGE_DETAILS_MAX_BYTES} AS fits
      FROM (SELECT *, CASE WHEN details IS NULL THEN 0 ELSE ${BYTES} END AS bytes
        FROM (${tasks}) AS page) AS sized
    ) AS summed
    ORDER BY place`.execute(db);
  return rows;
}

/** Tasks on sites that the user can no longer access appear as refused. */
export function visibleStatus(user: Viewer): RawBuilder<TaskStatus> {
  if (user.role === 'owner') return sql`run_tasks.status`;
  return sql`CASE WHEN run_tasks.site_id IN (SELECT s.id FROM sites s WHERE ${isVisibleTo(user, 's')})
    THEN run_tasks.status ELSE 'refused' END`;
}
