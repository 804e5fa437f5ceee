import { type SceneSite, useRunScene } from '@steward/testkit/panel/use-run-scene.ts';
import { hold } from '@steward/testkit/sites/held-site.ts';
import { outdated } from '@steward/testkit/sites/site-fleet.ts';
import { describe, expect, it } from 'vitest';

/** The panel sends a key only to a site that is active at the moment of the call. */

const ENDS = new Date('2026-06-02T00:00:00Z');
const timeouts = { connectSeconds: 2, actionSeconds: 5, updateSeconds: 1 };

type Licensed = { site: SceneSite; licenseId: number };

describe('between the creation of a run and its call', () => {
  // One call at a time: the second run waits for the first.
  const scene = useRunScene({
    siteCallLimits: { total: 1, perAddress: 1 },
    siteTimeouts: { ...timeouts, updateSeconds: 20 },
  });

  async function licensedSite(): Promise<Licensed> {
    const license = await scene.panel.license({ siteLimit: 1, expiresAt: ENDS });
    return {
      site: await scene.newSite(outdated(), license.license_key),
      licenseId: license.id,
    };
  }

  for (const [what, end] of [
    ['the site is deactivated', ({ site }) => site.agent.link.deactivate()],
    ['the license is suspended', ({ licenseId }) => scene.panel.suspend(licenseId)],
    ['the license is revoked', ({ licenseId }) => scene.panel.revoke(licenseId)],
    [
      'the license expires',
      async () => {
        scene.panel.edges.now = ENDS;
      },
    ],
  ] as [string, (licensed: Licensed) => Promise<unknown>][]) {
    it(`${what}: the task is refused and no key is sent`, async () => {
      const before = scene.panel.edges.now;
      const slow = await scene.newSite();
      const letGo = hold(slow);
      const licensed = await licensedSite();
      const first = await scene.startUpdate([slow.id]);
      await expect.poll(() => slow.calls, { timeout: 30_000 }).toEqual(['update']);
      const runId = await scene.startUpdate([licensed.site.id]);
      await end(licensed);
      letGo();
      const { results } = await scene.finished(runId);
      expect((await scene.finished(first)).counts).toEqual({ succeeded: 1 });
      scene.panel.edges.now = before;
      expect(results[0]).toMatchObject({ status: 'refused', code: 'site_not_active' });
      expect(licensed.site.calls).toEqual([]);
      expect(await scene.audit(licensed.site.id, 'remote_update')).toMatchObject([
        { context: { run_id: runId, outcome: 'refused', code: 'site_not_active' } },
      ]);
    });
  }
});

describe('a call with a lost response', () => {
  const scene = useRunScene({ siteTimeouts: timeouts }, { works: false });
  const lost = {
    status: 'unknown',
    code: 'site_not_active',
    http_status: null,
    error: expect.stringContaining('so the site may have changed'),
  };

  it('is not reconciled after a takeover if the license is suspended', async () => {
    const license = await scene.panel.license({ siteLimit: 1 });
    const site = await scene.newSite(outdated(), license.license_key);
    const runId = await scene.startUpdate([site.id]);
    // Simulates a worker that was killed during its call.
    await scene.panel.db
      .updateTable('run_tasks')
      .set({ called_at: scene.panel.edges.now, status: 'running', attempt: 1 })
      .where('run_id', '=', runId)
      .execute();
    await scene.panel.suspend(license.id);
    const worker = await scene.panel.startWorker();
    const { results } = await scene.finished(runId);
    await worker.stop();
    expect(results[0]).toMatchObject(lost);
    expect(site.calls).toEqual([]);
  });

  it('is not reconciled by the same worker either: it stays unknown with a reason', async () => {
    const license = await scene.panel.license({ siteLimit: 1 });
    const site = await scene.newSite(outdated(), license.license_key);
    site.state.updateMs = 1500;
    const worker = await scene.panel.startWorker();
    const runId = await scene.startUpdate([site.id]);
    await expect.poll(() => site.calls, { timeout: 30_000 }).toEqual(['update']);
    await scene.panel.suspend(license.id);
    const { results } = await scene.finished(runId);
    await worker.stop();
    expect(results[0]).toMatchObject(lost);
    expect(site.calls).toEqual(['update']);
  });
});
