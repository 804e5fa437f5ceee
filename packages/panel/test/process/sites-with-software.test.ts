import { type Inventory, SITE_SORTS, type SiteItem } from '@steward/contract';
import {
  addManySites,
  newLicenseWithSites,
  newUserWithAccess,
  useSiteListPanel,
} from '@steward/testkit/panel/licensed-sites.ts';
import { beforeAll, describe, expect, it } from 'vitest';
import { isOutdated, itemsOf } from '../software/support/naive-software.ts';
import { createRandomInventory } from '../software/support/random-inventory.ts';

type Query = Record<string, string>;
type StoredSite = { id: number; inventory: Inventory };

/** A naive version of the filter. */
function hasSoftware({ inventory }: StoredSite, query: Query): boolean {
  const { software_type, software, software_version, software_outdated } = query;
  return itemsOf(inventory).some(
    (item) =>
      item.type === software_type &&
      item.slug === software &&
      (software_version === undefined || item.version === software_version) &&
      (software_outdated === undefined || isOutdated(item)),
  );
}

const QUERIES: [string, Query][] = [
  ['a plugin', { software_type: 'plugin', software: 'plug-1/main.php' }],
  ['a theme', { software_type: 'theme', software: 'theme-1' }],
  ['core', { software_type: 'core', software: 'core' }],
  ['the case of a slug', { software_type: 'plugin', software: 'CASE/a.php' }],
  ['a version', { software_type: 'plugin', software: 'plug-0/main.php', software_version: '1.10' }],
  [
    'an empty version',
    { software_type: 'plugin', software: 'plug-0/main.php', software_version: '' },
  ],
  [
    'pending updates of it',
    { software_type: 'plugin', software: 'plug-0/main.php', software_outdated: 'true' },
  ],
  [
    'a version with pending updates',
    {
      software_type: 'plugin',
      software: 'plug-0/main.php',
      software_version: '2.0',
      software_outdated: 'true',
    },
  ],
  [
    'pending updates of the Steward plugin, which do not count',
    { software_type: 'plugin', software: 'steward/steward.php', software_outdated: 'true' },
  ],
  ['unknown software', { software_type: 'plugin', software: 'theme-1' }],
];

