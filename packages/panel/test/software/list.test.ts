import {
  compareNames,
  SOFTWARE_FILTERS,
  SOFTWARE_SORTS,
  SOFTWARE_TYPES,
  SORT_ORDERS,
} from '@steward/contract';
import { newLicenseWithSites } from '@steward/testkit/panel/licensed-sites.ts';
import { newSignedInUser } from '@steward/testkit/panel/signed-in-user.ts';
import { beforeAll, describe, expect, it } from 'vitest';
import { NAIVE_FILTERS, naiveSoftware } from './support/naive-software.ts';
import { createRandomInventory } from './support/random-inventory.ts';
import { plugin, sorted, useSoftwarePanel, withPlugins } from './support/software-panel.ts';

describe('GET /panel/software', () => {
  const { panel, owner, ask } = useSoftwarePanel();

  it('returns all fields of a table row', async () => {
    const license = await newLicenseWithSites(panel);
    const versions = ['1.10', '1.9', '1.9', '1.2', '1.3', '1.4', '1.5', '1.6'];
    for (const version of versions) {
      const shop = plugin('shop', {
        name: 'Shop',
        version,
        active: version !== '1.2',
        ...(version === '1.9' && { new_version: '1.11-rc1' }),
      });
      await license.addSite({ inventory: withPlugins(shop) });
    }
    const { status, body } = await ask({ type: 'plugin' });
    expect(status).toBe(200);
    expect(body).toEqual({
      success: true,
      next_cursor: null,
      total: { count: 1, is_exact: true },
      software: [
        {
          type: 'plugin',
          slug: 'shop/shop.php',
          name: 'Shop',
          sites: 8,
          active_sites: 7,
          outdated_sites: 2,
          newest_version: '1.11-rc1',
          versions: [
            { version: '1.9', sites: 2 },
            { version: '1.10', sites: 1 },
            { version: '1.6', sites: 1 },
            { version: '1.5', sites: 1 },
            { version: '1.4', sites: 1 },
          ],
          other_versions: 2,
        },
      ],
    });
    const csv = await owner.get('/panel/software/export?type=plugin');
    expect(csv.body.toString()).toBe(
      'type,name,slug,sites,active_sites,outdated_sites,newest_version,most_used_versions,other_versions,held_because\r\n' +
        'plugin,Shop,shop/shop.php,8,7,2,1.11-rc1,"1.9 (2), 1.10 (1), 1.6 (1), 1.5 (1), 1.4 (1)",2,\r\n',
    );
    const core = await ask({ type: 'core' });
    expect(core.body.software).toMatchObject([
      { type: 'core', slug: 'core', name: 'Core', sites: 8, active_sites: 8 },
    ]);
  });

  it('lists the Steward plugin, which is never outdated', async () => {
    const license = await newLicenseWithSites(panel);
    const steward = plugin('Steward', { new_version: '2.0' });
    await license.addSite({ inventory: withPlugins(steward) });
    const { body } = await ask({ search: 'steward' });
    expect(body.software).toMatchObject([{ outdated_sites: 0, newest_version: '2.0' }]);
    expect((await ask({ search: 'steward', filter: 'outdated' })).slugs).toEqual([]);
  });

  it('rejects unknown values and cursors of other lists', async () => {
    const { body } = await ask({ limit: '1' });
    for (const query of [
      { type: 'translation' },
      { filter: 'all' },
      { sort: 'slug' },
      { direction: 'up' },
      { limit: '0' },
      { cursor: 'x' },
      { cursor: body.next_cursor, sort: 'sites' },
    ]) {
      expect((await ask(query)).status).toBe(400);
    }
    const unlisted = Buffer.from(JSON.stringify(['software sites asc', 'x', 1]));
    const cursor = unlisted.toString('base64url');
    expect((await ask({ cursor, sort: 'sites' })).status).toBe(400);
  });

  it('shows nothing to a user without access', async () => {
    const { body } = await ask({}, await newSignedInUser(panel, 'viewer'));
    expect(body).toMatchObject({ software: [], total: { count: 0, is_exact: true } });
  });
});

describe('GET /panel/software, search', () => {
  const { panel, ask } = useSoftwarePanel();

  beforeAll(async () => {
    const license = await newLicenseWithSites(panel);
    await license.addSite({
      inventory: withPlugins(
        plugin('percent', { name: '100% Cotton' }),
        plugin('under_score', { name: 'Underscore' }),
        plugin('back', { name: 'Back\\slash' }),
        plugin('forms', { name: 'Contact Formulär' }),
      ),
    });
  });

  for (const [kind, search, found] of [
    ['part of a name', 'contact', ['forms/forms.php']],
    ['upper case', 'FORMULÄR', ['forms/forms.php']],
    ['part of a slug', 'percent.p', ['percent/percent.php']],
    ['surrounding space', '  cotton ', ['percent/percent.php']],
    ['%', '%', ['percent/percent.php']],
    ['_', '_', ['under_score/under_score.php']],
    ['a backslash', '\\', ['back/back.php']],
    ['a quote', "' OR '1'='1", []],
  ] as const) {
    it(`finds ${kind}`, async () => {
      expect((await ask({ search })).slugs).toEqual(found);
    });
  }
});

describe('GET /panel/software, compared with a naive computation', () => {
  const { panel, ask, readAll } = useSoftwarePanel();
  const inventories = Array.from({ length: 40 }, (_, site) => createRandomInventory(site));
  const expected = naiveSoftware(inventories);

  beforeAll(async () => {
    const license = await newLicenseWithSites(panel);
    for (const inventory of inventories) await license.addSite({ inventory });
  });

  it('has the same counts', async () => {
    expect(sorted(await readAll())).toEqual(sorted(expected));
  });

  for (const type of SOFTWARE_TYPES) {
    for (const filter of [undefined, ...SOFTWARE_FILTERS]) {
      it(`finds the same: type ${type}, filter ${filter}`, async () => {
        const query = { type, ...(filter && { filter }), search: 'o' };
        const matches = expected
          .filter((item) => item.type === type && (!filter || NAIVE_FILTERS[filter](item)))
          .filter(({ name, slug }) => /o/i.test(name + slug));
        const { body } = await ask({ ...query, limit: '200' });
        expect(sorted(body.software)).toEqual(sorted(matches));
        expect(body.total).toEqual({ count: matches.length, is_exact: true });
      });
    }
  }

  for (const sort of SOFTWARE_SORTS) {
    for (const direction of SORT_ORDERS) {
      it(`sorts by ${sort}, ${direction}, page by page`, async () => {
        const items = await readAll({ sort, direction, limit: '7' });
        expect(sorted(items)).toEqual(sorted(expected));
        const keys = items.map((item) =>
          sort === 'name'
            ? item.name.toLowerCase()
            : item[sort === 'sites' ? sort : 'outdated_sites'],
        );
        const ordered = keys.toSorted((a, b) => compareNames(String(a), String(b)));
        expect(keys).toEqual(direction === 'asc' ? ordered : ordered.toReversed());
      });
    }
  }

  it('returns the total on the first page only', async () => {
    const { body } = await ask({ limit: '5' });
    expect(body.total).toEqual({ count: expected.length, is_exact: true });
    expect((await ask({ limit: '5', cursor: body.next_cursor })).body.total).toBeNull();
  });
});
