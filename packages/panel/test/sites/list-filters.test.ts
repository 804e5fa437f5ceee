import { SITE_SORTS, SITE_STATUSES, type SiteItem } from '@steward/contract';
import {
  inventory,
  newLicenseWithSites,
  newUserWithAccess,
  recordFailure,
  useSiteListPanel,
} from '@steward/testkit/panel/licensed-sites.ts';
import { OPERATOR, VERSIONS } from '@steward/testkit/panel/test-panel.ts';
import { beforeAll, describe, expect, it } from 'vitest';

type Licensed = Awaited<ReturnType<typeof newLicenseWithSites>>;

describe('GET /panel/sites, filters', () => {
  const { panel, owner, listSites } = useSiteListPanel();
  const daysInMs = (count: number) => count * 24 * 60 * 60 * 1000;

  /** Adds a site for each status and each filter value. */
  beforeAll(async () => {
    const now = panel.fakes.now;
    const license = await newLicenseWithSites(panel);
    panel.fakes.now = new Date(now.getTime() - daysInMs(4));
    await license.addSite({ url: 'https://stale.example.com' });
    await license.addSite({ url: 'https://checks.example.com' });
    panel.fakes.now = now;
    await license.check('https://checks.example.com');
    await license.addSite({ url: 'https://silent.example.com', inventory: null });
    await license.addSite({ url: 'https://gone.example.com' });
    await license.deactivate('https://gone.example.com');
    await license.addSite({
      url: 'https://staging.example.com',
      environment: 'staging',
      inventory: inventory({ plugins: ['forms'] }),
    });
    await license.addSite({
      url: 'https://core.example.com',
      inventory: inventory({ core: true }),
    });
    await license.addSite({
      url: 'https://themes.example.com',
      inventory: inventory({ themes: ['dark'] }),
    });
    const suspended = await newLicenseWithSites(panel);
    await suspended.addSite({ url: 'https://suspended.example.com' });
    await panel.suspend(suspended.id);
    const expiring = await panel.license({ expiresAt: new Date(now.getTime() + 1000) });
    const body = { license_key: expiring.license_key, ...VERSIONS };
    const request = { ...body, site_url: 'https://expired.example.com' };
    await panel.post('/api/v1/license/activate', request);
    panel.fakes.now = new Date(now.getTime() + 1000);
    await addFaultySites(license, suspended);
  });

  /** Adds sites with faults, some with a status that takes precedence. */
  async function addFaultySites(license: Licensed, suspended: Licensed) {
    const fail = async (of: Licensed, name: string, code: string, report = inventory()) => {
      const url = `https://${name}.example.com`;
      const { id } = await of.addSite({ url, inventory: report });
      await recordFailure(panel, id, code);
      return url;
    };
    const one = inventory({ plugins: ['seo'] });
    await fail(license, 'fails', 'action_failed', one);
    await fail(license, 'away', 'site_timeout', one);
    const attacked = await fail(license, 'attacked', 'remote_disabled');
    const gone = await fail(license, 'gone-attacked', 'action_failed');
    await license.deactivate(gone);
    const alarm = { alarm: 'foreign_call', alarm_at: panel.fakes.now } as const;
    await panel.db.updateTable('sites').set(alarm).where('url', 'in', [attacked, gone]).execute();
    await fail(license, 'refuses', 'remote_disabled');
    await license.deactivate(await fail(license, 'gone-failing', 'action_failed'));
    const backups = await newLicenseWithSites(panel, { services: [] });
    await fail(backups, 'no-remote', 'action_failed');
    await backups.deactivate(await fail(backups, 'gone-no-remote', 'action_failed'));
    await panel.services.licenses.resume(suspended.id, OPERATOR);
    await fail(suspended, 'suspended-failing', 'site_unreachable');
    await panel.suspend(suspended.id);
  }

  for (const [status, found] of [
    ['alarm', ['attacked']],
    ['failing', ['fails']],
    ['not_reachable', ['away']],
    ['updates', ['core', 'staging', 'themes']],
    ['stale', ['stale']],
    ['never_synced', ['silent']],
    ['up_to_date', ['checks']],
    ['remote_off', ['no-remote', 'refuses']],
    ['license_invalid', ['expired', 'suspended-failing', 'suspended']],
    ['deactivated', ['gone-attacked', 'gone-failing', 'gone-no-remote', 'gone']],
  ] as const) {
    it(`filters by status ${status}`, async () => {
      const { names, body } = await listSites({ status });
      expect(names).toEqual(found.map((name) => `${name}.example.com`));
      for (const site of body.sites) expect(site.status).toBe(status);
      expect(body.total).toEqual({ count: found.length, is_exact: true });
    });
  }

  it('gives every site exactly one status', async () => {
    const lists = await Promise.all(SITE_STATUSES.map((status) => listSites({ status })));
    const all = await listSites({});
    expect(lists.flatMap(({ names }) => names).sort()).toEqual(all.names.toSorted());
  });

  it('sorts by status, the most urgent first, then by name', async () => {
    const lists = await Promise.all(SITE_STATUSES.map((status) => listSites({ status })));
    const expected = lists.flatMap(({ names }) => names);
    const read = async (order: string) => {
      const names: string[] = [];
      let cursor: string | null = null;
      do {
        const query: Record<string, string> = { sort: 'status', order, limit: '2' };
        const { body } = await listSites(cursor ? { ...query, cursor } : query);
        names.push(...body.sites.map(({ name }: SiteItem) => name));
        cursor = body.next_cursor;
      } while (cursor !== null);
      return names;
    };
    expect(await read('asc')).toEqual(expected);
    expect(await read('desc')).toEqual(expected.toReversed());
    const some = await listSites({ sort: 'status', status: 'remote_off' });
    expect(some.names).toEqual(['no-remote.example.com', 'refuses.example.com']);
    const found = await listSites({ sort: 'status', search: 'e', pending: 'any' });
    expect(found.names.map((name) => name.split('.')[0])).toEqual([
      'fails',
      'away',
      'core',
      'staging',
      'themes',
    ]);
  });

  it('finds the same sites by status for a manager with grants for all sites', async () => {
    const all = await listSites({});
    const targets = all.body.sites.map(({ id }: SiteItem) => ({ siteId: id }));
    const manager = await newUserWithAccess(panel, 'manager', targets);
    for (const status of SITE_STATUSES) {
      expect((await listSites({ status }, manager)).names).toEqual(
        (await listSites({ status })).names,
      );
    }
    const sorted = await listSites({ sort: 'status' }, manager);
    expect(sorted.names).toEqual((await listSites({ sort: 'status' })).names);
  });

  for (const [pending, found] of [
    ['any', ['away', 'core', 'fails', 'staging', 'themes']],
    ['plugins', ['away', 'fails', 'staging']],
    ['themes', ['themes']],
    ['core', ['core']],
  ] as const) {
    it(`filters by pending updates: ${pending}`, async () => {
      expect((await listSites({ pending })).names).toEqual(
        found.map((name) => `${name}.example.com`),
      );
    });
  }

  it('filters by pending updates: none', async () => {
    const { names } = await listSites({ pending: 'none' });
    expect(names).toHaveLength(13);
  });

  it('filters by environment', async () => {
    expect((await listSites({ environment: 'staging' })).names).toEqual(['staging.example.com']);
    expect((await listSites({ environment: 'local' })).names).toEqual([]);
    expect((await listSites({ environment: 'production' })).names).toHaveLength(17);
  });

  it('filters by the end of the certificate, and shows it beside the last 30 days', async () => {
    const { now } = panel.fakes;
    const inDays = (count: number) => new Date(now.getTime() + daysInMs(count));
    const ends = [
      ['core', inDays(-1)],
      ['themes', inDays(13)],
      ['staging', inDays(15)],
    ] as const;
    for (const [name, end] of ends) {
      await panel.pool.query(
        `INSERT INTO site_reachability (site_id, next_ping_at, certificate_expires_at)
         SELECT id, $2, $3 FROM sites WHERE name = $1`,
        [`${name}.example.com`, now, end],
      );
    }
    const day = (days: number) => inDays(days).toISOString().slice(0, 10);
    await panel.pool.query(
      `INSERT INTO site_days (site_id, day, checks, failed, seconds_down)
       SELECT id, d.day::date, 288, 2, d.seconds FROM sites, (VALUES ($1, 0), ($2, 600)) AS d (day, seconds)
       WHERE name = 'core.example.com'`,
      [day(0), day(-1)],
    );
    const expiring = await listSites({ certificate: 'expiring' });
    expect(expiring.names).toEqual(['core.example.com', 'themes.example.com']);
    expect(expiring.body.sites[0]).toMatchObject({
      certificate_expires_at: inDays(-1).toISOString(),
      reachability_days: `${'n'.repeat(28)}du`,
    });
    expect((await listSites({ certificate: 'expired' })).names).toEqual(['core.example.com']);
    const both = { certificate: 'expiring', pending: 'core' };
    expect((await listSites(both)).names).toEqual(['core.example.com']);
    expect((await owner.get('/panel/sites/ids?certificate=expired')).body.site_ids).toHaveLength(1);
    expect((await owner.get('/panel/sites?certificate=soon')).status).toBe(400);
  });

  it('filters by the support of PHP and WordPress versions', async () => {
    const setVersions = (name: string, php: string, cms: string) =>
      panel.pool.query(
        `UPDATE license_activations SET php_version = $2, cms_version = $3
         WHERE site_id = (SELECT id FROM sites WHERE name = $1)`,
        [`${name}.example.com`, php, cms],
      );
    const { rows: before } = await panel.pool.query(
      'SELECT site_id, php_version, cms_version FROM license_activations',
    );
    await panel.pool.query(
      "UPDATE license_activations SET php_version = '8.4.1', cms_version = '7.0'",
    );
    try {
      await setVersions('core', '7.4.33', '6.8.2');
      await setVersions('themes', '8.10.1', '7.1');
      await setVersions('staging', 'node-6.8.2', '6.8.2');
      const namesOf = async (support: string) => (await listSites({ support })).names;
      expect(await namesOf('php_ended')).toEqual(['core.example.com']);
      // No support ends within half a year after June 2026.
      expect(await namesOf('php_ending')).toEqual([]);
      expect(await namesOf('wordpress_ended')).toEqual(['core.example.com']);
      const both = { support: 'php_ended', search: 'themes' };
      expect((await listSites(both)).names).toEqual([]);
      const ids = await owner.get('/panel/sites/ids?support=php_ended');
      expect(ids.body.site_ids).toHaveLength(1);
      expect((await owner.get('/panel/sites?support=all')).status).toBe(400);
    } finally {
      for (const { site_id, php_version, cms_version } of before) {
        await panel.pool.query(
          'UPDATE license_activations SET php_version = $2, cms_version = $3 WHERE site_id = $1',
          [site_id, php_version, cms_version],
        );
      }
    }
  });

  it('filters by tag, ignoring case', async () => {
    const { body } = await listSites({ search: 'core.' });
    await owner.call('PUT', `/panel/sites/${body.sites[0].id}/tags`, { tags: ['Client A'] });
    expect((await listSites({ tag: 'client a' })).names).toEqual(['core.example.com']);
    expect((await listSites({ tag: 'client' })).names).toEqual([]);
  });

  it('combines all filters', async () => {
    const all = { search: 'example', status: 'updates', pending: 'any', environment: 'staging' };
    for (const sort of SITE_SORTS) {
      expect((await listSites({ ...all, sort })).names).toEqual(['staging.example.com']);
    }
  });

  it('GET /panel/sites/ids returns the ids and pending updates of all matches', async () => {
    const { status, body } = await owner.get('/panel/sites/ids?pending=any');
    const listed = await listSites({ pending: 'any' });
    const ids = listed.body.sites.map(({ id }: SiteItem) => id);
    expect(status).toBe(200);
    expect(body).toEqual({
      success: true,
      site_ids: ids.toSorted((a: number, b: number) => a - b),
      is_complete: true,
      pending: { plugins: 3, themes: 1, core: 1 },
    });
  });
});
