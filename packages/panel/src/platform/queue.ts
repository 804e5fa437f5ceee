import type pg from 'pg';
import {
  type Db,
  fromKysely,
  type JobInsert,
  type JobWithMetadata,
  PgBoss,
  type WorkOptions,
} from 'pg-boss';
import type { Trx } from './database/tables.ts';
import type { Logger } from './logger.ts';
import type { Notifications } from './notifications.ts';

/**
 * Jobs of one `singletonKey` are done one at a time, jobs of one group a few at a time, in all
 * processes together. The highest priority goes first.
 */
export type NewJob<Data> = Pick<JobInsert, 'startAfter'> &
  Required<Pick<JobInsert<Data>, 'id' | 'data' | 'priority' | 'singletonKey' | 'group'>>;

/** With a `retryCount`, another process had the job before, and may still be working on it. */
export type TakenJob<Data> = JobWithMetadata<Data> & {
  singletonKey: string;
  groupId: string;
  heartbeatSeconds: number;
};

type QueueOptions = {
  pool: pg.Pool;
  notifications: Notifications;
  log: Logger;
  /** Whether this process looks for jobs whose process has died. */
  supervises: boolean;
  leaseSeconds: number;
  /** How often an idle worker looks for jobs that were delayed; of others it is notified. */
  pollSeconds?: number;
};

const NAME = 'site-calls';
/** Had another policy, which a queue keeps for good. Workers add the jobs again that were in it. */
const FORMER_NAME = 'site-tasks';
const POLL_SECONDS = 2;
const DAY_SECONDS = 24 * 60 * 60;

export type Queue<Data extends object> = Awaited<ReturnType<typeof openQueue<Data>>>;

/**
 * pg-boss, with one queue. It hands out jobs, keeps a lease on each while its handler runs, and hands a
 * job out again when the process that had it is not heard of for that long.
 */
export async function openQueue<Data extends object>(options: QueueOptions) {
  const { log, supervises, leaseSeconds, pollSeconds = POLL_SECONDS } = options;
  const boss = new PgBoss({
    db: databaseOf(options),
    // The owner of the tables has made them.
    migrate: false,
    useListenNotify: supervises,
    schedule: false,
    supervise: supervises,
    superviseIntervalSeconds: 1,
    // How many jobs are ready decides whether a worker takes the next at once or at its next poll.
    monitorIntervalSeconds: 1,
    queueCacheIntervalSeconds: supervises ? 1 : 60,
    // Finished jobs are of no use, and counting goes through them.
    maintenanceIntervalSeconds: 60,
  });
  // Some of its errors are plain objects.
  boss.on('error', ({ message }) => log.warn({ reason: message }, 'The queue reported an error.'));
  boss.on('warning', ({ message }) => log.info({ reason: message }, 'The queue gave a warning.'));
  await boss.start();
  await boss.deleteQueue(FORMER_NAME);
  await boss.createQueue(NAME, {
    policy: 'singleton',
    notify: true,
    expireInSeconds: DAY_SECONDS - 1,
    retentionSeconds: 30 * DAY_SECONDS,
    deleteAfterSeconds: 60,
    heartbeatSeconds: leaseSeconds,
    retryLimit: 1000,
    retryDelay: 1,
  });
  // An existing queue keeps the options it was created with. The lease is that of the workers.
  if (supervises) await boss.updateQueue(NAME, { heartbeatSeconds: leaseSeconds });

  return {
    /** Adds jobs with the transaction. A job whose id exists is left as it is. */
    async add(trx: Trx, jobs: NewJob<Data>[]): Promise<void> {
      await boss.insert(NAME, jobs, { db: fromKysely(trx) });
    },

    /** Ends a job and adds the one that goes on from it. */
    async replace(trx: Trx, { id }: { id: string }, next: NewJob<Data>): Promise<void> {
      const db = fromKysely(trx);
      await boss.complete(NAME, id, null, { db });
      await boss.insert(NAME, [next], { db });
    },

    /** Takes jobs out of the queue. */
    async cancel(trx: Trx, ids: string[]): Promise<void> {
      if (ids.length > 0) await boss.cancel(NAME, ids, { db: fromKysely(trx) });
    },

    /** Calls the handler for one job after another, `localConcurrency` of them at a time. */
    async work(options: WorkOptions, handler: (job: TakenJob<Data>) => Promise<void>) {
      const polling = {
        burstWhenReadyExceeds: 1,
        pollingIntervalSeconds: pollSeconds,
        notifyPollingIntervalSeconds: pollSeconds,
      };
      const all = { ...polling, ...options, includeMetadata: true };
      await boss.work<Data>(NAME, all, async ([job]) => {
        try {
          await handler(job as TakenJob<Data>);
        } catch (err) {
          // pg-boss keeps the error with its job, where no operator sees it.
          log.error({ err }, 'A job ended with an unexpected error. It is tried again.');
          throw err;
        }
      });
    },

    /** Takes no more jobs. Resolves when all handlers have ended. */
    stopWorking: () => boss.offWork(NAME, { wait: true }),

    close: () => boss.stop({ graceful: false, close: false }),
  };
}

/** The names of pg-boss's statements. There are about a dozen. */
const names = new Map<string, string>();

function nameOf(text: string): string {
  const name = names.get(text) ?? `pgboss ${names.size + 1}`;
  names.set(text, name);
  return name;
}

function databaseOf({ pool, notifications }: Pick<QueueOptions, 'pool' | 'notifications'>): Db {
  return {
    async executeSql(text, values = []) {
      // Prepared, if it has values: to parse and plan a fetch takes longer than the fetch.
      const result = await pool.query(
        values.length > 0 ? { name: nameOf(text), text, values } : text,
      );
      // Several statements in one text have a result each.
      return { rows: [result].flat().flatMap(({ rows }) => rows) };
    },
    async listen(channel, onNotification, onReconnect) {
      const news = await notifications.listen(channel);
      const stop = news.on((payload) => (payload ? onNotification(payload) : onReconnect()));
      return { close: async () => stop() };
    },
  };
}
