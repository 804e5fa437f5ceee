import type { ItemErrorGroup } from '@steward/contract';
import {
  inventory,
  newLicenseWithSites,
  newUserWithAccess,
} from '@steward/testkit/panel/licensed-sites.ts';
import { usePanelWithOwner } from '@steward/testkit/panel/signed-in-user.ts';
import { newSiteUrl, VERSIONS } from '@steward/testkit/panel/test-panel.ts';
import { describe, expect, it } from 'vitest';
import { errorGroup, errorsAt, SHOP } from './support/reported-errors.ts';

const { panel, owner } = usePanelWithOwner();

async function newSite() {
  const license = await newLicenseWithSites(panel);
  const site = await license.addSite();
  const send = (body: object) =>
    panel.post('/api/v1/site/verify', {
      license_key: license.license_key,
      site_url: site.url,
      ...body,
    });
  const report = (...groups: Partial<ItemErrorGroup>[]) =>
    send({ inventory: inventory(), item_errors: errorsAt(panel.fakes.now, ...groups) });
  const show = async () => (await owner.get(`/panel/sites/${site.id}`)).body.site;
  return { ...site, license, send, report, show };
}

const advance = (hours: number) => {
  panel.fakes.now = new Date(panel.fakes.now.getTime() + hours * 3_600_000);
};

describe('POST /api/v1/site/verify with item_errors', () => {
  it('announces the capability', async () => {
    const { send } = await newSite();
    const { body } = await send({ capabilities: ['item_errors'] });
    expect(body.capabilities).toContain('item_errors');
  });

  it('stores errors for the page of the site, the last one first', async () => {
    const { report, show } = await newSite();
    const now = panel.fakes.now.toISOString();
    expect((await report({ count: 3 })).status).toBe(200);
    expect((await show()).item_errors).toEqual([
      {
        ...{ ...SHOP, name: SHOP.slug, version: '2.0', request_kind: 'admin' },
        message: 'Call to undefined function sell()',
        place: 'includes/cart.php:120',
        ...{ is_confirmed: true, is_new: false, count: 3, first_at: now, last_at: now },
      },
    ]);
    advance(1);
    await report({ place: 'shop.php:1' });
    const places = (await show()).item_errors.map(({ place }: ItemErrorGroup) => place);
    expect(places).toEqual(['shop.php:1', 'includes/cart.php:120']);
  });

  it('replaces a group that it reports again, and keeps a confirmation', async () => {
    const { report, show } = await newSite();
    const first = panel.fakes.now.toISOString();
    await report({ count: 3 });
    advance(1);
    await report({ count: 5, is_confirmed: false, first_at: first });
    expect((await show()).item_errors).toMatchObject([
      { count: 5, is_confirmed: true, first_at: first, last_at: panel.fakes.now.toISOString() },
    ]);
  });

  it('merges equal groups of visitors and of administrators', async () => {
    const { report, show } = await newSite();
    await report({ count: 3, is_confirmed: false }, { count: 2 });
    expect((await show()).item_errors).toMatchObject([{ count: 5, is_confirmed: true }]);
  });

  it.each([
    ['text', 'errors'],
    ['a list', []],
    ['groups that are none', { groups: 'none' }],
    ['only bad groups', { groups: [{}, null, 7, { ...errorGroup(), type: 'new' }] }],
  ])('accepts the rest of a report with %s', async (_, item_errors) => {
    const { send, show } = await newSite();
    const changed = inventory({ plugins: ['new'] });
    expect((await send({ inventory: changed, item_errors })).status).toBe(200);
    const site = await show();
    expect(site.item_errors).toEqual([]);
    expect(site.pending.plugins).toBe(1);
  });

  it('drops only the groups that it cannot read', async () => {
    const { send, show } = await newSite();
    const groups = [{ ...errorGroup(), request_kind: 'new' }, errorGroup(), { message: 'x' }];
    const now = panel.fakes.now.toISOString();
    await send({ inventory: inventory(), item_errors: { now, groups } });
    expect((await show()).item_errors).toHaveLength(1);
  });

  it('does not store errors for a wrong key', async () => {
    const { show, url } = await newSite();
    const { license_key } = await panel.license();
    const item_errors = errorsAt(panel.fakes.now, {});
    const refused = await panel.post('/api/v1/site/verify', {
      ...{ license_key, site_url: url, item_errors },
    });
    expect(refused.status).not.toBe(200);
    expect((await show()).item_errors).toEqual([]);
  });

  it('accepts 60 reports without an inventory a day', async () => {
    const { id, send, show } = await newSite();
    const item_errors = errorsAt(panel.fakes.now, {});
    expect((await send({ item_errors })).status).toBe(200);
    await panel.pool.query('UPDATE site_daily_use SET error_reports = 59 WHERE site_id = $1', [id]);
    expect((await send({ item_errors })).status).toBe(200);
    const other = errorsAt(panel.fakes.now, { place: 'other.php:1' });
    const refused = await send({ item_errors: other });
    expect([refused.status, refused.body.code]).toEqual([429, 'rate_limited']);
    expect((await show()).item_errors).toHaveLength(1);
    expect((await send({ inventory: inventory(), item_errors: other })).status).toBe(200);
    expect((await show()).item_errors).toHaveLength(2);
    advance(24);
    expect((await send({ item_errors })).status).toBe(200);
  });

  it('bounds what a site that invents errors can store', async () => {
    const { id, report } = await newSite();
    await report({ place: 'kept.php:1' });
    for (let turn = 0; turn < 12; turn++) {
      await report(
        ...Array.from({ length: 100 }, (_, index) => ({
          ...{ version: `${turn}.${index}`, is_confirmed: false },
        })),
      );
    }
    const { rows } = await panel.pool.query(
      `SELECT (SELECT count(*)::int FROM item_errors WHERE site_id = $1) AS groups,
         (SELECT count(*)::int FROM item_error_days WHERE site_id = $1) AS days,
         (SELECT count(*)::int FROM item_errors WHERE site_id = $1 AND is_confirmed) AS confirmed`,
      [id],
    );
    expect(rows[0].groups).toBeLessThanOrEqual(200);
    expect(rows[0].days).toBeLessThanOrEqual(1100);
    expect(rows[0].confirmed).toBe(1);
  });

  it('adds only the new errors of a group to its days', async () => {
    const { id, report } = await newSite();
    const readDays = async () =>
      (
        await panel.pool.query(
          `SELECT day::text, errors FROM item_error_days WHERE site_id = $1 ORDER BY day`,
          [id],
        )
      ).rows;
    await report({ count: 3 });
    await report({ count: 3 });
    const day = panel.fakes.now.toISOString().slice(0, 10);
    expect(await readDays()).toEqual([{ day, errors: 3 }]);
    advance(24);
    const next = panel.fakes.now.toISOString().slice(0, 10);
    await report({ count: 10 });
    expect(await readDays()).toEqual([
      { day, errors: 3 },
      { day: next, errors: 7 },
    ]);
    // The site has lost its counts.
    await report({ count: 2 });
    expect((await readDays())[1]).toEqual({ day: next, errors: 9 });
  });
});

