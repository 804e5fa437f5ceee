import { type FixtureSite, useRunFixture } from '@steward/testkit/panel/use-run-fixture.ts';
import { holdCalls } from '@steward/testkit/sites/hold-calls.ts';
import { createInBatches } from '@steward/testkit/sites/site-fleet.ts';
import { describe, expect, it } from 'vitest';

const LONG_POLL = { timeout: 30_000 };
const LONG_TIMEOUTS = { connectSeconds: 2, actionSeconds: 600, updateSeconds: 600 };

const idsOf = (sites: FixtureSite[]) =>
  sites.map(({ id }) => id).toSorted((one, other) => one - other);
const countCalled = (sites: FixtureSite[]) => sites.filter(({ calls }) => calls.length > 0).length;

describe('a site whose last call lasted long', () => {
  const fixture = useRunFixture(
    { siteTimeouts: LONG_TIMEOUTS, siteCallLimits: { total: 2, perAddress: 500 } },
    { timing: { slowCallSeconds: 0.4, longCallSeconds: 600 } },
  );
  const findSlowSites = async () => {
    const { rows } = await fixture.panel.pool.query('SELECT id FROM sites WHERE is_slow');
    return rows.map(({ id }) => Number(id)).toSorted((one, other) => one - other);
  };
  const update = async (ids: number[]) => fixture.waitForRun(await fixture.startUpdate(ids));

  it('is called after the other sites of a run, until it is fast again', async () => {
    const slow = await createInBatches(6, () => fixture.newSite());
    const fast = await createInBatches(20, () => fixture.newSite());
    for (const site of slow) site.state.updateMs = 600;
    expect((await update(idsOf(slow))).counts).toEqual({ succeeded: 6 });
    expect(await findSlowSites()).toEqual(idsOf(slow));

    for (const { calls } of slow) calls.length = 0;
    const letGo = holdCalls(...slow);
    const runId = await fixture.startUpdate(idsOf([...slow, ...fast]));
    await expect.poll(() => countCalled(fast), LONG_POLL).toBe(20);
    const ended = fixture.panel.db.selectFrom('run_tasks').select('site_id');
    const findEnded = async () => {
      const rows = await ended
        .where('run_id', '=', runId)
        .where('status', '=', 'succeeded')
        .execute();
      return rows.map(({ site_id }) => site_id).toSorted((one, other) => one - other);
    };
    await expect.poll(findEnded, LONG_POLL).toEqual(idsOf(fast));
    letGo();
    expect((await fixture.waitForRun(runId)).counts).toEqual({ succeeded: 26 });
    for (const { calls } of [...slow, ...fast]) expect(calls).toEqual(['update']);

    for (const site of slow) site.state.updateMs = 0;
    await update(idsOf(slow));
    expect(await findSlowSites()).toEqual([]);
  });

  it('has two calls of its own, also while other sites use all calls of the worker', async () => {
    const slow = await createInBatches(3, () => fixture.newSite());
    const others = await createInBatches(8, () => fixture.newSite());
    await fixture.panel.pool.query('UPDATE sites SET is_slow = true WHERE id = ANY($1)', [
      idsOf(slow),
    ]);
    const letGo = holdCalls(...slow, ...others);
    const runIds = [await fixture.startUpdate(idsOf(others))];
    const countDispatched = async () => {
      const { rows } = await fixture.panel.pool.query('SELECT site_id FROM site_calls');
      return rows.length;
    };
    await expect.poll(countDispatched, LONG_POLL).toBe(2);
    runIds.push(await fixture.startUpdate(idsOf(slow)));
    await expect.poll(countDispatched, LONG_POLL).toBe(4);
    const { rows } = await fixture.panel.pool.query(
      'SELECT count(*)::int AS calls FROM site_calls WHERE site_id = ANY($1)',
      [idsOf(slow)],
    );
    expect(rows).toEqual([{ calls: 2 }]);
    letGo();
    for (const runId of runIds) {
      expect(Object.keys((await fixture.waitForRun(runId)).counts)).toEqual(['succeeded']);
    }
  });

  it('stays slow after a lost call that a fast sync reconciled', async () => {
    const site = await fixture.newSite();
    site.state.updateMs = 600;
    site.faults.response = 'cut_after_work';
    const runId = await fixture.startUpdate([site.id]);
    await expect.poll(() => site.calls, LONG_POLL).toEqual(['update']);
    delete site.faults.response;
    await fixture.waitForRun(runId);
    expect(site.calls.slice(0, 2)).toEqual(['update', 'sync']);
    expect(await findSlowSites()).toContain(site.id);
  });
});

describe('calls that last long, to sites that were fast or never called', () => {
  const fixture = useRunFixture(
    { siteTimeouts: LONG_TIMEOUTS, siteCallLimits: { total: 4, perAddress: 500 } },
    { timing: { longCallSeconds: 0.3 } },
  );

  it('let half as many other calls begin', async () => {
    const sites = await createInBatches(20, () => fixture.newSite());
    const letGo = holdCalls(...sites);
    const runId = await fixture.startUpdate(idsOf(sites));
    const countDispatched = async () => {
      const { rows } = await fixture.panel.pool.query('SELECT site_id FROM site_calls');
      return rows.length;
    };
    await expect.poll(countDispatched, LONG_POLL).toBe(6);
    await new Promise((resolve) => setTimeout(resolve, 700));
    expect(await countDispatched()).toBe(6);
    letGo();
    expect((await fixture.waitForRun(runId)).counts).toEqual({ succeeded: 20 });
    for (const { calls } of sites) expect(calls).toEqual(['update']);
    expect(fixture.fleet.inFlight.most).toBeLessThanOrEqual(6);
  });
});
