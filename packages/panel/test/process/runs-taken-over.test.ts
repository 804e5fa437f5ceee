import { useRunScene } from '@steward/testkit/panel/use-run-scene.ts';
import { describe, expect, it } from 'vitest';

const scene = useRunScene({}, { works: false, timeGoesOn: true });

/** As a process leaves the jobs of a run that is killed after it has taken them. */
const takeAndDie = (runId: number) =>
  scene.panel.pool.query(
    `UPDATE pgboss.job SET state = 'active', started_on = now() - interval '1 hour',
       heartbeat_on = now() - interval '1 hour' WHERE data->>'runId' = $1`,
    [String(runId)],
  );

describe('a job whose process has died', () => {
  it('goes on as the next attempt: the site was not called, so it is now', async () => {
    const site = await scene.newSite();
    const runId = await scene.startUpdate([site.id]);
    await takeAndDie(runId);
    const worker = await scene.panel.startWorker();
    expect((await scene.finished(runId)).counts).toEqual({ succeeded: 1 });
    await worker.stop();
    expect(site.calls).toEqual(['update']);
    expect(await scene.task(runId, site.id)).toMatchObject({ attempt: 1 });
  });

  it('goes on as the next attempt: the site was called, so it is asked', async () => {
    const site = await scene.newSite();
    const runId = await scene.startUpdate([site.id]);
    await takeAndDie(runId);
    await scene.panel.pool.query(
      `UPDATE run_tasks SET status = 'running', called_at = now(),
         pending_before = (SELECT inventory FROM sites WHERE id = $2) WHERE run_id = $1`,
      [runId, site.id],
    );
    const worker = await scene.panel.startWorker();
    const { results } = await scene.finished(runId);
    await worker.stop();
    expect(results[0]).toMatchObject({
      status: 'failed',
      error: expect.stringMatching(/^The panel was stopped .* no update was made\. Try again\.$/),
    });
    expect(site.calls).toEqual(['sync']);
  });

  it('does not hold up a second task of its site for longer than its own', async () => {
    const site = await scene.newSite();
    const first = await scene.startUpdate([site.id]);
    await takeAndDie(first);
    const second = await scene.startUpdate([site.id]);
    const worker = await scene.panel.startWorker();
    for (const run of [first, second]) {
      expect((await scene.finished(run)).counts).toEqual({ succeeded: 1 });
    }
    await worker.stop();
    expect(site.calls).toEqual(['update', 'update']);
    expect(site.underWay.most).toBe(1);
  });
});

describe('a job that the queue has lost', () => {
  it('is added again when a worker starts, and done once by however many', async () => {
    const sites = [await scene.newSite(), await scene.newSite()];
    const runId = await scene.startUpdate(sites.map(({ id }) => id));
    await scene.panel.pool.query('DELETE FROM pgboss.job');
    const workers = await Promise.all([scene.panel.startWorker(), scene.panel.startWorker()]);
    expect((await scene.finished(runId)).counts).toEqual({ succeeded: 2 });
    for (const worker of workers) await worker.stop();
    for (const { calls } of sites) expect(calls).toEqual(['update']);
  });
});
