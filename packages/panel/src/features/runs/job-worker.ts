import { setTimeout as sleep } from 'node:timers/promises';
import type { FetchOptions, JobWithMetadata, PgBoss } from 'pg-boss';
import { createBatcher } from '../../platform/batcher.ts';
import type { Logger } from '../../platform/logger.ts';

/**
 * If `retryCount` > 0, the job was fetched before: its handler failed, or its lease ended and another process may still
 * be working on it.
 */
export type FetchedJob<Data> = JobWithMetadata<Data> & {
  singletonKey: string;
  groupId: string;
  heartbeatSeconds: number;
};

export type JobWorkerOptions<Data> = {
  boss: PgBoss;
  queueName: string;
  log: Logger;
  /** The number of jobs that run at the same time in this worker. */
  localConcurrency: number;
  /** Which jobs to fetch. */
  limits: Pick<FetchOptions, 'groupConcurrency' | 'minPriority' | 'maxPriority'>;
  /** Interval at which an idle worker looks for jobs that `wake` did not announce. */
  pollSeconds: number;
  handler(job: FetchedJob<Data>): Promise<void>;
};

/** Pause after a fetch, and delay before a batch is completed: more jobs share a statement. */
const GATHER_MS = 25;
const MAX_BATCH = 100;

/**
 * Fetches, renews and completes many jobs by one statement each. `boss.work` needs two statements for each job, or waits for
 * the slowest job of a batch. As there, a heartbeat renews the lease of a job while its handler runs.
 */
export function startJobWorker<Data extends object>(options: JobWorkerOptions<Data>) {
  const { boss, queueName, log, localConcurrency, pollSeconds } = options;
  const running = new Set<Promise<void>>();
  const stopping = new AbortController();
  let wakeUp = Promise.withResolvers<void>();
  const wake = () => wakeUp.resolve();
  const batch = (send: (ids: string[]) => Promise<unknown>) =>
    createBatcher<string, void>({
      run: async (ids) => {
        await send(ids);
        return ids.map(() => undefined);
      },
      keyOf: (id) => id,
      maxBatchSize: MAX_BATCH,
      gatherMs: GATHER_MS,
      isItemError: () => false,
    });
  const completions = batch((ids) => boss.complete(queueName, ids));
  const heartbeats = batch((ids) => boss.touch(queueName, ids));

  async function run(job: FetchedJob<Data>): Promise<void> {
    const renew = () =>
      void heartbeats.submit(job.id).catch((err) => log.warn({ err }, 'Could not renew a lease.'));
    const heartbeat = setInterval(renew, (job.heartbeatSeconds * 1000) / 2);
    try {
      await options.handler(job);
      await completions.submit(job.id);
    } catch (err) {
      log.error({ err }, 'Unexpected error in a job; it will be retried.');
      // If this fails too, the lease of the job ends.
      await boss.fail(queueName, job.id, null).catch(() => {});
    } finally {
      clearInterval(heartbeat);
    }
  }

  function start(job: FetchedJob<Data>): void {
    const done = run(job).finally(() => {
      running.delete(done);
      // The end of this job may have made room for others of its group.
      wake();
    });
    running.add(done);
  }

  async function fetchAll(): Promise<void> {
    while (!stopping.signal.aborted) {
      const batchSize = Math.min(localConcurrency - running.size, MAX_BATCH);
      wakeUp = Promise.withResolvers();
      const jobs = batchSize > 0 ? await fetch(batchSize) : [];
      for (const job of jobs) start(job);
      await (jobs.length > 0 ? sleep(GATHER_MS) : waitUntilWoken());
    }
  }

  async function fetch(batchSize: number): Promise<FetchedJob<Data>[]> {
    try {
      const fetched = await boss.fetch(queueName, {
        ...options.limits,
        batchSize,
        includeMetadata: true,
      });
      return fetched as FetchedJob<Data>[];
    } catch (error) {
      log.warn({ reason: String(error) }, 'Could not fetch jobs; retrying.');
      return [];
    }
  }

  async function waitUntilWoken(): Promise<void> {
    const timer = setTimeout(wake, pollSeconds * 1000);
    await wakeUp.promise;
    clearTimeout(timer);
  }

  const fetching = fetchAll();
  return {
    wake,
    /** Stops fetching jobs. Resolves when all handlers have finished. */
    async stop(): Promise<void> {
      stopping.abort();
      wake();
      await fetching;
      await Promise.all(running);
    },
  };
}
