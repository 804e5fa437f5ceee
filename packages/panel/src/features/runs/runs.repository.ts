import { type Insertable, type RawBuilder, type Selectable, sql } from 'kysely';
import type { Database, Tables, TaskStatus, Trx } from '../../database/tables.ts';
import type { TaskToQueue } from './jobs.ts';
import type { RunStatus } from './run-view.ts';

export type NewTask = {
  position: number;
  site_id: number;
  site_url: string | null;
  status: 'queued' | 'refused';
  code: string | null;
  error: string | null;
};

export type KnownSite = { id: number; url: string };

/** Watched by whoever waits for a run, and by workers without work. */
export const RUN_CHANNEL = 'steward_runs';

export async function findSites(trx: Database, ids: number[]): Promise<Map<number, KnownSite>> {
  const rows = await trx
    .selectFrom('sites')
    .select(['id', 'url'])
    .where('id', '=', sql<number>`ANY(${ids}::bigint[])`)
    .execute();
  return new Map(rows.map((row) => [row.id, row]));
}

export async function insertRun(trx: Trx, run: Insertable<Tables['runs']>): Promise<number> {
  const row = await trx.insertInto('runs').values(run).returning('id').executeTakeFirstOrThrow();
  return row.id;
}

/** Ten thousand tasks are one short statement. */
export async function insertTasks(
  trx: Trx,
  runId: number,
  tasks: NewTask[],
  now: Date,
): Promise<void> {
  const column = <Name extends keyof NewTask>(name: Name) => tasks.map((task) => task[name]);
  await sql`
    INSERT INTO run_tasks (run_id, position, site_id, site_url, status, code, error, finished_at)
    SELECT ${runId}, task.*, CASE WHEN task.status = 'refused' THEN ${now}::timestamptz END
    FROM unnest(${column('position')}::integer[], ${column('site_id')}::bigint[],
      ${column('site_url')}::text[], ${column('status')}::text[], ${column('code')}::text[],
      ${column('error')}::text[]) AS task (position, site_id, site_url, status, code, error)`.execute(
    trx,
  );
}

/** Of one run, or of all. */
export function unfinishedTasks(db: Database, runId?: number): Promise<TaskToQueue[]> {
  const tasks = db
    .selectFrom('run_tasks as t')
    .innerJoin('runs as r', 'r.id', 't.run_id')
    .leftJoin('sites as s', 's.id', 't.site_id')
    .select(['t.id', 't.run_id', 't.site_id', 't.attempt', 't.called_at', 'r.kind', 's.address'])
    .select(sql<string>`coalesce(t.site_url, '')`.as('site_url'))
    .where('t.finished_at', 'is', null)
    .orderBy('t.id');
  return (runId === undefined ? tasks : tasks.where('t.run_id', '=', runId)).execute();
}

/**
 * Every transaction that changes tasks locks their runs first, in the order of their ids. Its commit
 * notifies the processes that follow them.
 */
export async function lockRuns(trx: Trx, ids: number[]) {
  return trx
    .selectFrom('runs')
    .selectAll()
    .select(sql`pg_notify(${RUN_CHANNEL}, id::text)`.as('notified'))
    .where('id', '=', sql<number>`ANY(${ids}::bigint[])`)
    .orderBy('id')
    .forUpdate()
    .execute();
}

export async function countDown(trx: Trx, runId: number, by: number, now: Date): Promise<void> {
  if (by === 0) return;
  await trx
    .updateTable('runs')
    .set({
      open_tasks: sql`open_tasks - ${by}`,
      finished_at: sql`CASE WHEN open_tasks = ${by} THEN ${now}::timestamptz ELSE finished_at END`,
    })
    .where('id', '=', runId)
    .execute();
}

/** What no site was called for ends here. */
export function cancelUncalled(
  trx: Trx,
  runId: number,
  now: Date,
): Promise<{ id: number; site_id: number; attempt: number }[]> {
  return trx
    .updateTable('run_tasks')
    .set({
      status: 'cancelled',
      finished_at: now,
      change: sql<number>`nextval('run_changes')`,
    })
    .where('run_id', '=', runId)
    .where('called_at', 'is', null)
    .where('finished_at', 'is', null)
    .returning(['id', 'site_id', 'attempt'])
    .execute();
}