describe('GET /panel/sites by software', () => {
  const { panel, owner, listSites } = useSiteListPanel();
  const stored: StoredSite[] = [];
  let licenseId = 0;

  beforeAll(async () => {
    const license = await newLicenseWithSites(panel);
    licenseId = license.id;
    for (let n = 0; n < 40; n++) {
      const inventory = createRandomInventory(n);
      const { id, url } = await license.addSite({ inventory });
      stored.push({ id, inventory });
      if (n % 8 === 0) await license.deactivate(url);
    }
  });

  const expectedIds = (query: Query, ids?: number[]) =>
    stored
      .filter((site) => hasSoftware(site, query) && (!ids || ids.includes(site.id)))
      .map(({ id }) => id);
  const byNumber = (a: number, b: number) => a - b;
  const listIds = async (query: Query, user: Pick<typeof owner, 'get'> = owner) => {
    const { body } = await listSites({ ...query, limit: '200' }, user);
    expect(body.total.count).toBe(body.sites.length);
    return body.sites.map(({ id }: SiteItem) => id).toSorted(byNumber);
  };

  for (const [name, query] of QUERIES) {
    it(`finds ${name}, in every order and as ids`, async () => {
      for (const sort of SITE_SORTS) {
        expect(await listIds({ ...query, sort })).toEqual(expectedIds(query));
      }
      const { body } = await owner.get(`/panel/sites/ids?${new URLSearchParams(query)}`);
      expect(body.site_ids).toEqual(expectedIds(query));
    });
  }

  /** Checks all combinations of the software with one or two other filters. */
  async function expectSameAsIntersection() {
    const others: Query[] = [
      { pending: 'any' },
      { status: 'deactivated' },
      { search: '1' },
      { search: 'site-2', pending: 'core' },
      { environment: 'production', license_id: String(licenseId) },
      { tag: 'none' },
    ];
    for (const other of others) {
      const { body } = await listSites({ ...other, limit: '200' });
      const ids = body.sites.map(({ id }: SiteItem) => id);
      for (const [, query] of QUERIES) {
        for (const sort of ['name', 'status']) {
          const found = await listIds({ ...query, ...other, sort });
          expect([query, other, found]).toEqual([query, other, expectedIds(query, ids)]);
        }
      }
    }
  }

  it('combines with the other filters', expectSameAsIntersection);

  it('combines with the other filters if the software is on many sites', async () => {
    // The counts decide only how the database searches.
    await panel.pool.query('UPDATE software_counts SET sites = sites + 1000000');
    await expectSameAsIntersection();
    await panel.pool.query('UPDATE software_counts SET sites = sites - 1000000');
  });

  it('finds only sites that the user may see, whatever the counts', async () => {
    const ids = stored.filter((_, n) => n % 3 === 0).map(({ id }) => id);
    const targets = ids.map((siteId) => ({ siteId }));
    const manager = await newUserWithAccess(panel, 'manager', targets);
    for (const difference of [0, 1_000_000, -1_000_000]) {
      await panel.pool.query('UPDATE software_counts SET sites = sites + $1', [difference]);
      for (const [, query] of QUERIES) {
        // Wrong counts give a wrong total, but never other sites.
        const { body } = await listSites({ ...query, limit: '200' }, manager);
        const found = body.sites.map(({ id }: SiteItem) => id).toSorted(byNumber);
        expect(found).toEqual(expectedIds(query, ids));
      }
    }
  });

  it('finds the sites without counting them if there are more than the total shows', async () => {
    const query = { software_type: 'plugin', software: 'plug-0/main.php' };
    await panel.pool.query('UPDATE software_counts SET sites = sites + 1000000');
    const { body } = await listSites({ ...query, limit: '200' });
    await panel.pool.query('UPDATE software_counts SET sites = sites - 1000000');
    const found = body.sites.map(({ id }: SiteItem) => id).toSorted(byNumber);
    expect(found).toEqual(expectedIds(query));
    expect(body.total).toEqual({ count: 1000, is_exact: false });
  });

  it('finds the sites for a user with more sites than the panel lists by id', async () => {
    const license = await newLicenseWithSites(panel);
    const hosts = Array.from({ length: 1001 }, (_, n) => `extra-${n}`);
    await addManySites(panel, license.id, hosts);
    const ids = stored.filter((_, n) => n % 3 === 0).map(({ id }) => id);
    const targets = [{ licenseId: license.id }, ...ids.map((siteId) => ({ siteId }))];
    const manager = await newUserWithAccess(panel, 'manager', targets);
    for (const [, query] of QUERIES) {
      expect(await listIds(query, manager)).toEqual(expectedIds(query, ids));
      const { body } = await manager.get(`/panel/sites/ids?${new URLSearchParams(query)}`);
      expect(body.site_ids).toEqual(expectedIds(query, ids));
    }
  });

  it('pages through the matches', async () => {
    const query = { software_type: 'plugin', software: 'plug-0/main.php', limit: '4' };
    const found: number[] = [];
    let cursor: string | null = null;
    do {
      const { body } = await listSites(cursor ? { ...query, cursor } : query);
      found.push(...body.sites.map(({ id }: SiteItem) => id));
      cursor = body.next_cursor;
    } while (cursor !== null);
    expect(found.toSorted(byNumber)).toEqual(expectedIds(query));
  });

  it('rejects incomplete queries', async () => {
    for (const query of [
      { software: 'core' },
      { software_type: 'core' },
      { software_version: '1' },
      { software_outdated: 'true' },
      { software: 'core', software_type: 'core', software_outdated: 'no' },
      { software: 'core', software_type: 'translation' },
    ]) {
      expect((await listSites(query)).status).toBe(400);
    }
  });
});
