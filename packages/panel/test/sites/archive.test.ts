import {
  addManySites,
  createHostNames,
  newLicenseWithSites,
  newUserWithAccess,
} from '@steward/testkit/panel/licensed-sites.ts';
import { newSignedInUser, usePanelWithOwner } from '@steward/testkit/panel/signed-in-user.ts';
import { newSiteUrl, VERSIONS } from '@steward/testkit/panel/test-panel.ts';
import { listAuditRecords } from '@steward/testkit/postgres/test-database.ts';
import { describe, expect, it } from 'vitest';

const SHOP = 'archive-shop/shop.php';

describe('POST /panel/sites/archive', () => {
  const { panel, owner } = usePanelWithOwner();

  async function connectSite(license: { id: number; license_key: string }) {
    const site = { license_key: license.license_key, site_url: newSiteUrl(), ...VERSIONS };
    const connect = async () => {
      const { status, body } = await panel.post('/api/v1/license/activate', site);
      expect(status).toBe(200);
      return body.activation.site_id as number;
    };
    const report = async (version = '1.0') => {
      const plugins = [{ plugin: SHOP, name: 'Shop', version, active: true, new_version: '9.0' }];
      const inventory = { plugins, themes: [], core: { version: '6.0' } };
      return panel.post('/api/v1/site/verify', { ...site, inventory });
    };
    const id = await connect();
    expect((await report()).status).toBe(200);
    return { id, connect, report };
  }

  /** Reads all places that list or count sites. */
  async function read(user = owner) {
    const [list, ids, overview, software, tags] = await Promise.all([
      user.get('/panel/sites?sort=cms_version'),
      user.get('/panel/sites/ids'),
      user.get('/panel/overview'),
      user.get(`/panel/software?type=plugin&search=Shop`),
      user.get('/panel/tags'),
    ]);
    const byName = await user.get('/panel/sites?limit=1');
    const item = software.body.software.find(({ slug }: { slug: string }) => slug === SHOP);
    return {
      listed: list.body.sites.map(({ id }: { id: number }) => id).sort(),
      firstPage: byName.body.sites.length,
      total: byName.body.total.count,
      selected: ids.body.site_ids.sort(),
      overview: overview.body.overview.sites.total,
      pendingPlugins: overview.body.overview.pending.plugins,
      software: item?.sites ?? 0,
      tagged: tags.body.tags[0]?.sites ?? 0,
    };
  }

  const archive = (ids: number[]) => owner.post('/panel/sites/archive', { site_ids: ids });

  it('removes the sites from all lists and counts, until they are restored or connect again', async () => {
    const license = await panel.license({ siteLimit: 2 });
    const [one, two] = [await connectSite(license), await connectSite(license)];
    const manager = await newSignedInUser(panel, 'manager');
    await owner.call('PUT', `/panel/users/${manager.id}/access/licenses/${license.id}`);
    await owner.post('/panel/sites/tags', { site_ids: [one.id, two.id], add: ['shop'] });
    const counts = (ids: number[]) => ({
      ...{ listed: ids, selected: ids, total: ids.length, firstPage: Math.min(1, ids.length) },
      ...{ overview: ids.length, pendingPlugins: ids.length, software: ids.length },
      tagged: ids.length,
    });
    expect(await read()).toEqual(counts([one.id, two.id]));

    const { status, body } = await archive([one.id, one.id, 999_999]);
    expect([status, body]).toEqual([200, { success: true, changed: 1, not_found: 1 }]);
    for (const user of [owner, manager]) expect(await read(user)).toEqual(counts([two.id]));
    expect((await archive([one.id])).body.changed).toBe(0);

    const archived = (await owner.get('/panel/sites?archived=true')).body;
    expect(archived).toMatchObject({
      sites: [{ id: one.id, status: 'deactivated', archived_at: panel.fakes.now.toISOString() }],
      total: { count: 1 },
    });
    const { license: used } = (await owner.get(`/panel/licenses/${license.id}`)).body;
    expect([used.sites_used, used.activations_total, used.activations.length]).toEqual([1, 1, 1]);
    expect((await one.report()).body.code).toBe('site_not_activated');

    // The page of the site and its history stay.
    const page = (await manager.get(`/panel/sites/${one.id}`)).body;
    expect(page.site.inventory.plugins).toHaveLength(1);
    const records = await listAuditRecords(panel, 'site', one.id);
    expect(records.map(({ action }) => action)).toEqual(['tag', 'archive']);
    const versions = async () =>
      (await owner.get(`/panel/sites/${one.id}/version-changes`)).body.changes.length;
    const before = await versions();
    const { rows } = await panel.pool.query('SELECT now() AS now');
    const at = (rows[0].now as Date).toISOString();
    const { body: past } = await owner.get(`/panel/sites/${one.id}/versions?at=${at}`);
    expect(past.software).toHaveLength(2);

    const restored = await owner.post('/panel/sites/unarchive', { site_ids: [one.id] });
    expect(restored.body).toEqual({ success: true, changed: 1, not_found: 0 });
    // A disconnected site has no updates that the panel could install.
    expect(await read()).toEqual({ ...counts([one.id, two.id]), pendingPlugins: 1 });
    expect(await versions()).toBe(before);

    await archive([one.id]);
    expect(await one.connect()).toBe(one.id);
    for (const user of [owner, manager]) expect(await read(user)).toEqual(counts([one.id, two.id]));
    await one.report('2.0');
    expect(await versions()).toBe(before + 1);
  });

  it('counts active and archived sites separately for a user with more than 1,000 sites', async () => {
    const license = await newLicenseWithSites(panel);
    await addManySites(panel, license.id, createHostNames(1005));
    const manager = await newUserWithAccess(panel, 'manager', [{ licenseId: license.id }]);
    const totals = async () =>
      Promise.all(
        ['', '?archived=true'].map(
          async (query) => (await manager.get(`/panel/sites${query}`)).body.total,
        ),
      );
    const none = { count: 0, is_exact: true };
    expect(await totals()).toEqual([{ count: 1000, is_exact: false }, none]);
    // The API archives them one by one, which would take long.
    await panel.pool.query(
      `UPDATE sites SET archived_at = now()
       WHERE id IN (SELECT id FROM sites WHERE license_id = $1 LIMIT 1002)`,
      [license.id],
    );
    expect(await totals()).toEqual([
      { count: 3, is_exact: true },
      { count: 1000, is_exact: false },
    ]);
    expect((await manager.get('/panel/sites/ids')).body.site_ids).toHaveLength(3);
  });

  it('waits for a report of the site without a deadlock', async () => {
    const { id } = await connectSite(await panel.license());
    const report = await panel.pool.connect();
    try {
      // Writes the site before its activation, as a report does.
      await report.query('BEGIN');
      await report.query('UPDATE sites SET inventory_at = now() WHERE id = $1', [id]);
      const archived = archive([id]);
      await expect
        .poll(async () => {
          const waiting = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock'
            AND datname = current_database()`;
          return (await panel.pool.query(waiting)).rowCount;
        })
        .toBe(1);
      await report.query("UPDATE license_activations SET cms_version = '6.9' WHERE site_id = $1", [
        id,
      ]);
      await report.query('COMMIT');
      expect((await archived).body).toMatchObject({ success: true, changed: 1 });
    } finally {
      report.release();
    }
  });

  it('is refused to users who are not owners, and for more than 1,000 sites', async () => {
    const manager = await newSignedInUser(panel, 'manager');
    for (const path of ['/panel/sites/archive', '/panel/sites/unarchive']) {
      expect((await manager.post(path, { site_ids: [1] })).status).toBe(403);
      for (const site_ids of [[], [0], ['1'], Array(1001).fill(1)]) {
        expect((await owner.post(path, { site_ids })).status).toBe(400);
      }
    }
  });
});
