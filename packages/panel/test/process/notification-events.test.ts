import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newSiteUrl, useTestPanel, VERSIONS } from '@steward/testkit/panel/test-panel.ts';
import { useRunFixture } from '@steward/testkit/panel/use-run-fixture.ts';
import { describe, expect, it } from 'vitest';
import { announceEndingLicenses } from '../../src/features/licenses/index.ts';

const DAY_MS = 24 * 3600_000;

describe('license.limit_reached', () => {
  const panel = useTestPanel();
  const events = () =>
    panel.db.selectFrom('notification_events').select(['type', 'data']).orderBy('id').execute();

  it('is emitted when the last seat is taken', async () => {
    const license = await panel.license({ siteLimit: 2, name: 'Agency A' });
    const activate = () =>
      panel.post('/api/v1/license/activate', {
        ...VERSIONS,
        license_key: license.license_key,
        site_url: newSiteUrl(),
      });
    await activate();
    expect(await events()).toEqual([]);
    await activate();
    expect((await activate()).status).toBe(403);
    expect(await events()).toEqual([
      {
        type: 'license.limit_reached',
        data: { license_id: license.id, license_name: 'Agency A', site_limit: 2 },
      },
    ]);
  });
});

describe('audit.verification_failed', () => {
  const panel = useTestPanel();

  it('is emitted once for a damaged head of the audit log', async () => {
    const { auditHead, auditMonitor } = panel.services;
    await panel.license();
    await auditHead.verifyAndSeal({ isFirst: true });
    await auditMonitor.check();
    const read = () => panel.db.selectFrom('notification_events').selectAll().execute();
    expect(await read()).toEqual([]);
    for (const name of readdirSync(panel.dataDir)) {
      if (name.includes('audit')) writeFileSync(join(panel.dataDir, name), 'damaged');
    }
    await auditMonitor.check();
    await auditMonitor.check();
    expect(await read()).toMatchObject([{ type: 'audit.verification_failed' }]);
  });
});

describe('license.ending', () => {
  const panel = useTestPanel();
  const { now } = { now: new Date('2026-06-01T12:00:00Z') };
  const inDays = (days: number) => new Date(now.getTime() + days * DAY_MS);

  it('is emitted 30 and 7 days before the end, once each', async () => {
    const license = await panel.license({ expiresAt: inDays(60) });
    // A trial: created later than 30 days before its end.
    await panel.license({ expiresAt: inDays(14) });
    const suspended = await panel.license({ expiresAt: inDays(60) });
    await panel.suspend(suspended.id);
    const announce = async (at: Date) => {
      panel.fakes.now = at;
      const deps = { ...panel.services, db: panel.db, clock: { now: () => panel.fakes.now } };
      await Promise.all([announceEndingLicenses(deps), announceEndingLicenses(deps)]);
      const rows = await panel.db.selectFrom('notification_events').selectAll().execute();
      return rows.map(({ data }) => (data as { license_id: number }).license_id);
    };
    expect(await announce(now)).toEqual([]);
    const trial = license.id + 1;
    expect(await announce(inDays(8))).toEqual([trial]);
    expect(await announce(inDays(31))).toEqual([trial, license.id]);
    expect(await announce(inDays(40))).toEqual([trial, license.id]);
    expect(await announce(inDays(54))).toEqual([trial, license.id, license.id]);
    expect(await announce(inDays(70))).toEqual([trial, license.id, license.id]);
  });
});

describe('run.finished_with_failures', () => {
  const fixture = useRunFixture();
  const events = () =>
    fixture.panel.db
      .selectFrom('notification_events')
      .select('data')
      .where('type', '=', 'run.finished_with_failures')
      .orderBy('id')
      .execute();

  it('is emitted once, when the last site has ended and one failed', async () => {
    const [good, bad] = [await fixture.newSite(), await fixture.newSite()];
    const fine = await fixture.startUpdate([good.id]);
    await fixture.waitForRun(fine);
    expect(await events()).toEqual([]);
    await fixture.setSiteUrl(bad.id, 'http://127.0.0.1:1');
    const run = await fixture.startUpdate([good.id, bad.id]);
    await fixture.waitForRun(run);
    expect(await events()).toEqual([
      {
        data: {
          ...{ run_id: run, sites: 2, failed: 1, partly_failed: 0 },
          ...{ unverified: 0, unchecked: 0, unknown: 0 },
        },
      },
    ]);
    const unchecked = await fixture.newSite();
    unchecked.routes.update = () => ({
      success: true,
      results: {
        plugins: [{ slug: 'shop/shop.php', new_version: '2.0', success: true, verified: false }],
        ...{ themes: [], core: null },
      },
      errors: [],
    });
    const quiet = await fixture.waitForRun(await fixture.startUpdate([unchecked.id]));
    expect(quiet.counts).toEqual({ unverified: 1 });
    expect(await events()).toHaveLength(1);
    const single = { site_id: bad.id, action: 'activate', plugin: 'shop/shop.php' };
    await fixture.owner.post('/remote/plugin-action', single);
    expect(await events()).toHaveLength(1);
  });
});
