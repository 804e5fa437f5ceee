import { sql } from 'kysely';
import { fromKysely, type JobInsert, type PgBoss } from 'pg-boss';
import { DAY_SECONDS } from '../../platform/boss.ts';
import type { Channels } from '../../platform/channels.ts';
import type { Trx } from '../../platform/database/handles.ts';
import type { Logger } from '../../platform/logger.ts';
import { createDelayedWakes } from './delayed-wakes.ts';
import { type FetchedJob, type JobWorkerOptions, startJobWorker } from './job-worker.ts';

/**
 * Across all processes, jobs with the same `singletonKey` run one at a time, and jobs of the same group a few
 * at a time. Jobs with a higher priority go first.
 */
export type NewJob<Data> = Pick<JobInsert, 'startAfter'> &
  Required<Pick<JobInsert<Data>, 'id' | 'data' | 'priority' | 'singletonKey' | 'group'>>;

type QueueOptions = {
  boss: PgBoss;
  channels: Channels;
  log: Logger;
  /** Whether this process runs jobs of this queue. */
  runsJobs: boolean;
  leaseSeconds: number;
  /**
   * Interval at which an idle worker polls for delayed jobs of other processes. Notifications and timers announce all other
   * jobs.
   */
  pollSeconds?: number;
};

const QUEUE_NAME = 'site-calls';
/**
 * The queue of earlier versions, with another policy. The policy of a queue cannot change, so this queue is deleted with
 * its jobs. Workers create new jobs for all unfinished tasks.
 */
const FORMER_QUEUE_NAME = 'site-tasks';
const POLL_SECONDS = 2;
/** Announces new jobs to all workers. */
const NEW_JOBS_CHANNEL = 'steward_site_calls';

export type Queue<Data extends object> = Awaited<ReturnType<typeof openQueue<Data>>>;

/**
 * Opens the queue of calls to sites. pg-boss holds a lease on each job while its handler runs and renews the lease
 * by a heartbeat. After the end of the lease, another process gets the job.
 */
export async function openQueue<Data extends object>(options: QueueOptions) {
  const { boss, channels, log, runsJobs, leaseSeconds, pollSeconds = POLL_SECONDS } = options;
  await boss.deleteQueue(FORMER_QUEUE_NAME);
  await boss.createQueue(QUEUE_NAME, {
    policy: 'singleton',
    expireInSeconds: DAY_SECONDS - 1,
    retentionSeconds: 30 * DAY_SECONDS,
    deleteAfterSeconds: 60,
    heartbeatSeconds: leaseSeconds,
    retryLimit: 1000,
    retryDelay: 1,
  });
  // `createQueue` does not change an existing queue, so a worker sets its own lease.
  if (runsJobs) await boss.updateQueue(QUEUE_NAME, { heartbeatSeconds: leaseSeconds });

  const newJobs = await channels.listen(NEW_JOBS_CHANNEL);
  const stops: (() => Promise<void>)[] = [];
  const wakeUps: (() => void)[] = [];
  const delayedWakes = createDelayedWakes(() => {
    for (const wake of wakeUps) wake();
  });

  async function add(trx: Trx, jobs: NewJob<Data>[]): Promise<void> {
    await boss.insert(QUEUE_NAME, jobs, { db: fromKysely(trx) });
    await sql`SELECT pg_notify(${NEW_JOBS_CHANNEL}, '')`.execute(trx);
    if (wakeUps.length === 0) return;
    for (const { startAfter } of jobs) {
      if (typeof startAfter === 'number') delayedWakes.add(startAfter * 1000);
    }
  }

  return {
    /** Adds jobs within the transaction. Ignores a job whose id exists. */
    add,

    /** Completes a job and adds its successor. */
    async replace(trx: Trx, { id }: { id: string }, next: NewJob<Data>): Promise<void> {
      await boss.complete(QUEUE_NAME, id, null, { db: fromKysely(trx) });
      await add(trx, [next]);
    },

    /** Cancels jobs by id. */
    async cancel(trx: Trx, ids: string[]): Promise<void> {
      if (ids.length > 0) await boss.cancel(QUEUE_NAME, ids, { db: fromKysely(trx) });
    },

    /** Runs the handler for each job, `localConcurrency` at a time. */
    work(
      options: Pick<JobWorkerOptions<Data>, 'localConcurrency' | 'limits'>,
      handler: (job: FetchedJob<Data>) => Promise<void>,
    ): void {
      const worker = startJobWorker<Data>({
        ...{ boss, log, pollSeconds, handler, queueName: QUEUE_NAME },
        ...options,
      });
      const stopListening = newJobs.on(worker.wake);
      wakeUps.push(worker.wake);
      stops.push(() => {
        stopListening();
        return worker.stop();
      });
    },

    /** Stops fetching jobs. Resolves when all handlers have finished. */
    stopWorking() {
      delayedWakes.stop();
      return Promise.all(stops.map((stop) => stop()));
    },
  };
}
