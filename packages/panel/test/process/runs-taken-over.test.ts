import { useRunScene } from '@steward/testkit/panel/use-run-scene.ts';
import { describe, expect, it } from 'vitest';

const scene = useRunScene({}, { works: false, timeGoesOn: true });

/** Simulates a worker that was killed after it fetched the jobs of a run. */
const fetchAndDie = (runId: number) =>
  scene.panel.pool.query(
    `UPDATE pgboss.job SET state = 'active', started_on = now() - interval '1 hour',
       heartbeat_on = now() - interval '1 hour' WHERE data->>'runId' = $1`,
    [String(runId)],
  );

describe('a job of a dead worker', () => {
  it('continues with the next attempt and calls a site that was not called', async () => {
    const site = await scene.newSite();
    const runId = await scene.startUpdate([site.id]);
    await fetchAndDie(runId);
    const worker = await scene.panel.startWorker();
    expect((await scene.finished(runId)).counts).toEqual({ succeeded: 1 });
    await worker.stop();
    expect(site.calls).toEqual(['update']);
    expect(await scene.task(runId, site.id)).toMatchObject({ attempt: 1 });
  });

  it('continues with the next attempt and reconciles a site that was called', async () => {
    const site = await scene.newSite();
    const runId = await scene.startUpdate([site.id]);
    await fetchAndDie(runId);
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
      error: expect.stringMatching(/^Steward stopped .* no updates were installed\. Try again\.$/),
    });
    expect(site.calls).toEqual(['sync']);
  });

  it('delays a second task of its site only until its own ends', async () => {
    const site = await scene.newSite();
    const first = await scene.startUpdate([site.id]);
    await fetchAndDie(first);
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

describe('a lost job', () => {
  it('is added again when workers start, and runs once', async () => {
    const sites = [await scene.newSite(), await scene.newSite()];
    const runId = await scene.startUpdate(sites.map(({ id }) => id));
    await scene.panel.pool.query('DELETE FROM pgboss.job');
    const workers = await Promise.all([scene.panel.startWorker(), scene.panel.startWorker()]);
    expect((await scene.finished(runId)).counts).toEqual({ succeeded: 2 });
    for (const worker of workers) await worker.stop();
    for (const { calls } of sites) expect(calls).toEqual(['update']);
  });
});
