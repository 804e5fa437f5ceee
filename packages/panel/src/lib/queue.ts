import { type RawBuilder, sql } from 'kysely';
import type pg from 'pg';
import { type Db, fromKysely, PgBoss } from 'pg-boss';
import type { Database, Trx } from '../database/tables.ts';
import type { Logger } from './logger.ts';

/** Work that survives whoever does it: jobs are rows, made in the transaction of what they are for. */
export type Queue = {
  add(trx: Trx, jobs: NewJob[]): Promise<void>;
  /** The next jobs, taken for this process; they come back if it is not heard of for a while. */
  take(count: number, only?: 'urgent'): Promise<Job[]>;
  /** Says that this process still has them, and gives the ids of those that nobody else has taken. */
  keep(jobs: TakenJob[]): Promise<Set<string>>;
  /** For another process to take, at once. */
  giveBack(jobs: TakenJob[]): Promise<void>;
  /** The ids of those that nobody else has taken since, nor can until the transaction ends. */
  stillTaken(trx: Trx, jobs: TakenJob[]): Promise<Set<string>>;
  finish(trx: Trx, jobIds: string[]): Promise<void>;
  /** Those of the tasks that have a job which is not over. */
  tasksWithJob(trx: Trx, taskIds: number[]): Promise<Set<number>>;
  close(): Promise<void>;
};

/** What is to be done, and on which host. Jobs of a higher priority go first. */
export type Job = TakenJob & NewJob;
export type NewJob = { taskId: number; host: string; priority: number };

/** A job keeps its id when it comes back; `taking` tells one taking of it from the next. */
export type TakenJob = { id: string; taking: number };

/** Jobs of this priority, or a higher one, can be taken apart from the others. */
export const URGENT = 1;

const NAME = 'site-tasks';
const SCHEMA = 'pgboss';
const JOBS = sql.table(`${SCHEMA}.job`);
/** Far more often than any job can come back. */
const RETRIES = 1_000_000;
const DAY_SECONDS = 24 * 60 * 60;

type Options = {
  db: Database;
  pool: pg.Pool;
  log: Logger;
  /** Whether this process looks for jobs whose worker has died. */
  supervises: boolean;
  /** A worker that sends no heartbeat for this time loses its jobs to another. */
  leaseSeconds: number;
};

