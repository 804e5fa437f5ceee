import {
  inventory,
  newLicenseWithSites,
  newUserWithAccess,
  recordFailure,
} from '@steward/testkit/panel/licensed-sites.ts';
import {
  newSignedInUser,
  type Person,
  usePanelWithOwner,
} from '@steward/testkit/panel/signed-in-user.ts';
import { VERSIONS } from '@steward/testkit/panel/test-panel.ts';
import { beforeAll, describe, expect, it } from 'vitest';

const daysInMs = (count: number) => count * 24 * 60 * 60 * 1000;

describe('GET /panel/overview', () => {
  const { panel, owner } = usePanelWithOwner();
  const license = {} as Awaited<ReturnType<typeof newLicenseWithSites>>;
  let onlySite = 0;

  beforeAll(async () => {
    Object.assign(license, await newLicenseWithSites(panel));
    const now = panel.fakes.now;
    panel.fakes.now = new Date(now.getTime() - daysInMs(10));
    const away = await license.addSite({ inventory: inventory({ plugins: ['forms'] }) });
    await recordFailure(panel, away.id, 'site_unreachable');
    panel.fakes.now = now;
    await license.addSite({ inventory: inventory({ plugins: ['forms', 'seo'], core: true }) });
    onlySite = (await license.addSite({ inventory: inventory({ themes: ['dark'] }) })).id;
    await license.addSite({ inventory: null });
    const { url } = await license.addSite({ inventory: inventory({ plugins: ['old', 'seo'] }) });
    await license.deactivate(url);
    const suspended = await newLicenseWithSites(panel);
    await suspended.addSite({ inventory: inventory({ plugins: ['old'] }) });
    await panel.suspend(suspended.id);
    await panel.license({ expiresAt: new Date(now.getTime() + daysInMs(31)) });
    await panel.license({ expiresAt: new Date(now.getTime() - 1) });
    const ending = await panel.license({ expiresAt: new Date(now.getTime() + daysInMs(5)) });
    await panel.suspend(ending.id);
  });

  it('returns zeros to a user without sites', async () => {
    const viewer = await newSignedInUser(panel, 'viewer');
    const { status, body } = await viewer.get('/panel/overview');
    expect(status).toBe(200);
    expect(body.overview).toMatchObject({
      sites: { total: 0, with_updates: 0, by_status: { updates: 0, deactivated: 0 } },
      pending: { plugins: 0, themes: 0, core: 0 },
      without_item_updates: 0,
      outdated_plugins: [],
      versions: { cms: null, php: null },
    });
    const { updates_by_day } = body.overview;
    expect(updates_by_day).toHaveLength(30);
    expect(new Set(updates_by_day.flatMap(Object.values).filter(Number))).toEqual(new Set());
  });

  it('counts sites by status, and updates only where they can run', async () => {
    const { body } = await owner.get('/panel/overview');
    expect(body.overview).toMatchObject({
      sites: {
        total: 6,
        by_status: {
          failing: 0,
          not_reachable: 1,
          updates: 2,
          stale: 0,
          never_synced: 1,
          up_to_date: 0,
          remote_off: 0,
          license_invalid: 1,
          deactivated: 1,
        },
        with_updates: 3,
      },
      pending: { plugins: 3, themes: 1, core: 1 },
      outdated_plugins: [
        // Like the page of the plugin: on all sites, also where an update cannot run now.
        { plugin: 'old/old.php', name: 'The old', sites: 2 },
        { plugin: 'seo/seo.php', name: 'The seo', sites: 2 },
        { plugin: 'forms/forms.php', name: 'The forms', sites: 2 },
      ],
    });
  });

  it('agrees with the pages of the outdated plugins', async () => {
    const { outdated_plugins } = (await owner.get('/panel/overview')).body.overview;
    for (const { plugin, sites } of outdated_plugins) {
      const { body } = await owner.get(`/panel/software/item?type=plugin&slug=${plugin}`);
      expect([plugin, body.software.outdated_sites]).toEqual([plugin, sites]);
    }
  });

  it('agrees with the status filters of the site list', async () => {
    const { by_status } = (await owner.get('/panel/overview')).body.overview.sites;
    for (const [status, count] of Object.entries(by_status)) {
      const { body } = await owner.get(`/panel/sites?status=${status}`);
      expect([status, body.total.count]).toEqual([status, count]);
    }
  });

  it('agrees with the site list and the update preview on the sites to update', async () => {
    const { with_updates } = (await owner.get('/panel/overview')).body.overview.sites;
    const { body } = await owner.get('/panel/sites?pending=updatable');
    expect(body.total.count).toBe(with_updates);
    const { site_ids } = (await owner.get('/panel/sites/ids')).body;
    const { preview } = (await owner.post('/panel/sites/update-preview', { site_ids })).body;
    const idsOf = (sites: { id: number }[]) => sites.map(({ id }) => id);
    expect(new Set(idsOf(body.sites))).toEqual(new Set(preview.to_update.site_ids));
  });

  it('lists valid licenses that expire within 30 days, for owners only', async () => {
    const soon = new Date(panel.fakes.now.getTime() + daysInMs(30));
    const { id, key_last_six } = await panel.license({ planName: 'Ending', expiresAt: soon });
    const { body } = await owner.get('/panel/overview');
    expect(body.overview.expiring_licenses).toEqual([
      {
        id,
        key_last_six,
        name: null,
        plan: 'Ending',
        expires_at: soon.toISOString(),
        sites_used: 0,
      },
    ]);
    const manager = await newUserWithAccess(panel, 'manager', [{ licenseId: id }]);
    expect((await manager.get('/panel/overview')).body.overview.expiring_licenses).toBeNull();
  });

  it('counts only sites that the user may see', async () => {
    const viewer = await newUserWithAccess(panel, 'viewer', [{ siteId: onlySite }]);
    const { body } = await viewer.get('/panel/overview');
    expect(body.overview).toMatchObject({
      sites: { total: 1, by_status: { updates: 1, stale: 0 }, with_updates: 1 },
      pending: { plugins: 0, themes: 1, core: 0 },
      without_item_updates: 1,
      outdated_plugins: [],
      versions: {
        cms: { sites: 1, versions: [{ version: '6.6.2', sites: 1 }], newest_version: '6.6.2' },
        php: { sites: 1, other_versions: 0 },
      },
    });
  });
});

