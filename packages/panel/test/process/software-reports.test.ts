import { newLicenseWithSites, newUserWithAccess } from '@steward/testkit/panel/licensed-sites.ts';
import { OPERATOR } from '@steward/testkit/panel/test-panel.ts';
import { describe, expect, it } from 'vitest';
import { createRandomInventory } from '../software/support/random-inventory.ts';
import { plugin, useSoftwarePanel, withPlugins } from '../software/support/software-panel.ts';

describe('a report', () => {
  const { panel, ask, readAll, expectTrueCounts } = useSoftwarePanel();
  type License = Awaited<ReturnType<typeof newLicenseWithSites>>;
  const report = (license: License, site_url: string, inventory: object) =>
    license.post('/api/v1/site/verify', { site_url, inventory });

  /** `ctid` and `xmin` change if a row is written. */
  async function readRowVersions() {
    const tables = ['software', 'site_software', 'software_counts'].map(
      (table) => `SELECT '${table}' AS name, ctid::text, xmin::text FROM ${table}`,
    );
    const { rows } = await panel.pool.query(`${tables.join(' UNION ALL ')} ORDER BY 1, 2, 3`);
    return rows;
  }

  it('changes the counts by its difference', async () => {
    const license = await newLicenseWithSites(panel);
    const { url } = await license.addSite({ inventory: createRandomInventory(1) });
    await license.addSite({ inventory: createRandomInventory(2) });
    for (const seed of [3, 4, 5]) {
      await report(license, url, createRandomInventory(seed));
      await expectTrueCounts();
    }
  });

  it('writes no row if nothing changed, whatever the order of the items', async () => {
    const license = await newLicenseWithSites(panel);
    const inventory = createRandomInventory(6);
    const { url } = await license.addSite({ inventory });
    const before = await readRowVersions();
    await report(license, url, inventory);
    await report(license, url, { ...inventory, plugins: inventory.plugins.toReversed() });
    expect(await readRowVersions()).toEqual(before);
  });

  it('writes only the rows of the item that changed', async () => {
    const license = await newLicenseWithSites(panel);
    const [a, b] = [plugin('only-a'), plugin('only-b')];
    const { url } = await license.addSite({ inventory: withPlugins(a, b) });
    const before = await readRowVersions();
    await report(license, url, withPlugins({ ...a, version: '1.1' }, b));
    const after = (await readRowVersions()).map((row) => JSON.stringify(row));
    const unchanged = before.filter((row) => after.includes(JSON.stringify(row)));
    // The installed version and its count.
    expect(before.length - unchanged.length).toBe(2);
  });

  it('sets the name if the item is new or changed', async () => {
    const license = await newLicenseWithSites(panel);
    const named = (name: string) => withPlugins(plugin('named', { name }));
    const passTime = () => {
      panel.fakes.now = new Date(panel.fakes.now.getTime() + 1000);
    };
    const nameNow = async () => (await ask({ search: 'named/' })).body.software[0].name;
    const first = await license.addSite({ inventory: named('First') });
    passTime();
    await license.addSite({ inventory: named('Second') });
    expect(await nameNow()).toBe('Second');
    // A site in another language reports the same as before.
    await report(license, first.url, named('First'));
    expect(await nameNow()).toBe('Second');
    passTime();
    await report(license, first.url, named('Third'));
    expect(await nameNow()).toBe('Third');
  });

  it('removes software that no site has any more', async () => {
    const license = await newLicenseWithSites(panel);
    const { url } = await license.addSite({ inventory: withPlugins(plugin('short-lived')) });
    await report(license, url, withPlugins());
    const { rows } = await panel.pool.query(`SELECT FROM software WHERE slug ~ 'short-lived'`);
    expect(rows).toEqual([]);
    expect((await ask({ search: 'short-lived' })).slugs).toEqual([]);
  });

  it('accepts hostile names, slugs and versions', async () => {
    const license = await newLicenseWithSites(panel);
    const hostile = [
      plugin('long', { name: 'x'.repeat(5000) }),
      plugin('control', { name: 'a\u0007b\n\u001b[31mc\u007f' }),
      plugin('blank', { name: ' \t\n ' }),
      plugin('empty', { name: '', version: '', new_version: '' }),
      plugin('digits', { version: '9'.repeat(64), new_version: '1.'.repeat(32) }),
      { ...plugin('x'), plugin: '😀'.repeat(500) },
      { ...plugin('x'), plugin: "'; DROP TABLE software; --" },
      plugin('twice', { version: '1.0' }),
      plugin('twice', { version: '2.0' }),
    ];
    const { url } = await license.addSite({ inventory: withPlugins(...hostile) });
    const names = new Map((await readAll()).map(({ slug, name }) => [slug, name]));
    expect(names.get('long/long.php')).toBe('x'.repeat(200));
    expect(names.get('control/control.php')).toBe('a b [31mc');
    expect(names.get('blank/blank.php')).toBe('blank/blank.php');
    expect(names.get('empty/empty.php')).toBe('empty/empty.php');
    const { body } = await ask({ search: 'twice' });
    expect(body.software).toMatchObject([{ sites: 1, versions: [{ version: '1.0', sites: 1 }] }]);
    const empty = (await ask({ search: 'empty/' })).body.software;
    // An empty version is no offer.
    expect(empty).toMatchObject([{ outdated_sites: 0, newest_version: '' }]);
    await report(license, url, withPlugins());
    await expectTrueCounts();
  });

  it('accepts 1,900 items', async () => {
    const license = await newLicenseWithSites(panel);
    const many = Array.from({ length: 1900 }, (_, n) => plugin(`many-${n}`));
    const { url } = await license.addSite({ inventory: withPlugins(...many) });
    expect((await ask({ search: 'many-' })).body.total).toEqual({ count: 1000, is_exact: false });
    await report(license, url, withPlugins());
    expect((await ask({ search: 'many-' })).body.total).toEqual({ count: 0, is_exact: true });
  });

  it('of a deleted site no longer counts', async () => {
    const license = await newLicenseWithSites(panel);
    const inventory = withPlugins(plugin('deleted'));
    const [first, second] = [
      await license.addSite({ inventory }),
      await license.addSite({ inventory }),
    ];
    const manager = await newUserWithAccess(panel, 'manager', [
      { licenseId: license.id },
      { siteId: first.id },
    ]);
    await panel.pool.query('DELETE FROM license_activations WHERE site_id = $1', [first.id]);
    await panel.pool.query('DELETE FROM sites WHERE id = $1', [first.id]);
    await expectTrueCounts();
    await expectTrueCounts(manager, [second.id]);
    await panel.pool.query('DELETE FROM license_activations WHERE site_id = $1', [second.id]);
    await panel.pool.query('DELETE FROM sites WHERE id = $1', [second.id]);
    await expectTrueCounts();
    await expectTrueCounts(manager, []);
  });
});

