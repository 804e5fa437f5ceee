import { type FixtureSite, useRunFixture } from '@steward/testkit/panel/use-run-fixture.ts';
import { holdCalls } from '@steward/testkit/sites/hold-calls.ts';
import { outdatedSite } from '@steward/testkit/sites/site-fleet.ts';
import { describe, expect, it } from 'vitest';

/** The panel sends a key only to a site that is active at the moment of the call. */

const ENDS = new Date('2026-06-02T00:00:00Z');
const timeouts = { connectSeconds: 10, actionSeconds: 5, updateSeconds: 1 };

type Licensed = { site: FixtureSite; licenseId: number };

describe('between the creation of a run and its call', () => {
  // One call at a time: the second run waits for the first.
  const fixture = useRunFixture({
    siteCallLimits: { total: 1, perAddress: 1 },
    siteTimeouts: { ...timeouts, updateSeconds: 20 },
  });

  async function licensedSite(): Promise<Licensed> {
    const license = await fixture.panel.license({ siteLimit: 1, expiresAt: ENDS });
    return {
      site: await fixture.newSite(outdatedSite(), license.license_key),
      licenseId: license.id,
    };
  }

  for (const [what, end] of [
    ['the site is deactivated', ({ site }) => site.agent.panelClient.deactivate()],
    ['the license is suspended', ({ licenseId }) => fixture.panel.suspend(licenseId)],
    ['the license is revoked', ({ licenseId }) => fixture.panel.revoke(licenseId)],
    [
      'the license expires',
      async () => {
        fixture.panel.fakes.now = ENDS;
      },
    ],
  ] as [string, (licensed: Licensed) => Promise<unknown>][]) {
    it(`${what}: the task is refused and no key is sent`, async () => {
      const before = fixture.panel.fakes.now;
      const slow = await fixture.newSite();
      const letGo = holdCalls(slow);
      const licensed = await licensedSite();
      const first = await fixture.startUpdate([slow.id]);
      await expect.poll(() => slow.calls).toEqual(['update']);
      const runId = await fixture.startUpdate([licensed.site.id]);
      await end(licensed);
      letGo();
      const { results } = await fixture.waitForRun(runId);
      expect((await fixture.waitForRun(first)).counts).toEqual({ succeeded: 1 });
      fixture.panel.fakes.now = before;
      expect(results[0]).toMatchObject({ status: 'refused', code: 'site_not_active' });
      expect(licensed.site.calls).toEqual([]);
      expect(await fixture.readAudit(licensed.site.id, 'remote_update')).toMatchObject([
        { context: { run_id: runId, outcome: 'refused', code: 'site_not_active' } },
      ]);
    });
  }
});

describe('a call with a lost answer', () => {
  const fixture = useRunFixture({ siteTimeouts: timeouts }, { startsWorker: false });
  const lost = {
    status: 'unknown',
    code: 'site_not_active',
    http_status: null,
    error: expect.stringContaining('so the site may have changed'),
  };

  it('is not reconciled after a takeover if the license is suspended', async () => {
    const license = await fixture.panel.license({ siteLimit: 1 });
    const site = await fixture.newSite(outdatedSite(), license.license_key);
    const runId = await fixture.startUpdate([site.id]);
    // Simulates a worker that was killed during its call.
    await fixture.panel.db
      .updateTable('run_tasks')
      .set({ dispatched_at: fixture.panel.fakes.now, status: 'running', attempt: 1 })
      .where('run_id', '=', runId)
      .execute();
    await fixture.panel.suspend(license.id);
    const worker = await fixture.panel.startWorker();
    const { results } = await fixture.waitForRun(runId);
    await worker.stop();
    expect(results[0]).toMatchObject(lost);
    expect(site.calls).toEqual([]);
  });

  it('is not reconciled by the same worker either: it stays unknown with a reason', async () => {
    const license = await fixture.panel.license({ siteLimit: 1 });
    const site = await fixture.newSite(outdatedSite(), license.license_key);
    site.state.updateMs = 1500;
    const worker = await fixture.panel.startWorker();
    const runId = await fixture.startUpdate([site.id]);
    await expect.poll(() => site.calls).toEqual(['update']);
    await fixture.panel.suspend(license.id);
    const { results } = await fixture.waitForRun(runId);
    await worker.stop();
    expect(results[0]).toMatchObject(lost);
    expect(site.calls).toEqual(['update']);
  });
});
