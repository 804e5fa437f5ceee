import type { Inventory, Preflight, PreflightReport } from '@steward/contract';
import {
  inventory,
  newLicenseWithSites,
  newUserWithAccess,
  recordFailure,
} from '@steward/testkit/panel/licensed-sites.ts';
import { usePanelWithOwner } from '@steward/testkit/panel/signed-in-user.ts';
import { VERSIONS } from '@steward/testkit/panel/test-panel.ts';
import { describe, expect, it } from 'vitest';

const { panel, owner } = usePanelWithOwner();

const READY = { remote_enabled: true, file_changes: 'ok', free_bytes: 1e10, locked: false };
const SHOP = { type: 'plugin', slug: 'shop/shop.php', version: '2.0' };
const HOUR_MS = 3_600_000;

async function newLicense() {
  const license = await newLicenseWithSites(panel);
  return {
    ...license,
    /** Adds a site with the pending plugins `forms` and `shop`. */
    async addReporting(
      preflight: PreflightReport | undefined,
      shop: Partial<Inventory['plugins'][number]> = {},
    ) {
      const report = inventory({ plugins: ['forms', 'shop'] });
      for (const item of report.plugins) if (item.plugin === SHOP.slug) Object.assign(item, shop);
      const site = await license.addSite({ inventory: null });
      const body = { site_url: site.url, ...VERSIONS, inventory: report, preflight };
      await license.post('/api/v1/site/verify', body);
      return site;
    },
  };
}

async function requestPreflight(
  site_ids: number[],
  items?: object[],
  user = owner,
): Promise<Preflight> {
  const { status, body } = await user.call('POST', '/panel/sites/preflight', { site_ids, items });
  expect([status, body.error]).toEqual([200, undefined]);
  return body.preflight;
}

const summarize = ({ groups }: Preflight) =>
  groups.map(({ reason, is_certain, site_ids, partial_site_ids }) => [
    `${reason}${is_certain ? '' : '?'}`,
    site_ids,
    partial_site_ids,
  ]);

