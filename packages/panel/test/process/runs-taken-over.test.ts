import { useRunFixture } from '@steward/testkit/panel/use-run-fixture.ts';
import { describe, expect, it } from 'vitest';

const fixture = useRunFixture({}, { startsWorker: false, advancesClock: true });

/** Simulates a worker that was killed after it fetched the jobs of a run. */
const fetchAndDie = (runId: number) =>
  fixture.panel.pool.query(
    `UPDATE pgboss.job SET state = 'active', started_on = now() - interval '1 hour',
       heartbeat_on = now() - interval '1 hour' WHERE data->>'runId' = $1`,
    [String(runId)],
  );

describe('a job of a dead worker', () => {
  it('continues with the next attempt and calls a site that was not called', async () => {
    const site = await fixture.newSite();
    const runId = await fixture.startUpdate([site.id]);
    await fetchAndDie(runId);
    const worker = await fixture.panel.startWorker();
    expect((await fixture.waitForRun(runId)).counts).toEqual({ succeeded: 1 });
    await worker.stop();
    expect(site.calls).toEqual(['update']);
    expect(await fixture.task(runId, site.id)).toMatchObject({ attempt: 1 });
  });

  it('continues with the next attempt and reconciles a site that was called', async () => {
    const site = await fixture.newSite();
    const runId = await fixture.startUpdate([site.id]);
    await fetchAndDie(runId);
    await fixture.panel.pool.query(
      `UPDATE run_tasks SET status = 'running', dispatched_at = now(),
         pending_before = (SELECT inventory FROM sites WHERE id = $2) WHERE run_id = $1`,
      [runId, site.id],
    );
    const worker = await fixture.panel.startWorker();
    const { results } = await fixture.waitForRun(runId);
    await worker.stop();
    expect(results[0]).toMatchObject({
      status: 'failed',
      error: expect.stringMatching(/^Steward stopped .* no updates were installed\. Try again\.$/),
    });
    expect(site.calls).toEqual(['sync']);
  });

  it('delays a second task of its site only until its own task ends', async () => {
    const site = await fixture.newSite();
    const first = await fixture.startUpdate([site.id]);
    await fetchAndDie(first);
    const second = await fixture.startUpdate([site.id]);
    const worker = await fixture.panel.startWorker();
    for (const run of [first, second]) {
      expect((await fixture.waitForRun(run)).counts).toEqual({ succeeded: 1 });
    }
    await worker.stop();
    expect(site.calls).toEqual(['update', 'update']);
    expect(site.inFlight.most).toBe(1);
  });
});

describe('a lost job', () => {
  it('is added again when workers start, and runs once', async () => {
    const sites = [await fixture.newSite(), await fixture.newSite()];
    const runId = await fixture.startUpdate(sites.map(({ id }) => id));
    await fixture.panel.pool.query('DELETE FROM pgboss.job');
    const workers = await Promise.all([fixture.panel.startWorker(), fixture.panel.startWorker()]);
    expect((await fixture.waitForRun(runId)).counts).toEqual({ succeeded: 2 });
    for (const worker of workers) await worker.stop();
    for (const { calls } of sites) expect(calls).toEqual(['update']);
  });
});
