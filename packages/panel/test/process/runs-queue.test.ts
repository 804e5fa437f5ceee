import { testLogger } from '@steward/testkit/logs.ts';
import { createTestDatabase, type TestDatabase } from '@steward/testkit/postgres/test-database.ts';
import { PgBoss } from 'pg-boss';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FetchedJob } from '../../src/features/runs/job-worker.ts';
import { type NewJob, openQueue, type Queue } from '../../src/features/runs/queue.ts';
import { closeBoss, openBoss } from '../../src/platform/boss.ts';
import { type Channels, openChannels } from '../../src/platform/channels.ts';

type Data = { name: string };

let database: TestDatabase;
let channels: Channels;
const bosses: PgBoss[] = [];
const queues: Queue<Data>[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  channels = await openChannels({ ...database, log: testLogger() });
});
afterAll(async () => {
  for (const queue of queues) await queue.stopWorking();
  for (const boss of bosses) await closeBoss(boss);
  await channels.close();
  await database.drop();
});

async function open({ pollSeconds = 0.5 } = {}) {
  const log = testLogger();
  const boss = await openBoss({ ...database, channels, log, runsJobs: true });
  bosses.push(boss);
  const options = { boss, channels, log, runsJobs: true, leaseSeconds: 10, pollSeconds };
  const queue = await openQueue<Data>(options);
  queues.push(queue);
  return queue;
}

let last = 0;
const newJob = (job: Partial<NewJob<Data>> = {}): NewJob<Data> => {
  const name = String(++last);
  const id = `00000000-0000-0000-0000-${name.padStart(12, '0')}`;
  return { id, singletonKey: name, group: { id: name }, priority: 0, data: { name }, ...job };
};
const add = (queue: Queue<Data>, ...jobs: NewJob<Data>[]) =>
  database.db.transaction().execute((trx) => queue.add(trx, jobs));

const SOON = { timeout: 60_000 };

/** Starts two workers that handle all jobs. */
async function startWorkers(handle = async (_job: FetchedJob<Data>) => {}) {
  const workers = [await open(), await open()] as const;
  const begun: string[] = [];
  const done: FetchedJob<Data>[] = [];
  for (const worker of workers) {
    worker.work({ localConcurrency: 5, limits: { groupConcurrency: 2 } }, async (job) => {
      begun.push(job.data.name);
      // A job that fails is done too.
      await handle(job).finally(() => done.push(job));
    });
  }
  const names = () => done.map(({ data }) => data.name);
  const waitForJobs = (jobs: NewJob<Data>[]) =>
    expect.poll(() => new Set(names()), SOON).toEqual(new Set(jobs.map(({ data }) => data.name)));
  return { workers, begun, done, names, waitForJobs };
}

/** Runs all jobs with two workers. */
async function runJobs(jobs: NewJob<Data>[], handle?: (job: FetchedJob<Data>) => Promise<void>) {
  const started = await startWorkers(handle);
  await add(started.workers[0], ...jobs);
  await started.waitForJobs(jobs);
  return started;
}

const stopAll = (workers: readonly Queue<Data>[]) =>
  Promise.all(workers.map((each) => each.stopWorking()));

describe('the queue', () => {
  it('runs jobs with the same key one at a time', async () => {
    const jobs = Array.from({ length: 3 }, () => newJob({ singletonKey: 'one site' }));
    const others = Array.from({ length: 8 }, () => newJob());
    const gate = Promise.withResolvers<void>();
    const isHeld = ({ data }: { data: Data }) => jobs.some((job) => job.data.name === data.name);
    let [now, most] = [0, 0];
    const { workers, begun, waitForJobs } = await startWorkers(async (job) => {
      if (!isHeld(job)) return;
      most = Math.max(most, ++now);
      await gate.promise;
      now--;
    });
    await add(workers[0], ...jobs);
    await expect.poll(() => begun, SOON).toHaveLength(1);
    // While the first job runs, the workers fetch the jobs of other keys, and none of its key.
    await add(workers[0], ...others);
    await waitForJobs(others);
    expect(begun).toHaveLength(1 + others.length);
    gate.resolve();
    await waitForJobs([...jobs, ...others]);
    await stopAll(workers);
    expect(most).toBe(1);
  });

  it('runs a job once even if it is added twice', async () => {
    const job = newJob();
    await add(await open(), job);
    const { names, workers } = await runJobs([job]);
    await add(workers[0], job);
    // A second job with this id would run before the next job, which has a lower priority.
    const next = newJob({ priority: -1 });
    await add(workers[0], next);
    await expect.poll(names, SOON).toContain(next.data.name);
    await stopAll(workers);
    expect(names()).toEqual([job.data.name, next.data.name]);
  });

  it('retries a failed job with a higher retryCount', async () => {
    const job = newJob();
    const { done, workers } = await runJobs([job], async ({ retryCount }) => {
      if (retryCount === 0) throw new Error('The process died.');
    });
    await expect.poll(() => done.length, SOON).toBe(2);
    await stopAll(workers);
    expect(done.map(({ retryCount }) => retryCount)).toEqual([0, 1]);
  });

  it('replaces a job in one transaction', async () => {
    const [job, next] = [newJob(), newJob({ startAfter: 1 })];
    const { names, workers } = await runJobs([job]);
    await stopAll(workers);
    const queue = await open();
    const write = database.db.transaction().execute(async (trx) => {
      await queue.replace(trx, job, next);
      throw new Error('Rolled back.');
    });
    await expect(write).rejects.toThrow('Rolled back.');
    await database.db.transaction().execute((trx) => queue.replace(trx, job, next));
    const fetched: string[] = [];
    queue.work(
      { localConcurrency: 1, limits: { groupConcurrency: 1 } },
      async ({ data }) => void fetched.push(data.name),
    );
    await expect.poll(() => fetched, SOON).toEqual([next.data.name]);
    await queue.stopWorking();
    expect(names()).toEqual([job.data.name]);
  });

  it('runs a delayed job when it is due, without waiting for the next poll', async () => {
    const queue = await open({ pollSeconds: 24 * 60 * 60 });
    const fetched: string[] = [];
    queue.work(
      { localConcurrency: 1, limits: { groupConcurrency: 1 } },
      async ({ data }) => void fetched.push(data.name),
    );
    const job = newJob({ startAfter: 0.3 });
    await add(queue, job);
    await expect.poll(() => fetched, SOON).toEqual([job.data.name]);
    await queue.stopWorking();
  });

  it('deletes the queue of earlier versions', async () => {
    const boss = new PgBoss({ connectionString: database.url, supervise: false, schedule: false });
    boss.on('error', () => {});
    await boss.start();
    await boss.createQueue('site-tasks');
    await boss.send('site-tasks', { taskId: 1, host: 'a.example', priority: 0 });
    await open();
    expect(await boss.getQueue('site-tasks')).toBeNull();
    await boss.stop();
  });
});