describe('POST /panel/sites/preflight', () => {
  it('groups sites by the reason why an update would fail', async () => {
    const license = await newLicense();
    const ready = await license.addReporting(READY);
    const readOnly = await license.addReporting({ ...READY, file_changes: 'disabled' });
    const off = await license.addReporting({ ...READY, remote_enabled: false });
    const busy = await license.addReporting({ ...READY, locked: true });
    const oldPhp = await license.addReporting(READY, { requires_php: '99' });
    const down = await license.addReporting(READY);
    await recordFailure(panel, down.id, 'site_timeout');
    const gone = await license.addReporting(READY);
    await license.deactivate(gone.url);
    const all = [ready, readOnly, off, busy, oldPhp, down, gone].map(({ id }) => id);
    const preflight = await requestPreflight([...all, 999_999]);
    expect(summarize(preflight)).toEqual([
      ['site_not_active', [gone.id], []],
      ['remote_disabled', [off.id], []],
      ['file_changes_disabled', [readOnly.id], []],
      ['php_too_old', [], [oldPhp.id]],
      ['not_reachable?', [down.id], []],
      ['site_busy?', [busy.id], []],
    ]);
    expect(new Set(preflight.certain_site_ids)).toEqual(new Set([gone.id, off.id, readOnly.id]));
    expect([preflight.checked, preflight.unchecked.count, preflight.not_found]).toEqual([7, 0, 1]);
    const php = preflight.groups.find(({ reason }) => reason === 'php_too_old');
    expect(php?.sites[0]).toMatchObject({
      error: `The shop: The new version requires PHP 99; this site runs ${VERSIONS.php_version}.`,
      items: [{ ...SHOP, name: 'The shop' }],
    });
  });

  it('considers only the chosen updates', async () => {
    const license = await newLicense();
    const site = await license.addReporting(READY, { requires: '99.0' });
    expect((await requestPreflight([site.id], [SHOP])).certain_site_ids).toEqual([site.id]);
    expect(summarize(await requestPreflight([site.id], [SHOP]))).toEqual([
      ['cms_too_old', [site.id], []],
    ]);
    const forms = { ...SHOP, slug: 'forms/forms.php' };
    expect((await requestPreflight([site.id], [forms])).groups).toEqual([]);
    expect((await requestPreflight([site.id], [{ ...SHOP, version: '3.0' }])).groups).toEqual([]);
  });

  it('compares required plugins with the active ones of the same report', async () => {
    const license = await newLicense();
    const met = await license.addReporting(READY, { requires_plugins: ['calm', 'forms'] });
    const missing = await license.addReporting(READY, { requires_plugins: ['calm', 'base'] });
    const inactive = await license.addReporting(READY, {
      requires_plugins: ['base'],
      active: false,
    });
    const { groups } = await requestPreflight([met.id, missing.id, inactive.id], [SHOP]);
    expect(groups.map(({ reason, site_ids }) => [reason, site_ids])).toEqual([
      ['plugin_missing', [missing.id]],
    ]);
    expect(groups[0]?.sites[0]?.error).toContain('not active: base.');
  });

  it('is certain of nothing after 24 hours, and names sites without a report', async () => {
    const license = await newLicense();
    const site = await license.addReporting({ ...READY, file_changes: 'disabled' });
    const older = await license.addReporting(undefined);
    const { now } = panel.fakes;
    panel.fakes.now = new Date(now.getTime() + 25 * HOUR_MS);
    try {
      const { groups, unchecked, certain_site_ids } = await requestPreflight([site.id, older.id]);
      expect(groups.map(({ reason, is_certain }) => [reason, is_certain])).toEqual([
        ['file_changes_disabled', false],
      ]);
      expect(certain_site_ids).toEqual([]);
      expect(new Map(unchecked.sites.map(({ id, reason }) => [id, reason]))).toEqual(
        new Map([
          [site.id, 'report_old'],
          [older.id, 'report_missing'],
        ]),
      );
    } finally {
      panel.fakes.now = now;
    }
  });

  it('hides sites that the user may not see', async () => {
    const license = await newLicense();
    const granted = await license.addReporting({ ...READY, remote_enabled: false });
    const hidden = await license.addReporting({ ...READY, remote_enabled: false });
    const viewer = await newUserWithAccess(panel, 'viewer', [{ siteId: granted.id }]);
    const preflight = await requestPreflight([granted.id, hidden.id], undefined, viewer);
    expect([preflight.certain_site_ids, preflight.not_found]).toEqual([[granted.id], 1]);
    expect(JSON.stringify(preflight)).not.toContain(new URL(hidden.url).host);
  });
});

describe('the backups of a site', () => {
  it('are stored, shown and listed, and hold an update by a rule', async () => {
    const license = await newLicense();
    const [saved, other] = [await license.addReporting(READY), await license.addReporting(READY)];
    const ids = [saved.id, other.id];
    const { now } = panel.fakes;
    const hoursAgo = (hours: number) => new Date(now.getTime() - hours * HOUR_MS).toISOString();
    const report = (backups: object[], more: object = {}) =>
      license.post('/api/v1/site/verify', {
        ...{ site_url: saved.url, ...VERSIONS, ...more, backup_state: { backups } },
      });
    const show = async (id: number) => (await owner.get(`/panel/sites/${id}`)).body.site;
    expect(await show(other.id)).toMatchObject({ backups: null, backed_up_at: null });
    expect((await requestPreflight(ids)).without_backup).toMatchObject({ count: 2 });

    const updraft = { plugin: 'updraftplus', backed_up_at: hoursAgo(5), contains: 'database' };
    const full = { ...updraft, backed_up_at: hoursAgo(30), contains: 'all' };
    const unknown = { plugin: 'pigeon', backed_up_at: hoursAgo(1), contains: 'all' };
    const jetpack = { plugin: 'jetpack', backed_up_at: null };
    await report([full, updraft, unknown, jetpack]);
    expect(await show(saved.id)).toMatchObject({
      backed_up_at: hoursAgo(30),
      backups: [
        { ...full, name: 'UpdraftPlus' },
        { ...updraft, name: 'UpdraftPlus' },
        { ...jetpack, name: 'Jetpack VaultPress Backup', contains: 'all' },
      ],
    });
    expect((await requestPreflight(ids)).without_backup.sites).toContainEqual({
      ...{ id: saved.id, name: new URL(saved.url).host, backed_up_at: hoursAgo(30) },
    });
    // Also with an inventory that is already stored.
    const repeated = inventory({ plugins: ['forms', 'shop'] });
    await report([{ ...full, backed_up_at: hoursAgo(2) }], { inventory: repeated });
    expect((await owner.get('/panel/sites')).body.sites).toContainEqual(
      expect.objectContaining({ id: saved.id, backed_up_at: hoursAgo(2) }),
    );
    expect((await requestPreflight(ids)).without_backup).toMatchObject({
      count: 1,
      sites: [{ id: other.id, backed_up_at: null }],
    });

    const { rule } = (await owner.post('/panel/rules', { aspect: 'backup', hours: 24 })).body;
    const plan = async () =>
      (await owner.post('/panel/sites/update-summary', { site_ids: ids })).body.summary;
    expect(await plan()).toMatchObject({
      sites: 1,
      left_out: [{ reason: 'held_version', sites: 1, hold: { reason: 'no_backup' } }],
    });
    await report([{ ...full, backed_up_at: 'yesterday' }]);
    expect(await plan()).toMatchObject({ sites: 0, left_out: [{ sites: 2 }] });
    await owner.call('DELETE', `/panel/rules/${rule.id}`);
    expect(await plan()).toMatchObject({ sites: 2, left_out: [] });
    await expect(report([{ ...full, contains: 5 }])).rejects.toThrow();
  });
});

