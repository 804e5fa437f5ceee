import { isNewerVersion, type SoftwareVersion } from '@steward/contract';
import { newLicenseWithSites, newUserWithAccess } from '@steward/testkit/panel/licensed-sites.ts';
import { describe, expect, it } from 'vitest';
import { plugin, useSoftwarePanel, withPlugins } from './support/software-panel.ts';

describe('GET /panel/software/item', () => {
  const { panel, owner, ask, askItem } = useSoftwarePanel();

  async function addSites(slug: string, installed: [string, string?][]) {
    const license = await newLicenseWithSites(panel);
    for (const [version, new_version] of installed) {
      const fields = { version, ...(new_version !== undefined && { new_version }) };
      await license.addSite({ inventory: withPlugins(plugin(slug, fields)) });
    }
  }

  it('names the versions that a rule or a quarantine holds back, also in the list', async () => {
    await addSites('held', [
      ['1.0', '2.0'],
      ['1.0', '1.1'],
      ['1.0', '1.0.1'],
    ]);
    const slug = 'held/held.php';
    const target = { item_type: 'plugin', slug };
    await owner.post('/panel/quarantine', { ...target, version: '2.0', reason: 'White screen.' });
    await owner.post('/panel/rules', { ...target, aspect: 'level', level: 'patch' });
    const held = [
      { version: '2.0', hold: { reason: 'quarantined' } },
      {
        version: '1.1',
        hold: {
          reason: 'level',
          explanation: 'Held: only patch versions are allowed. Rule: the plugin held on all sites.',
        },
      },
    ];
    expect((await askItem('plugin', slug)).body.software.holds).toMatchObject(held);
    const { body } = await ask({ search: 'held' });
    expect(body.software[0].holds).toMatchObject(held);
    // Rules of a site are for owners only: the user may not see the site.
    const [site] = await panel.db.selectFrom('sites').select('id').limit(1).execute();
    await addSites('own', [['1.0', '2.0']]);
    const own = { item_type: 'plugin', slug: 'own/own.php', site_id: site?.id };
    await owner.post('/panel/rules', { ...own, aspect: 'level', level: 'never' });
    const viewer = await newUserWithAccess(panel, 'viewer', [{ siteId: (site?.id ?? 0) + 3 }]);
    expect((await askItem('plugin', 'own/own.php')).body.software.holds).toHaveLength(1);
    const seen = await askItem('plugin', 'own/own.php', viewer);
    expect([seen.status, seen.body.software.holds]).toEqual([200, undefined]);
  });

  /** No site reports errors. */
  const healthOf = (sites: number) => ({
    ...{ sites, sites_reporting: 0, sites_with_errors: 0, sites_failing: 0, errors: 0 },
    ...{ error_free_percent: null, common_facts: [], days: [] },
  });

  it('returns the item with all its versions, newest first, and their offers', async () => {
    await addSites('shop', [
      ['1.9', '1.11'],
      ['1.9', '1.10'],
      ['1.9', '1.10'],
      ['1.9'],
      ['1.10'],
      ['1.10-rc1', '1.10'],
    ]);
    const { status, body } = await askItem('plugin', 'shop/shop.php');
    expect(status).toBe(200);
    expect(body).toEqual({
      success: true,
      software: {
        type: 'plugin',
        slug: 'shop/shop.php',
        name: 'shop',
        sites: 6,
        active_sites: 6,
        outdated_sites: 4,
        newest_version: '1.11',
        other_versions: 0,
        versions: [
          {
            ...{ version: '1.10', sites: 1, active_sites: 1, outdated_sites: 0, offers: [] },
            health: healthOf(1),
          },
          {
            version: '1.10-rc1',
            sites: 1,
            active_sites: 1,
            outdated_sites: 1,
            offers: [{ new_version: '1.10', sites: 1 }],
            health: healthOf(1),
          },
          {
            version: '1.9',
            sites: 4,
            active_sites: 4,
            outdated_sites: 3,
            offers: [
              { new_version: '1.10', sites: 2 },
              { new_version: '1.11', sites: 1 },
            ],
            health: healthOf(4),
          },
        ],
      },
    });
  });

  it('shows offers of the Steward plugin, which is never outdated', async () => {
    await addSites('steward', [['1.0', '2.0']]);
    const { body } = await askItem('plugin', 'steward/steward.php');
    expect(body.software).toMatchObject({
      outdated_sites: 0,
      newest_version: '2.0',
      versions: [{ outdated_sites: 0, offers: [{ new_version: '2.0', sites: 1 }] }],
    });
  });

  it('sorts versions as the contract does', async () => {
    const versions =
      '1 1.0 1.0.0 1.0-alpha 1.0-beta2 1.0-beta10 1.0rc1 01.2 1.2.3 1.10 2 2.0.1-dev 10 trunk 2026.1'.split(
        ' ',
      );
    await addSites(
      'ordered',
      versions.map((version) => [version]),
    );
    const { body } = await askItem('plugin', 'ordered/ordered.php');
    const listed = body.software.versions.map(({ version }: SoftwareVersion) => version);
    expect(listed.toSorted()).toEqual(versions.toSorted());
    for (const [index, version] of listed.entries()) {
      for (const later of listed.slice(index + 1)) {
        expect([version, later, isNewerVersion(later, version)]).toEqual([version, later, false]);
      }
    }
    expect(body.software.newest_version).toBe(listed[0]);
  });

  it('limits the versions and counts the others', async () => {
    const license = await newLicenseWithSites(panel);
    await license.addSite({ inventory: withPlugins(plugin('wide')) });
    // Counts of 250 other versions, without the sites.
    const insertCounts = `INSERT INTO software_counts (scope, software_id, version, sites, active_sites)
      SELECT 0, (SELECT id FROM software WHERE slug = 'wide/wide.php'), '5.' || n, 1, 1
      FROM generate_series(1, 250) n`;
    await panel.pool.query(insertCounts);
    const { body } = await askItem('plugin', 'wide/wide.php');
    expect(body.software.versions).toHaveLength(200);
    expect(body.software.versions[0].version).toBe('5.250');
    expect(body.software.other_versions).toBe(51);
  });

  it('compares slugs case-sensitively, and returns 404 and 400', async () => {
    await addSites('Case', [['1.0']]);
    expect((await askItem('plugin', 'Case/Case.php')).status).toBe(200);
    const other = await askItem('plugin', 'case/case.php');
    expect([other.status, other.body.code]).toEqual([404, 'software_not_found']);
    expect((await askItem('theme', 'Case/Case.php')).status).toBe(404);
    expect((await askItem('plugin', '')).status).toBe(404);
    expect((await askItem('translation', 'x')).status).toBe(400);
    expect((await askItem('plugin', 'a\0b')).status).toBe(400);
  });
});
