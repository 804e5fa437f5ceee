import {
  fromKysely,
  type JobInsert,
  type JobWithMetadata,
  type PgBoss,
  type WorkOptions,
} from 'pg-boss';
import { DAY_SECONDS } from '../../platform/boss.ts';
import type { Trx } from '../../platform/database/handles.ts';
import type { Logger } from '../../platform/logger.ts';

/**
 * Across all processes, jobs with the same `singletonKey` run one at a time, and jobs of the same group a few
 * at a time. Jobs with a higher priority go first.
 */
export type NewJob<Data> = Pick<JobInsert, 'startAfter'> &
  Required<Pick<JobInsert<Data>, 'id' | 'data' | 'priority' | 'singletonKey' | 'group'>>;

/**
 * If `retryCount` > 0, the job was fetched before: its handler failed, or its lease ended and another process may still
 * be working on it.
 */
export type FetchedJob<Data> = JobWithMetadata<Data> & {
  singletonKey: string;
  groupId: string;
  heartbeatSeconds: number;
};

type QueueOptions = {
  boss: PgBoss;
  log: Logger;
  /** Whether this process runs jobs of this queue. */
  runsJobs: boolean;
  leaseSeconds: number;
  /** Interval at which an idle worker polls for delayed jobs. PostgreSQL announces all other jobs (`NOTIFY`). */
  pollSeconds?: number;
};

const QUEUE_NAME = 'site-calls';
/**
 * The queue of earlier versions, with another policy. The policy of a queue cannot change, so this queue is deleted with
 * its jobs. Workers create new jobs for all unfinished tasks.
 */
const FORMER_QUEUE_NAME = 'site-tasks';
const POLL_SECONDS = 2;
/** The handlers that poll at this interval. A hundred of them would use some percent of a core while nothing happens. */
const OFTEN_POLLING = 4;
/** All other handlers poll this many times more rarely, for delayed jobs that find the first ones busy. */
const RARE_POLLS = 5;

export type Queue<Data extends object> = Awaited<ReturnType<typeof openQueue<Data>>>;

/**
 * Opens the queue of calls to sites. pg-boss holds a lease on each job while its handler runs and renews the lease
 * by a heartbeat. After the end of the lease, another process gets the job.
 */
export async function openQueue<Data extends object>(options: QueueOptions) {
  const { boss, log, runsJobs, leaseSeconds, pollSeconds = POLL_SECONDS } = options;
  await boss.deleteQueue(FORMER_QUEUE_NAME);
  await boss.createQueue(QUEUE_NAME, {
    policy: 'singleton',
    notify: true,
    expireInSeconds: DAY_SECONDS - 1,
    retentionSeconds: 30 * DAY_SECONDS,
    deleteAfterSeconds: 60,
    heartbeatSeconds: leaseSeconds,
    retryLimit: 1000,
    retryDelay: 1,
  });
  // `createQueue` does not change an existing queue, so a worker sets its own lease.
  if (runsJobs) await boss.updateQueue(QUEUE_NAME, { heartbeatSeconds: leaseSeconds });

  return {
    /** Adds jobs within the transaction. Ignores a job whose id exists. */
    async add(trx: Trx, jobs: NewJob<Data>[]): Promise<void> {
      await boss.insert(QUEUE_NAME, jobs, { db: fromKysely(trx) });
    },

    /** Completes a job and adds its successor. */
    async replace(trx: Trx, { id }: { id: string }, next: NewJob<Data>): Promise<void> {
      const db = fromKysely(trx);
      await boss.complete(QUEUE_NAME, id, null, { db });
      await boss.insert(QUEUE_NAME, [next], { db });
    },

    /** Cancels jobs by id. */
    async cancel(trx: Trx, ids: string[]): Promise<void> {
      if (ids.length > 0) await boss.cancel(QUEUE_NAME, ids, { db: fromKysely(trx) });
    },

    /** Runs the handler for each job, `localConcurrency` at a time. */
    async work(
      { localConcurrency, ...options }: WorkOptions & { localConcurrency: number },
      handler: (job: FetchedJob<Data>) => Promise<void>,
    ) {
      const run = async ([job]: object[]) => {
        try {
          await handler(job as FetchedJob<Data>);
        } catch (err) {
          // pg-boss stores the error with the job, where no operator sees it.
          log.error({ err }, 'Unexpected error in a job; it will be retried.');
          throw err;
        }
      };
      const often = Math.min(OFTEN_POLLING, localConcurrency);
      for (const [handlers, seconds] of [
        [often, pollSeconds],
        [localConcurrency - often, pollSeconds * RARE_POLLS],
      ] as const) {
        if (handlers === 0) continue;
        const polling = {
          burstWhenReadyExceeds: 1,
          pollingIntervalSeconds: seconds,
          notifyPollingIntervalSeconds: seconds,
        };
        const limits = { localConcurrency: handlers, includeMetadata: true };
        await boss.work<Data>(QUEUE_NAME, { ...polling, ...options, ...limits }, run);
      }
    },

    /** Stops fetching jobs. Resolves when all handlers have finished. */
    stopWorking: () => boss.offWork(QUEUE_NAME, { wait: true }),
  };
}
