import type pg from 'pg';
import { type Db, fromKysely, PgBoss } from 'pg-boss';
import type { Trx } from '../database/tables.ts';
import type { Logger } from './logger.ts';

/** Work that survives whoever does it: jobs are rows, made in the transaction of what they are for. */
export type Queue = {
  add(trx: Trx, jobs: NewJob[]): Promise<void>;
  /** The next jobs, taken for this process; they come back if it is not heard of for a while. */
  take(count: number): Promise<Job[]>;
  /** Says that this process still has them. */
  keep(jobIds: string[]): Promise<void>;
  /** For another process to take, at once. */
  giveBack(jobIds: string[]): Promise<void>;
  finish(trx: Trx, jobIds: string[]): Promise<void>;
  close(): Promise<void>;
};

/** What is to be done, and on which host. Jobs of a higher priority go first. */
export type Job = { id: string; taskId: number; host: string; priority: number };
export type NewJob = Omit<Job, 'id'>;

const NAME = 'site-tasks';
const SCHEMA = 'pgboss';
/** How long a process may be silent before its jobs are given to another. */
const SILENCE_SECONDS = 30;
const LOOK_FOR_SILENCE_SECONDS = 5;
/** Far more often than any job can come back. */
const RETRIES = 1_000_000;
const DAY_SECONDS = 24 * 60 * 60;

type Options = {
  pool: pg.Pool;
  log: Logger;
  /** Whether this process looks for jobs whose worker has died. */
  supervises: boolean;
};

export async function openQueue({ pool, log, supervises }: Options): Promise<Queue> {
  const db: Db = {
    async executeSql(text, values) {
      // Several statements in one text have a result each.
      const results = [await pool.query(text, values)].flat();
      return { rows: results.flatMap(({ rows }) => rows) };
    },
  };
  const boss = new PgBoss({
    db,
    schema: SCHEMA,
    schedule: false,
    supervise: supervises,
    superviseIntervalSeconds: LOOK_FOR_SILENCE_SECONDS,
    monitorIntervalSeconds: LOOK_FOR_SILENCE_SECONDS,
  });
  boss.on('error', (error) => log.warn({ reason: String(error) }, 'The queue had a fault.'));
  await boss.start();
  await boss.createQueue(NAME, {
    heartbeatSeconds: SILENCE_SECONDS,
    expireInSeconds: DAY_SECONDS - 1,
    retentionSeconds: 30 * DAY_SECONDS,
    deleteAfterSeconds: DAY_SECONDS,
    retryLimit: RETRIES,
    retryDelay: 0,
  });

  return {
    async add(trx, jobs) {
      const rows = jobs.map((data) => ({ data, priority: data.priority }));
      await boss.insert(NAME, rows, { db: fromKysely(trx) });
    },
    async take(count) {
      const jobs = await boss.fetch<Omit<Job, 'id'>>(NAME, { batchSize: count });
      return jobs.map(({ id, data }) => ({ id, ...data }));
    },
    async keep(jobIds) {
      if (jobIds.length > 0) await boss.touch(NAME, jobIds);
    },
    async giveBack(jobIds) {
      if (jobIds.length > 0) await boss.fail(NAME, jobIds);
    },
    async finish(trx, jobIds) {
      if (jobIds.length > 0) await boss.complete(NAME, jobIds, null, { db: fromKysely(trx) });
    },
    close: () => boss.stop({ graceful: false, close: false }),
  };
}