export async function openQueue(options: Options): Promise<Queue> {
  const { db, pool, log, supervises, leaseSeconds } = options;
  const ofBoss: Db = {
    async executeSql(text, values) {
      // Several statements in one text have a result each.
      const results = [await pool.query(text, values)].flat();
      return { rows: results.flatMap(({ rows }) => rows) };
    },
  };
  const boss = new PgBoss({
    db: ofBoss,
    schema: SCHEMA,
    schedule: false,
    supervise: supervises,
    superviseIntervalSeconds: Math.ceil(leaseSeconds / 6),
    monitorIntervalSeconds: Math.ceil(leaseSeconds / 6),
  });
  // Some of its errors are plain objects.
  boss.on('error', ({ message }) => log.warn({ reason: message }, 'The queue had a fault.'));
  await boss.start();
  await boss.createQueue(NAME, {
    expireInSeconds: DAY_SECONDS - 1,
    retentionSeconds: 30 * DAY_SECONDS,
    deleteAfterSeconds: DAY_SECONDS,
    retryLimit: RETRIES,
    retryDelay: 0,
  });
  // An existing queue keeps the options it was created with.
  await boss.updateQueue(NAME, { heartbeatSeconds: leaseSeconds });

  return {
    async add(trx, jobs) {
      const rows = jobs.map((data) => ({ data, priority: data.priority }));
      await boss.insert(NAME, rows, { db: fromKysely(trx) });
    },
    async take(count, only) {
      const jobs = await boss.fetch<NewJob>(NAME, {
        batchSize: count,
        includeMetadata: true,
        ...(only === 'urgent' && { minPriority: URGENT }),
      });
      await leaseFor(
        db,
        jobs.map(({ id }) => id),
        leaseSeconds,
      );
      return jobs.map(({ id, retryCount, data }) => ({ id, taking: retryCount, ...data }));
    },
    async keep(jobs) {
      if (jobs.length === 0) return new Set();
      return db.transaction().execute(async (trx) => {
        // What is locked is about to be claimed or finished. To wait for it, with locks on all others,
        // could make for a circle of those who wait; and there will be another time in a moment.
        const ids = await lockTaken(trx, jobs, { isPatient: false });
        if (ids.length > 0) await boss.touch(NAME, ids, { db: fromKysely(trx) });
        return new Set(ids);
      });
    },
    async giveBack(jobs) {
      if (jobs.length === 0) return;
      await db.transaction().execute(async (trx) => {
        const ids = await lockTaken(trx, jobs);
        if (ids.length > 0) await boss.fail(NAME, ids, null, { db: fromKysely(trx) });
      });
    },
    async stillTaken(trx, jobs) {
      return new Set(await lockTaken(trx, jobs));
    },
    async finish(trx, jobIds) {
      if (jobIds.length > 0) await boss.complete(NAME, jobIds, null, { db: fromKysely(trx) });
    },
    async tasksWithJob(trx, taskIds) {
      const { rows } = await sql<{ task_id: number }>`
        SELECT (data->>'taskId')::bigint AS task_id
        FROM ${JOBS}
        WHERE name = ${NAME} AND state < 'completed'
          AND (data->>'taskId')::bigint = ANY(${taskIds}::bigint[])`.execute(trx);
      return new Set(rows.map(({ task_id }) => task_id));
    },
    close: () => boss.stop({ graceful: false, close: false }),
  };
}

/** A job was queued with the lease of another process, perhaps before the setting was changed. */
async function leaseFor(db: Database, ids: string[], leaseSeconds: number): Promise<void> {
  if (ids.length === 0) return;
  await sql`
    UPDATE ${JOBS} SET heartbeat_seconds = ${leaseSeconds}
    WHERE name = ${NAME} AND id = ANY(${ids}::uuid[]) AND heartbeat_seconds <> ${leaseSeconds}`.execute(
    db,
  );
}

/**
 * For a statement that must do nothing for a job which another process has, or could have in a moment:
 * half of the lease is left.
 * Looked up job by job (which is what OFFSET is for): statistics of a queue are always out of date.
 */
export function isSurelyHeld(id: RawBuilder<string>, taking: RawBuilder<number>) {
  return sql<boolean>`EXISTS (
    SELECT FROM ${JOBS} j
    WHERE j.name = ${NAME} AND j.id = ${id} AND j.retry_count = ${taking} AND j.state = 'active'
      AND j.heartbeat_on > now() - j.heartbeat_seconds / 2.0 * interval '1 second'
    OFFSET 0)`;
}

/** pg-boss knows a job by its id alone, and counts how often it was taken. In the order of the ids. */
async function lockTaken(trx: Trx, jobs: TakenJob[], { isPatient = true } = {}): Promise<string[]> {
  const ids = jobs.map(({ id }) => id);
  const { rows } = await sql<{ id: string }>`
    SELECT j.id
    FROM ${JOBS} j
    JOIN unnest(${ids}::uuid[], ${jobs.map(({ taking }) => taking)}::integer[])
      AS ours (id, taking) ON j.id = ours.id AND j.retry_count = ours.taking
    -- The ids once more, for the index: a join alone is planned as if there were only few jobs.
    WHERE j.name = ${NAME} AND j.id = ANY(${ids}::uuid[]) AND j.state = 'active'
    ORDER BY j.id
    FOR UPDATE OF j ${isPatient ? sql`` : sql`SKIP LOCKED`}`.execute(trx);
  return rows.map(({ id }) => id);
}