describe('GET /panel/overview with several versions', () => {
  const { panel, owner } = usePanelWithOwner();

  it('counts versions in use, and sites that cannot update single items', async () => {
    const license = await newLicenseWithSites(panel);
    const core = (version: string) => ({ ...inventory(), core: { version } });
    const addSite = (php_version: string, cms_version: string) =>
      license.addSite({ versions: { php_version }, inventory: core(cms_version) });
    const { id } = await addSite('8.3.11', '6.8.2');
    await addSite('8.3.2', '6.8.2');
    const { url } = await addSite('8.10.0-dev', '6.10');
    for (const version of ['7.4.33', '5.6', '8.0.1', '8.1.1']) await addSite(version, '6.8.2');
    await addSite('custom', '6.8.2');
    await license.post('/api/v1/license/activate', {
      site_url: url,
      ...VERSIONS,
      php_version: '8.10.0-dev',
      capabilities: ['update.items'],
    });
    const disconnected = await addSite('7.4.1', '6.8.2');
    await license.deactivate(disconnected.url);
    const { versions, without_item_updates } = (await owner.get('/panel/overview')).body.overview;
    expect(without_item_updates).toBe(7);
    expect(versions.cms).toEqual({
      sites: 9,
      newest_version: '6.10',
      versions: [
        { version: '6.8.2', sites: 8 },
        { version: '6.10', sites: 1 },
      ],
      other_versions: 0,
    });
    expect(versions.php).toMatchObject({ sites: 9, newest_version: '8.10', other_versions: 1 });
    expect(versions.php.versions).toHaveLength(5);
    expect(versions.php.versions).toEqual(
      expect.arrayContaining([
        { version: '8.3', sites: 2 },
        { version: '7.4', sites: 2 },
      ]),
    );
    const viewer = await newUserWithAccess(panel, 'viewer', [{ siteId: id }]);
    const { overview } = (await viewer.get('/panel/overview')).body;
    expect(overview.versions.php).toEqual({
      sites: 1,
      newest_version: '8.3',
      versions: [{ version: '8.3', sites: 1 }],
      other_versions: 0,
    });
  });
});

describe('GET /panel/overview with a damaged audit log', () => {
  const { panel, owner } = usePanelWithOwner();
  /** Runs as the owner of the tables with the triggers disabled. */
  const tamper = (statement: string) =>
    panel.executeAsTableOwner(
      `ALTER TABLE audit_log DISABLE TRIGGER USER; ALTER TABLE audit_chain DISABLE TRIGGER USER;
       ${statement};
       ALTER TABLE audit_log ENABLE ALWAYS TRIGGER audit_log_append_only;
       ALTER TABLE audit_chain ENABLE ALWAYS TRIGGER audit_chain_append_only`,
    );
  const warningFor = async (who: Pick<Person, 'get'>) =>
    (await who.get('/panel/overview')).body.overview.audit_warning;

  it('warns only owners of the first missing record', async () => {
    const { auditChain, auditMonitor } = panel.services;
    await auditMonitor.check();
    await auditChain.seal();
    await auditMonitor.walk();
    expect(await warningFor(owner)).toBeNull();
    const { rows } = await panel.pool.query('SELECT max(id) AS id FROM audit_log');
    const newest = rows[0].id;
    await tamper(
      `DELETE FROM audit_log WHERE id = ${newest}; DELETE FROM audit_chain WHERE record_id = ${newest}`,
    );
    await auditMonitor.check();
    expect(await warningFor(owner)).toEqual({
      severity: 'alarm',
      record_id: newest,
      message: expect.stringContaining(`First missing: record ${newest} `),
    });
    const viewer = await newSignedInUser(panel, 'viewer');
    expect(await warningFor(viewer)).toBeNull();
    await panel.services.acceptAuditHead('A test.', { actor: 'system', via: 'command_line' });
    expect(await warningFor(owner)).toBeNull();
  });

  it('warns of a changed old record and of disabled triggers', async () => {
    const { auditMonitor } = panel.services;
    await panel.executeAsTableOwner('ALTER TABLE audit_chain DISABLE TRIGGER USER');
    await auditMonitor.check();
    expect(await warningFor(owner)).toMatchObject({
      severity: 'alarm',
      message: expect.stringContaining('audit_chain'),
    });
    await tamper(`UPDATE audit_log SET actor = '77' WHERE id = 1`);
    await auditMonitor.walk();
    expect(await warningFor(owner)).toMatchObject({ severity: 'alarm', record_id: 1 });
  });
});
