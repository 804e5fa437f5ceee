import { newSignedInUser } from '@steward/testkit/panel/signed-in-user.ts';
import { FREQUENT_POLLS } from '@steward/testkit/panel/test-panel.ts';
import { useRunFixture } from '@steward/testkit/panel/use-run-fixture.ts';
import { outdatedSite } from '@steward/testkit/sites/site-fleet.ts';
import { describe, expect, it } from 'vitest';
import { SHOP } from './support/reported-errors.ts';
import { watchHelpers } from './support/watched-sites.ts';

const fixture = useRunFixture({}, { timing: FREQUENT_POLLS });
const { advance, report, update, newUpdatedSite } = watchHelpers(fixture);
const DAY_MINUTES = 24 * 60;

const readAnnounced = async () =>
  (await fixture.panel.db.selectFrom('notification_events').select(['type', 'key']).execute())
    .filter(({ type }) => type === 'version.troubled')
    .map(({ key }) => key);

describe('the watch after an update', () => {
  it('starts with the result, for 24 hours', async () => {
    const { readResult } = await newUpdatedSite();
    const { watch } = await readResult();
    const item = { ...SHOP, from_version: '1.0', version: '2.0', state: 'watching' };
    const until = expect.any(String);
    expect(watch).toEqual({
      ...{ state: 'watching', until, error: null },
      items: [{ ...item, until, error: null, restore_run_id: null }],
    });
    const hours = (Date.parse(watch?.until ?? '') - fixture.panel.fakes.now.getTime()) / 3_600_000;
    expect(hours).toBeGreaterThan(23.8);
    expect(hours).toBeLessThanOrEqual(24);
  });

  it('is troubled as soon as a confirmed error is reported', async () => {
    const { site, readResult, expectState } = await newUpdatedSite();
    await report(site, [{ message: 'Uncaught Error: no price' }]);
    await expectState('troubled');
    const { watch, status } = await readResult();
    expect(status).toBe('succeeded');
    expect(watch?.error).toMatchObject({
      ...{ ...SHOP, version: '2.0', message: 'Uncaught Error: no price' },
      ...{ place: 'includes/cart.php:120', request_kind: 'admin', is_confirmed: true },
    });
    expect(
      (await fixture.owner.get(`/panel/sites/${site.id}`)).body.site.item_errors,
    ).toMatchObject([{ message: 'Uncaught Error: no price', is_new: true }]);
    expect(await readAnnounced()).toEqual(['version.troubled plugin shop/shop.php 2.0']);
    const list = '/panel/sites?software_type=plugin&software=shop%2Fshop.php';
    const { sites } = (await fixture.owner.get(list)).body;
    const listed = sites.find(({ id }: { id: number }) => id === site.id);
    expect(listed?.installed).toMatchObject({ version: '2.0', health: 'troubled' });
  });

  it('announces a version once, also if it fails on further sites', async () => {
    const { site, expectState } = await newUpdatedSite();
    await report(site, [{}]);
    await expectState('troubled');
    expect(await readAnnounced()).toHaveLength(1);
  });

  it('shows errors of visitors at once, and ends reported', async () => {
    const { site, readResult, expectState } = await newUpdatedSite();
    await report(site, [{ is_confirmed: false }]);
    await expect.poll(async () => (await readResult()).watch?.error?.is_confirmed).toBe(false);
    expect((await readResult()).watch?.state).toBe('watching');
    advance(DAY_MINUTES);
    await expectState('reported');
    // The site has reproduced the error meanwhile.
    const at = new Date(fixture.panel.fakes.now.getTime() - 60 * 60_000).toISOString();
    await report(site, [{ first_at: at, last_at: at }]);
    await expectState('troubled');
  });

  it('is not troubled by an error that existed before the update', async () => {
    const site = await fixture.newSite(outdatedSite());
    await report(site, [{ version: '1.0', place: 'includes/cart.php:97' }]);
    advance(10);
    const { readResult, expectState } = await update(site);
    await report(site, [{}]);
    advance(DAY_MINUTES - 60);
    await report(site, []);
    advance(60);
    await expectState('healthy');
    expect((await readResult()).watch?.error).toBeNull();
    const { item_errors } = (await fixture.owner.get(`/panel/sites/${site.id}`)).body.site;
    expect(item_errors.map(({ is_new }: { is_new: boolean }) => is_new)).toEqual([false, false]);
  });

  it('ends unknown if the site dropped groups', async () => {
    const { site, expectState } = await newUpdatedSite();
    await report(site, [], { dropped: 3 });
    advance(DAY_MINUTES);
    await expectState('unknown');
  });

  it('ends unknown if the site does not report errors', async () => {
    const { expectState } = await newUpdatedSite();
    advance(DAY_MINUTES);
    await expectState('unknown');
  });

  it('ends healthy if the site reports no error', async () => {
    const { site, expectState } = await newUpdatedSite();
    advance(DAY_MINUTES - 60);
    await report(site, []);
    advance(60);
    await expectState('healthy');
  });

  it('ends unknown if the site was silent in the last hours', async () => {
    const { site, expectState } = await newUpdatedSite();
    await report(site, []);
    advance(DAY_MINUTES);
    await expectState('unknown');
  });

  it('is hidden from a user who may not see the site', async () => {
    const { site, expectState, runId } = await newUpdatedSite();
    await report(site, [{}]);
    await expectState('troubled');
    const manager = await newSignedInUser(fixture.panel, 'manager');
    expect((await manager.get(`/panel/runs/${runId}`)).status).toBe(404);
  });
});

describe('observations after an update', () => {
  it('are requested for 1, 10 and 60 minutes after each update', async () => {
    const { runId } = await newUpdatedSite();
    const checks = await fixture.panel.db
      .selectFrom('repeated_checks')
      .select('delay_seconds')
      .where('run_id', '=', runId)
      .orderBy('delay_seconds')
      .execute();
    expect(checks.map(({ delay_seconds }) => delay_seconds)).toEqual([60, 600, 3600]);
  });

  const countOpenChecks = async (runId: number) => {
    const checks = fixture.panel.db.selectFrom('repeated_checks').select('id');
    const open = checks.where('run_id', '=', runId).where('done_at', 'is', null);
    return (await open.execute()).length;
  };
  const readLastReport = async (siteId: number) => {
    const site = fixture.panel.db.selectFrom('sites').select('inventory_at');
    return (await site.where('id', '=', siteId).executeTakeFirstOrThrow()).inventory_at?.getTime();
  };

  it('ask a site that can report errors to check in', async () => {
    const site = await fixture.newSite(outdatedSite());
    await fixture.panel.pool.query(
      `UPDATE license_activations SET capabilities = capabilities || '{item_errors}' WHERE site_id = $1`,
      [site.id],
    );
    const { runId } = await update(site);
    await expect.poll(() => countOpenChecks(runId)).toBe(2);
    const now = fixture.panel.fakes.now.getTime();
    await expect.poll(() => readLastReport(site.id)).toBe(now);
  });

  it('do not ask a site that cannot report errors', async () => {
    const { site, runId } = await newUpdatedSite();
    const reportedAt = await readLastReport(site.id);
    await expect.poll(() => countOpenChecks(runId)).toBe(2);
    expect(await readLastReport(site.id)).toBe(reportedAt);
  });
});
