import { testLogger } from '@steward/testkit/logs.ts';
import { useRunScene } from '@steward/testkit/panel/use-run-scene.ts';
import { describe, expect, it } from 'vitest';
import { claimTasks } from '../../src/features/runs/worker/claim.ts';
import { openQueue } from '../../src/lib/queue.ts';

const scene = useRunScene({}, { works: false });

describe('a worker that stood still until others took its jobs', () => {
  it('cannot claim a task that it had only in its hands, nor take it from who does it', async () => {
    const { panel } = scene;
    const queue = await openQueue({
      ...panel,
      log: testLogger(),
      supervises: false,
      leaseSeconds: 30,
    });
    const deps = {
      ...panel.services,
      db: panel.db,
      queue,
      clock: { now: () => panel.edges.now },
      log: testLogger(),
      isRunning: () => true,
    };
    const site = await scene.newSite();
    const runId = await scene.startUpdate([site.id]);
    const old = await queue.take(1);
    await queue.giveBack(old);
    const current = await queue.take(1);

    const nothing = { begun: [], later: [] };
    expect(await claimTasks(old, { ...deps, worker: 'old' })).toEqual(nothing);
    expect(await scene.task(runId, site.id)).toMatchObject({ status: 'queued', attempt: 0 });

    const { begun } = await claimTasks(current, { ...deps, worker: 'current' });
    expect(begun).toHaveLength(1);
    expect(await claimTasks(old, { ...deps, worker: 'old' })).toEqual(nothing);
    expect(await scene.task(runId, site.id)).toMatchObject({ status: 'running', attempt: 1 });
    await queue.close();
  });
});

describe('two tasks of one site, after a restart', () => {
  it('do not block each other: the one that had the site has it again', async () => {
    const { panel } = scene;
    const queue = await openQueue({
      ...panel,
      log: testLogger(),
      supervises: false,
      leaseSeconds: 30,
    });
    const deps = { ...panel.services, db: panel.db, queue, log: testLogger() };
    const asWorker = (worker: string) => ({
      ...deps,
      worker,
      clock: { now: () => panel.edges.now },
    });
    const site = await scene.newSite();
    const [first, second] = [
      await scene.startUpdate([site.id]),
      await scene.startUpdate([site.id]),
    ];
    const jobs = await queue.take(2);
    const { id } = await scene.task(second, site.id);
    const later = jobs.filter(({ taskId }) => taskId === id);
    expect((await claimTasks(later, asWorker('before'))).begun).toHaveLength(1);

    await queue.giveBack(jobs);
    const { begun } = await claimTasks(await queue.take(2), asWorker('after'));
    expect(begun.map(({ task }) => task.id)).toEqual([id]);
    expect(await scene.task(first, site.id)).toMatchObject({ status: 'queued' });
    await queue.close();
  });
});

describe('a job that the queue has lost', () => {
  const withoutJobs = async (statement: string) => {
    const sites = [await scene.newSite(), await scene.newSite()];
    const runId = await scene.startUpdate(sites.map(({ id }) => id));
    await scene.panel.pool.query(`${statement} WHERE state < 'completed'`);
    return { sites, runId };
  };

  for (const [what, statement] of [
    ['was deleted', 'DELETE FROM pgboss.job'],
    ['has failed for good', "UPDATE pgboss.job SET state = 'failed', completed_on = now()"],
  ] as const) {
    it(`is added again when a worker starts: it ${what}`, async () => {
      const { sites, runId } = await withoutJobs(statement);
      // Both look at once; each task is still done once.
      const workers = await Promise.all([scene.panel.startWorker(), scene.panel.startWorker()]);
      expect((await scene.finished(runId)).counts).toEqual({ succeeded: 2 });
      for (const worker of workers) await worker.stop();
      for (const { calls } of sites) expect(calls).toEqual(['update']);
      const jobs = await scene.panel.pool.query(
        `SELECT count(*) AS count FROM pgboss.job WHERE (data->>'taskId')::bigint IN
           (SELECT id FROM run_tasks WHERE run_id = $1) AND state = 'completed'`,
        [runId],
      );
      expect(jobs.rows[0].count).toBe(2);
    });
  }
});