export async function markCancelled(trx: Trx, runId: number, now: Date): Promise<void> {
  await trx.updateTable('runs').set({ cancelled_at: now }).where('id', '=', runId).execute();
}

export function findRun(db: Database, id: number) {
  return db.selectFrom('runs').selectAll().where('id', '=', id).executeTakeFirst();
}

export type RunRow = NonNullable<Awaited<ReturnType<typeof findRun>>>;

export type RetryRow = { id: number; retry_of: number; created_by: number | null };

/** The runs that have tried again what these left; of each the first. */
export async function findRetriesOf(db: Database, runIds: number[]): Promise<RetryRow[]> {
  const { rows } = await sql<RetryRow>`
    SELECT DISTINCT ON (retry_of) id, retry_of, created_by FROM runs
    WHERE retry_of = ANY(${runIds}::bigint[]) ORDER BY retry_of, id`.execute(db);
  return rows;
}

export type RunPage = {
  before: number | null;
  limit: number;
  /** Null: whatever it is. */
  status: RunStatus | null;
};

export async function listRuns(
  db: Database,
  { createdBy, before, limit, status }: RunPage & { createdBy: number | null },
): Promise<RunRow[]> {
  let query = db.selectFrom('runs').selectAll().orderBy('id', 'desc').limit(limit);
  if (createdBy !== null) query = query.where('created_by', '=', createdBy);
  if (before !== null) query = query.where('id', '<', before);
  if (status !== null) {
    query = query.where('finished_at', status === 'running' ? 'is' : 'is not', null);
  }
  return query.execute();
}

export async function countByStatus(
  db: Database,
  runIds: number[],
): Promise<{ run_id: number; status: TaskStatus; count: number }[]> {
  // Ended tasks by an index, which is written once for each; rows carry what a site has answered.
  const count = (isOver: RawBuilder<unknown>) => sql`
    SELECT run_id, status, count(*) AS count FROM run_tasks
    WHERE run_id = ANY(${runIds}::bigint[]) AND finished_at IS ${isOver} GROUP BY run_id, status`;
  const { rows } = await sql<{ run_id: number; status: TaskStatus; count: number }>`
    SELECT run_id, status, sum(count)::bigint AS count
    FROM (${count(sql`NOT NULL`)} UNION ALL ${count(sql`NULL`)}) AS counted
    GROUP BY run_id, status`.execute(db);
  return rows;
}

const VIEWED = [
  'id',
  'position',
  'site_id',
  'site_url',
  'status',
  'http_status',
  'code',
  'error',
  'details',
  'plugins_updated',
  'plugins_failed',
  'themes_updated',
  'themes_failed',
  'core_updated',
  'core_failed',
  'started_at',
  'finished_at',
  'change',
] as const;

export type TaskRow = Pick<Selectable<Tables['run_tasks']>, (typeof VIEWED)[number]>;

export function listTasks(
  db: Database,
  runId: number,
  { after, limit, status }: { after: number; limit: number; status: TaskStatus | null },
): Promise<TaskRow[]> {
  let query = db
    .selectFrom('run_tasks')
    .select(VIEWED)
    .where('run_id', '=', runId)
    .where('position', '>', after)
    .orderBy('position')
    .limit(limit);
  if (status !== null) query = query.where('status', '=', status);
  return query.execute();
}

export function listChanges(
  db: Database,
  runId: number,
  { after, limit }: { after: number; limit: number },
): Promise<TaskRow[]> {
  return db
    .selectFrom('run_tasks')
    .select(VIEWED)
    .where('run_id', '=', runId)
    .where('change', '>', after)
    .orderBy('change')
    .limit(limit)
    .execute();
}

export async function sitesToRetry(db: Database, runId: number): Promise<number[]> {
  const rows = await db
    .selectFrom('run_tasks')
    .select('site_id')
    .where('run_id', '=', runId)
    .where((task) =>
      task.or([
        task('status', 'in', ['failed', 'partial', 'unknown', 'cancelled']),
        // Its license may be valid again by now; a site that was not the asker's never is.
        task('code', '=', 'site_not_active'),
      ]),
    )
    .orderBy('position')
    .execute();
  return rows.map(({ site_id }) => site_id);
}
