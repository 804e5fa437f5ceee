import {
  type FixtureSite,
  type RunFixture,
  useRunFixture,
} from '@steward/testkit/panel/use-run-fixture.ts';
import { holdCalls } from '@steward/testkit/sites/hold-calls.ts';
import { createInBatches } from '@steward/testkit/sites/site-fleet.ts';
import { describe, expect, it } from 'vitest';

const LONG_POLL = { timeout: 60_000 };
/** Much longer than a call to a fast site, also on a machine with other load. */
const SLOW_SECONDS = 3;
const LONG_TIMEOUTS = { connectSeconds: 10, actionSeconds: 600, updateSeconds: 600 };

const idsOf = (sites: FixtureSite[]) =>
  sites.map(({ id }) => id).toSorted((one, other) => one - other);

function createSlowness(fixture: RunFixture) {
  return {
    markSlow: (sites: FixtureSite[]) =>
      fixture.panel.pool.query('UPDATE sites SET is_slow = id = ANY($1)', [idsOf(sites)]),
    async findSlowSites(): Promise<number[]> {
      const { rows } = await fixture.panel.pool.query(
        'SELECT id FROM sites WHERE is_slow ORDER BY id',
      );
      return rows.map(({ id }) => id);
    },
  };
}

describe('a site whose last call lasted long', () => {
  const fixture = useRunFixture(
    { siteTimeouts: LONG_TIMEOUTS, siteCallLimits: { total: 2, perAddress: 500 } },
    { timing: { slowCallSeconds: SLOW_SECONDS, longCallSeconds: 600 } },
  );
  const { markSlow, findSlowSites } = createSlowness(fixture);

  it('is slow until a shorter call', async () => {
    const [slow, fast] = [await fixture.newSite(), await fixture.newSite()];
    slow.state.updateMs = (SLOW_SECONDS + 0.2) * 1000;
    await fixture.waitForRun(await fixture.startUpdate([slow.id, fast.id]));
    expect(await findSlowSites()).toEqual([slow.id]);

    slow.state.updateMs = 0;
    await fixture.waitForRun(await fixture.startUpdate([slow.id]));
    expect(await findSlowSites()).toEqual([]);
  });

  it('is called after the other sites of a run', async () => {
    const slow = await createInBatches(5, () => fixture.newSite());
    const fast = await createInBatches(15, () => fixture.newSite());
    await markSlow(slow);
    const letGo = holdCalls(...slow);
    const runId = await fixture.startUpdate(idsOf([...slow, ...fast]));
    const findEnded = async () => {
      const { rows } = await fixture.panel.pool.query(
        "SELECT site_id FROM run_tasks WHERE run_id = $1 AND status = 'succeeded' ORDER BY site_id",
        [runId],
      );
      return rows.map(({ site_id }) => site_id);
    };
    await expect.poll(findEnded, LONG_POLL).toEqual(idsOf(fast));
    letGo();
    expect((await fixture.waitForRun(runId)).counts).toEqual({ succeeded: 20 });
    for (const { calls } of [...slow, ...fast]) expect(calls).toEqual(['update']);
  });

  it('stays slow after a lost call that a fast sync reconciled', async () => {
    const site = await fixture.newSite();
    site.state.updateMs = (SLOW_SECONDS + 0.2) * 1000;
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
      const { rows } = await fixture.panel.pool.query(
        "SELECT id FROM run_tasks WHERE status = 'running'",
      );
      return rows.length;
    };
    await expect.poll(countDispatched, LONG_POLL).toBe(6);
    letGo();
    expect((await fixture.waitForRun(runId)).counts).toEqual({ succeeded: 20 });
    for (const { calls } of sites) expect(calls).toEqual(['update']);
    expect(fixture.fleet.inFlight.most).toBeLessThanOrEqual(6);
  });
});
