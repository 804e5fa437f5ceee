import { useRunFixture } from '@steward/testkit/panel/use-run-fixture.ts';
import { holdCalls } from '@steward/testkit/sites/hold-calls.ts';
import { createInBatches, SHOP } from '@steward/testkit/sites/site-fleet.ts';
import { describe, expect, it } from 'vitest';

const LONG_POLL = { timeout: 30_000 };
/** More than a worker fetches for 10 concurrent calls, so that jobs wait in the queue too. */
const HANGING = 60;
const LONG_TIMEOUTS = { connectSeconds: 10, actionSeconds: 600, updateSeconds: 600 };

describe('hanging sites that use all calls of a worker', () => {
  const fixture = useRunFixture(
    { siteTimeouts: LONG_TIMEOUTS, siteCallLimits: { total: 10, perAddress: 500 } },
    { timing: { longCallSeconds: 600 } },
  );

  it('do not delay a single action that a user waits for', async () => {
    const hanging = await createInBatches(HANGING, () => fixture.newSite());
    for (const site of hanging) site.faults.response = 'hang';
    const good = await fixture.newSite();
    const runId = await fixture.startUpdate(hanging.map(({ id }) => id));
    const called = async () => {
      const tasks = fixture.panel.db.selectFrom('run_tasks').where('run_id', '=', runId);
      const rows = await tasks.select('id').where('dispatched_at', 'is not', null).execute();
      return rows.length;
    };
    await expect.poll(called, LONG_POLL).toBe(10);

    const request = { site_id: good.id, action: 'deactivate', plugin: SHOP };
    for (const action of ['deactivate', 'activate', 'update']) {
      const { status } = await fixture.owner.post('/remote/plugin-action', { ...request, action });
      expect([action, status]).toEqual([action, 200]);
    }
    const { counts } = (await fixture.owner.get(`/panel/runs/${runId}?limit=1`)).body;
    expect((counts.queued ?? 0) + (counts.running ?? 0)).toBe(HANGING);
    expect(await called()).toBe(10);

    // They do not delay an action on the next site of the run either, whose job a worker has already fetched.
    const { rows } = await fixture.panel.pool.query(
      `SELECT t.site_id FROM run_tasks t JOIN pgboss.job j ON (j.data->>'taskId')::bigint = t.id
       WHERE t.run_id = $1 AND t.status = 'queued' AND j.state = 'active'`,
      [runId],
    );
    const next = hanging.find(({ id }) => id === rows[0]?.site_id);
    if (!next) throw new Error('No fetched job found.');
    delete next.faults.response;
    const action = { ...request, site_id: next.id };
    expect((await fixture.owner.post('/remote/plugin-action', action)).status).toBe(200);
    expect(await called()).toBe(10);
    await fixture.owner.post(`/panel/runs/${runId}/cancel`);
  });
});

describe('a cancelled run', () => {
  const fixture = useRunFixture({
    siteTimeouts: LONG_TIMEOUTS,
    siteCallLimits: { total: 1, perAddress: 1 },
  });

  it('does not call queued sites; their tasks end as cancelled', async () => {
    const sites = [await fixture.newSite(), await fixture.newSite()];
    const letGo = holdCalls(...sites);
    const runId = await fixture.startUpdate(sites.map(({ id }) => id));
    await expect.poll(() => sites.flatMap(({ calls }) => calls), LONG_POLL).toEqual(['update']);
    const [called, next] = sites.toSorted((one, other) => other.calls.length - one.calls.length);
    if (!called || !next) throw new Error('Expected two sites.');
    await fixture.owner.post(`/panel/runs/${runId}/cancel`);
    expect((await fixture.task(runId, next.id)).status).toBe('cancelled');
    letGo();
    expect((await fixture.waitForRun(runId)).counts).toEqual({ succeeded: 1, cancelled: 1 });
    expect(next.calls).toEqual([]);
    // The site is free for others, and the worker for other sites.
    const { body } = await fixture.owner.post('/remote/update', { site_ids: [next.id] });
    expect(body.results[0].status).toBe('succeeded');
    expect(next.calls).toEqual(['update']);
  });
});

describe('new sites with different host names at one address', () => {
  const HERE = [{ address: '127.0.0.1', family: 4 }];
  const names = ['a.demo', 'b.demo', 'c.demo', 'd.demo'];
  const fixture = useRunFixture({
    siteAddresses: new Map(names.map((name) => [name, HERE])),
    siteCallLimits: { total: 10, perAddress: 2 },
  });

  it('share the concurrency limit of the address across all workers', async () => {
    const other = await fixture.panel.startWorker();
    const sites = await createInBatches(12, () => fixture.newSite());
    for (const [index, site] of sites.entries()) {
      site.state.updateMs = 100;
      // Only the panel knows this name, so its signature does not match the site.
      await site.options.write({ signing_key: null });
      const name = names[index % names.length] ?? '';
      await fixture.setSiteUrl(site.id, site.siteUrl.replace('127.0.0.1', name));
    }
    const { results } = await fixture.waitForRun(
      await fixture.startUpdate(sites.map(({ id }) => id)),
    );
    expect(new Set(results.map(({ status }: { status: string }) => status))).toEqual(
      new Set(['succeeded']),
    );
    await other.stop();
    expect(fixture.fleet.inFlight.most).toBe(2);
    const { rows } = await fixture.panel.pool.query('SELECT DISTINCT address FROM sites');
    expect(rows).toEqual([{ address: '127.0.0.1' }]);
  });

  it('do not delay a single action there for longer than one call', async () => {
    const sites = await createInBatches(20, () => fixture.newSite());
    for (const site of sites) site.state.updateMs = 300;
    const other = await fixture.newSite();
    const runId = await fixture.startUpdate(sites.map(({ id }) => id));
    await expect
      .poll(() => sites.filter(({ calls }) => calls.length > 0).length)
      .toBeGreaterThan(3);
    const request = { site_id: other.id, action: 'deactivate', plugin: SHOP };
    expect((await fixture.owner.post('/remote/plugin-action', request)).status).toBe(200);
    const { counts } = (await fixture.owner.get(`/panel/runs/${runId}?limit=1`)).body;
    expect(counts.queued).toBeGreaterThan(5);
    await fixture.owner.post(`/panel/runs/${runId}/cancel`);
    await fixture.waitForRun(runId);
  });
});

describe('two runs over the same sites', () => {
  const fixture = useRunFixture();

  it('call each site one at a time', async () => {
    const sites = await createInBatches(6, () => fixture.newSite());
    for (const site of sites) site.state.updateMs = 300;
    const ids = sites.map(({ id }) => id);
    const runs = [await fixture.startUpdate(ids), await fixture.startUpdate(ids)];
    for (const run of runs)
      expect((await fixture.waitForRun(run)).counts).toEqual({ succeeded: 6 });
    for (const { calls, inFlight } of sites) {
      expect(calls).toEqual(['update', 'update']);
      expect(inFlight.most).toBe(1);
    }
  });
});
