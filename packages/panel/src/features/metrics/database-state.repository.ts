import { sql } from 'kysely';
import type { Database } from '../../platform/database/handles.ts';

/** The state of the whole panel. Every process reads the same numbers. */
export type DatabaseState = {
  runs: { kind: string; runs: number }[];
  tasks: { status: string; tasks: number; waiting: number; waiting_since: Date | null }[];
  jobs: { queue: string; state: string; jobs: number }[];
};

/** Reads only unfinished runs, tasks and jobs, so that the time does not grow with the history. */
export async function readDatabaseState(db: Database, now: Date): Promise<DatabaseState> {
  const runs = await sql<DatabaseState['runs'][number]>`
    SELECT kind, count(*) AS runs FROM runs WHERE finished_at IS NULL GROUP BY kind`.execute(db);
  // A task whose window has not opened waits by plan, so it is not part of the queue.
  const isWaiting = sql`t.status = 'queued'
    AND (t.window_opens_at IS NULL OR t.window_opens_at <= ${now}::timestamptz)`;
  const tasks = await sql<DatabaseState['tasks'][number]>`
    SELECT t.status, count(*) AS tasks, count(*) FILTER (WHERE ${isWaiting}) AS waiting,
      min(greatest(r.created_at, t.window_opens_at)) FILTER (WHERE ${isWaiting}) AS waiting_since
    FROM run_tasks t JOIN runs r ON r.id = t.run_id
    WHERE t.finished_at IS NULL GROUP BY t.status`.execute(db);
  // The counts that pg-boss stores with each queue are out of date while no worker runs.
  const jobs = await sql<DatabaseState['jobs'][number]>`
    SELECT name AS queue, count(*) AS jobs,
      CASE WHEN state = 'active' THEN 'active' WHEN start_after > now() THEN 'deferred'
        ELSE 'ready' END AS state
    FROM pgboss.job WHERE state IN ('created', 'retry', 'active') GROUP BY 1, 3`.execute(db);
  return { runs: runs.rows, tasks: tasks.rows, jobs: jobs.rows };
}