/** The grants of an odd round differ from those of an even one. */
const ROUNDS = 2;

describe('concurrent reports', () => {
  const { panel, ask, expectTrueCounts } = useSoftwarePanel();

  it('of 50 sites of one license, while grants change, leave the true counts', async () => {
    const license = await newLicenseWithSites(panel);
    const sites = await Promise.all(
      Array.from({ length: 50 }, () => license.addSite({ inventory: null })),
    );
    const half = sites.filter((_, n) => n % 2).map(({ id }) => id);
    const manager = await newUserWithAccess(panel, 'manager', []);
    const viewer = await newUserWithAccess(panel, 'viewer', [{ licenseId: license.id }]);
    const tagged = await newUserWithAccess(panel, 'viewer', []);
    const { id: ownerId } = await newUserWithAccess(panel, 'owner', []);
    const owner = { id: ownerId, role: 'owner' } as const;
    const { tags } = panel.services;
    await tags.addAndRemoveTags(owner, { site_ids: half, add: ['even', 'odd'] }, OPERATOR);
    const others = sites.map(({ id }) => id).filter((id) => !half.includes(id));
    const { siteAccess } = panel.services;
    const origin = OPERATOR;
    for (let round = 0; round < ROUNDS; round++) {
      const reports = sites.map(({ url: site_url }, n) => {
        // Reversed lists, and items that come and go: the hardest case for the order of locks.
        const inventory = createRandomInventory(round * 7 + (n % 9));
        const plugins = n % 2 ? inventory.plugins : inventory.plugins.toReversed();
        return license.post('/api/v1/site/verify', {
          site_url,
          inventory: { ...inventory, plugins },
        });
      });
      const target = { licenseId: license.id };
      const grants = [
        ...half.map((siteId) => siteAccess.grant(manager.id, { siteId }, origin)),
        round % 2
          ? siteAccess.revoke(viewer.id, target, origin)
          : siteAccess.grant(viewer.id, target, origin),
        siteAccess.grant(tagged.id, [{ tag: 'even' }, { tag: 'odd' }], origin),
        ...others.map((id) =>
          tags.addAndRemoveTags(owner, { site_ids: [id], add: ['even'] }, origin),
        ),
        tags.addAndRemoveTags(owner, { site_ids: half, remove: ['even', 'odd'] }, origin),
      ];
      await Promise.all([...reports, ...grants]);
      await expectTrueCounts();
      await expectTrueCounts(manager, half);
      await expectTrueCounts(tagged, others);
      await Promise.all([
        tags.addAndRemoveTags(owner, { site_ids: half, add: ['even', 'odd'] }, origin),
        tags.addAndRemoveTags(owner, { site_ids: others, remove: ['even'] }, origin),
        siteAccess.revoke(tagged.id, { tag: 'odd' }, origin),
      ]);
      await expectTrueCounts(tagged, half);
      await siteAccess.revoke(tagged.id, { tag: 'even' }, origin);
      await expectTrueCounts(tagged, []);
      await expectTrueCounts(viewer, round % 2 ? [] : sites.map(({ id }) => id));
      await Promise.all(half.map((siteId) => siteAccess.revoke(manager.id, { siteId }, origin)));
    }
    const { rows } = await panel.pool.query(
      `SELECT FROM software s WHERE NOT EXISTS (SELECT FROM site_software h WHERE h.software_id = s.id)
       UNION ALL SELECT FROM software_counts WHERE sites <= 0`,
    );
    expect(rows).toEqual([]);
    expect((await ask({ filter: 'single_site' })).status).toBe(200);
  });
});