describe('GET /panel/sites/:id', () => {
  it('shows the errors only to users who may see the site', async () => {
    const { id, report } = await newSite();
    await report({});
    const manager = await newUserWithAccess(panel, 'manager', [{ siteId: id }]);
    expect((await manager.get(`/panel/sites/${id}`)).body.site.item_errors).toHaveLength(1);
    const other = await newUserWithAccess(panel, 'manager', []);
    expect((await other.get(`/panel/sites/${id}`)).status).toBe(404);
  });

  it('has no errors of a site that reports none', async () => {
    const { license } = await newSite();
    const { id } = await license.addSite({ url: newSiteUrl(), versions: VERSIONS });
    expect((await owner.get(`/panel/sites/${id}`)).body.site.item_errors).toEqual([]);
  });
});

/** Last: the sessions of users end meanwhile. */
describe('housekeeping', () => {
  it('deletes groups and days 30 days after their last report', async () => {
    const { id, report } = await newSite();
    await report({ place: 'old.php:1' });
    advance(29 * 24);
    await report({ place: 'new.php:1' });
    advance(2 * 24);
    await panel.services.housekeeping.run();
    const { rows } = await panel.pool.query('SELECT place FROM item_errors WHERE site_id = $1', [
      id,
    ]);
    expect(rows).toEqual([{ place: 'new.php:1' }]);
    const { rows: days } = await panel.pool.query(
      'SELECT FROM item_error_days WHERE site_id = $1',
      [id],
    );
    expect(days).toHaveLength(1);
  });
});
