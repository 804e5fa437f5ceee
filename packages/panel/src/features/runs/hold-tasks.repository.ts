import { type SqlBool, sql } from 'kysely';
import type { Database, Trx } from '../../platform/database/handles.ts';
import type { CallWindow } from './call-window.ts';
import { tables } from './database.ts';

/** The same rule as `windowState`, for many tasks. The index `run_tasks_by_window` has these conditions. */
const isClosed = (now: Date) => sql<SqlBool>`(t.finished_at IS NULL AND t.dispatched_at IS NULL
  AND t.window_closes_at <= ${now})`;

/** Lists the schedules with tasks whose window closed before their call. */
export async function listSchedulesWithClosedWindows(db: Database, now: Date): Promise<number[]> {
  const { rows } = await sql<{ schedule_id: number }>`
    SELECT DISTINCT r.schedule_id FROM run_tasks t JOIN runs r ON r.id = t.run_id
    WHERE ${isClosed(now)} AND r.schedule_id IS NOT NULL ORDER BY 1`.execute(db);
  return rows.map(({ schedule_id }) => schedule_id);
}

/** Lists the tasks of the runs whose site was not called. `closedAt`: only those whose window has closed by then. */
export function listHoldableTasks(trx: Trx, runIds: number[], closedAt?: Date) {
  return tables(trx)
    .selectFrom('run_tasks as t')
    .select(['t.id', 't.site_id'])
    .where('t.run_id', '=', sql<number>`ANY(${runIds}::bigint[])`)
    .where('t.finished_at', 'is', null)
    .where('t.status', '=', 'queued')
    .$if(closedAt !== undefined, (query) => query.where(isClosed(closedAt as Date)))
    .execute();
}

/**
 * Gives tasks another window. The job of a task waits for the old window. If the new one opens earlier, a new attempt makes
 * the worker drop this job, and add one for the new window with the next search for lost jobs. The caller has locked the runs.
 */
export async function updateWindows(
  trx: Trx,
  tasks: (CallWindow & { id: number })[],
): Promise<void> {
  await sql`
    UPDATE run_tasks t SET window_opens_at = w.opens_at, window_closes_at = w.closes_at,
      attempt = CASE WHEN w.opens_at < t.window_opens_at THEN t.attempt + 1 ELSE t.attempt END,
      change = nextval('run_changes')
    FROM unnest(${tasks.map(({ id }) => id)}::bigint[],
      ${tasks.map(({ opensAt }) => opensAt)}::timestamptz[],
      ${tasks.map(({ closesAt }) => closesAt)}::timestamptz[]) AS w (id, opens_at, closes_at)
    WHERE t.id = w.id`.execute(trx);
}

/** Lists the sites that earlier starts of the schedule have not finished. */
export async function listUnfinishedSites(db: Database, scheduleId: number): Promise<Set<number>> {
  const tasks = await tables(db)
    .selectFrom('run_tasks as t')
    .innerJoin('runs as r', 'r.id', 't.run_id')
    .select('t.site_id')
    .where('r.schedule_id', '=', scheduleId)
    .where('r.finished_at', 'is', null)
    .where('t.finished_at', 'is', null)
    .execute();
  return new Set(tasks.map(({ site_id }) => site_id));
}