describe('POST /api/v1/site/verify', () => {
  const readRow = (id: number) =>
    panel.db
      .selectFrom('sites')
      .select(['preflight', 'time_zone', 'inventory'])
      .where('id', '=', id)
      .executeTakeFirstOrThrow();

  it('ignores unknown words, and keeps requirements out of the inventory', async () => {
    const license = await newLicense();
    const site = await license.addReporting(
      {
        file_changes: 'by_pigeon',
        not_writable: [
          { type: 'moon', folder: '/dark' },
          { type: 'core', folder: 'line\nfeed' },
        ],
        free_bytes: null,
        unknown: { deep: true },
      } as PreflightReport,
      { requires_php: '7.4', package_bytes: 1000 },
    );
    const { preflight, inventory: stored } = await readRow(site.id);
    expect(preflight).toEqual({
      not_writable: [{ type: 'core', folder: 'line feed' }],
      free_bytes: null,
      items: [{ ...SHOP, requires_php: '7.4', package_bytes: 1000 }],
    });
    expect(JSON.stringify(stored)).not.toContain('requires_php');
    expect((await requestPreflight([site.id])).groups).toEqual([]);
  });

  it('refuses a field of the wrong type or size, and keeps the last report', async () => {
    const license = await newLicense();
    const { license_key } = license;
    const site = await license.addReporting(READY);
    for (const fields of [
      { preflight: { locked: 'yes' } },
      { preflight: { free_bytes: -1 } },
      { preflight: { free_bytes: '12' } },
      { preflight: [] },
      { preflight: { not_writable: Array(11).fill({ type: 'core', folder: '' }) } },
      { preflight: { not_writable: [{ type: 'core', folder: 'x'.repeat(501) }] } },
      { time_zone: 'x'.repeat(65) },
      { time_zone: 2 },
    ]) {
      const body = { license_key, site_url: site.url, ...fields };
      const { status } = await panel.post('/api/v1/site/verify', body);
      expect([JSON.stringify(fields), status]).toEqual([JSON.stringify(fields), 400]);
    }
    expect((await readRow(site.id)).preflight).toMatchObject(READY);
  });

  it('stores the time zone of the site, and ignores a text that is no time zone', async () => {
    const license = await newLicense();
    const { license_key } = license;
    const site = await license.addSite({ inventory: null });
    const send = async (time_zone: string, path = 'site/verify') => {
      const body = { license_key, site_url: site.url, ...VERSIONS, time_zone };
      expect((await panel.post(`/api/v1/${path}`, body)).status).toBe(200);
      return (await readRow(site.id)).time_zone;
    };
    expect(await send('Europe/Berlin', 'license/activate')).toBe('Europe/Berlin');
    expect(await send('+05:45')).toBe('+05:45');
    for (const text of ['Mars/Olympus', '+99:00', '', '../etc']) {
      expect(await send(text)).toBe('+05:45');
    }
    expect(await send('UTC')).toBe('UTC');
  });
});
