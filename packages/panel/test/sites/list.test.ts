import { SITE_SORTS, type SiteItem } from '@steward/contract';
import {
  addManySites,
  createHostNames,
  inventory,
  newLicenseWithSites,
  newUserWithAccess,
  useSiteListPanel,
} from '@steward/testkit/panel/licensed-sites.ts';
import { newSignedInUser } from '@steward/testkit/panel/signed-in-user.ts';
import { VERSIONS } from '@steward/testkit/panel/test-panel.ts';
import { beforeAll, describe, expect, it } from 'vitest';

describe('GET /panel/sites', () => {
  const { panel, owner, listSites } = useSiteListPanel();

  it('returns all fields of a table row', async () => {
    const license = await newLicenseWithSites(panel);
    const { id, url } = await license.addSite({
      url: 'https://www.Row.example.com/Shop/',
      inventory: inventory({ plugins: ['forms', 'seo'], themes: ['dark'], core: true }),
    });
    await license.check(url);
    await owner.call('PUT', `/panel/sites/${id}/tags`, { tags: ['North'] });
    const { status, body } = await listSites({ search: 'row.example.com' });
    expect(status).toBe(200);
    expect(body).toEqual({
      success: true,
      next_cursor: null,
      total: { count: 1, is_exact: true },
      sites: [
        {
          id,
          name: 'row.example.com/shop',
          display_name: null,
          url: 'https://www.Row.example.com/Shop/',
          status: 'updates',
          fault: null,
          alarm: null,
          ...VERSIONS,
          pending: { plugins: 2, themes: 1, core: 1 },
          last_check_at: panel.fakes.now.toISOString(),
          inventory_at: panel.fakes.now.toISOString(),
          backed_up_at: null,
          certificate_expires_at: null,
          reachability_days: 'n'.repeat(30),
          tags: ['North'],
          client: null,
          license: {
            id: license.id,
            key_last_six: license.key_last_six,
            name: null,
            status: 'active',
          },
          archived_at: null,
          counted: true,
          environment: 'production',
        },
      ],
    });
  });

  describe('GET /panel/sites/export', () => {
    it('has all matches in their order, only those of the user, and no formula', async () => {
      const license = await newLicenseWithSites(panel);
      const hosts = Array.from({ length: 203 }, (_, n) => `csv-${n}.example.com`);
      await addManySites(panel, license.id, hosts);
      const { body: first } = await listSites({ search: 'csv-0.example.com' });
      const display_name = '=1+1';
      await owner.call('PUT', `/panel/sites/${first.sites[0].id}`, { display_name });
      const query = `license_id=${license.id}&sort=name&order=desc&columns=name,status,version`;
      const { status, body, headers } = await owner.get(`/panel/sites/export?${query}`);
      expect([status, headers['content-disposition']]).toEqual([
        200,
        'attachment; filename="sites.csv"',
      ]);
      const lines = String(body).trimEnd().split('\r\n');
      expect(lines).toHaveLength(204);
      expect(lines[0]).toBe('id,site,url,environment,status');
      expect(lines[1]).toContain(',csv-202.example.com,https://csv-202.example.com,production,');
      expect(lines.at(-1)).toContain(",'=1+1 (csv-0.example.com),");
      const viewer = await newSignedInUser(panel, 'viewer');
      const other = await viewer.get(`/panel/sites/export?${query}`);
      expect(String(other.body)).toBe('id,site,url,environment,status\r\n');
      expect((await owner.get('/panel/sites/export?software=shop')).status).toBe(400);
    });
  });

  describe('search', () => {
    beforeAll(async () => {
      const license = await newLicenseWithSites(panel);
      for (const url of [
        'https://bakery-oslo.example.com',
        'http://www.bakery.example.net/blog',
        'https://percent.example.org/100%25/a_b',
        'https://münchen.example.org',
      ]) {
        await license.addSite({ url });
      }
    });

    for (const [kind, search, found] of [
      ['part of a host', 'bakery', ['bakery-oslo.example.com', 'bakery.example.net/blog']],
      ['one letter of a host', 'ü', ['münchen.example.org']],
      ['upper case', 'BAKERY-O', ['bakery-oslo.example.com']],
      ['a path', 'net/bl', ['bakery.example.net/blog']],
      ['a pasted address', ' https://www.bakery.example.net/blog/ ', ['bakery.example.net/blog']],
      ['an SQL wildcard', '_', ['percent.example.org/100%25/a_b']],
      ['an SQL escape character', '\\', []],
      ['text without a match', 'zebra', []],
      ['a quote', "' OR '1'='1", []],
    ] as const) {
      it(`searches for ${kind}`, async () => {
        expect((await listSites({ search })).names).toEqual(found);
      });
    }

    it('finds all sites when empty', async () => {
      expect((await listSites({ search: ' ' })).body.total.count).toBeGreaterThanOrEqual(4);
    });
  });

  describe('pages', () => {
    const url = (n: number) => `https://page-${n}.example.com`;
    let licenseId = 0;
    beforeAll(async () => {
      const license = await newLicenseWithSites(panel);
      licenseId = license.id;
      for (let n = 0; n < 7; n++) {
        await license.addSite({
          url: url(n),
          versions: { cms_version: `6.${n + 6}` },
          inventory: inventory({ plugins: ['one', 'two', 'three'].slice(0, n % 3) }),
        });
        if (n % 2) await license.check(url(n), { cms_version: `6.${n + 6}` });
      }
    });

    async function readAll(query: Record<string, string | number>) {
      const names: string[] = [];
      const totals = [];
      let cursor: string | null = null;
      do {
        const more: Record<string, string> = cursor ? { cursor } : {};
        const { body } = await listSites({ license_id: licenseId, limit: 2, ...query, ...more });
        names.push(...body.sites.map(({ name }: SiteItem) => name));
        totals.push(body.total);
        cursor = body.next_cursor;
      } while (cursor !== null);
      return { names, totals };
    }

    for (const sort of SITE_SORTS) {
      it(`contain each site once, sorted by ${sort} in both directions`, async () => {
        const forwards = await readAll({ sort });
        const backwards = await readAll({ sort, order: 'desc' });
        expect(new Set(forwards.names).size).toBe(7);
        expect(forwards.names).toHaveLength(7);
        expect(backwards.names).toEqual(forwards.names.toReversed());
      });
    }

    it('follow the requested order', async () => {
      const { names } = await readAll({ sort: 'cms_version' });
      // 6.9 comes before 6.10.
      expect(names).toEqual([0, 1, 2, 3, 4, 5, 6].map((n) => `page-${n}.example.com`));
      const pending = await listSites({ license_id: licenseId, sort: 'pending', order: 'desc' });
      expect(pending.body.sites.map(({ pending }: SiteItem) => pending.plugins)).toEqual([
        2, 2, 1, 1, 0, 0, 0,
      ]);
      const checked = await listSites({ license_id: licenseId, sort: 'last_check' });
      const isNull = checked.body.sites.map((site: SiteItem) => site.last_check_at === null);
      expect(isNull).toEqual([true, true, true, true, false, false, false]);
    });

    it('sort names by the value of their numbers, in any order and for archived sites', async () => {
      const license = await newLicenseWithSites(panel);
      const numbers = [23, 3, 100, 20, 1];
      const ids = [];
      for (const n of numbers) {
        ids.push((await license.addSite({ url: `https://studio-${n}.example.com` })).id);
      }
      const sorted = [1, 3, 20, 23, 100].map((n) => `studio-${n}.example.com`);
      const query = { license_id: license.id };
      expect((await readAll(query)).names).toEqual(sorted);
      expect((await readAll({ ...query, order: 'desc' })).names).toEqual(sorted.toReversed());
      expect((await readAll({ ...query, sort: 'status' })).names).toEqual(sorted);
      expect((await readAll({ ...query, search: 'studio' })).names).toEqual(sorted);
      await owner.post('/panel/sites/archive', { site_ids: ids });
      expect((await readAll({ ...query, archived: 'true' })).names).toEqual(sorted);
    });

    it('include the total on the first page only', async () => {
      const { totals } = await readAll({});
      expect(totals).toEqual([{ count: 7, is_exact: true }, null, null, null]);
    });

    it('neither skip nor repeat a site when one is added between two pages', async () => {
      const license = await newLicenseWithSites(panel);
      for (const letter of ['b', 'd', 'f']) {
        await license.addSite({ url: `https://${letter}.example.com` });
      }
      const first = await listSites({ license_id: license.id, limit: 2 });
      await license.addSite({ url: 'https://a.example.com' });
      const { next_cursor: cursor } = first.body;
      const second = await listSites({ license_id: license.id, limit: 2, cursor });
      expect([first.names, second.names]).toEqual([
        ['b.example.com', 'd.example.com'],
        ['f.example.com'],
      ]);
    });

    it('count at most 1,000 sites', async () => {
      const license = await newLicenseWithSites(panel);
      await addManySites(panel, license.id, createHostNames(1001));
      const { body } = await listSites({ license_id: license.id, limit: 200 });
      expect(body.sites).toHaveLength(200);
      expect(body.total).toEqual({ count: 1000, is_exact: false });
    });
  });

  describe('access', () => {
    it('returns only granted sites and the sites of granted licenses', async () => {
      const [mine, others] = [await newLicenseWithSites(panel), await newLicenseWithSites(panel)];
      await mine.addSite({ url: 'https://of-my-license.example.com' });
      const granted = await others.addSite({ url: 'https://granted.example.com' });
      await others.addSite({ url: 'https://of-others.example.com' });
      for (const role of ['manager', 'viewer'] as const) {
        const targets = [{ licenseId: mine.id }, { siteId: granted.id }];
        const person = await newUserWithAccess(panel, role, targets);
        const { names, body } = await listSites({}, person);
        expect(names).toEqual(['granted.example.com', 'of-my-license.example.com']);
        expect(body.total).toEqual({ count: 2, is_exact: true });
        expect((await listSites({ search: 'of-others' }, person)).names).toEqual([]);
        expect((await listSites({ license_id: others.id }, person)).names).toEqual([
          'granted.example.com',
        ]);
        const selected = await person.get('/panel/sites/ids');
        expect(selected.body.site_ids).toHaveLength(2);
      }
      const withoutGrants = await newSignedInUser(panel, 'manager');
      expect((await listSites({}, withoutGrants)).names).toEqual([]);
    });
  });

  it('counts a site once that is granted directly and through its license', async () => {
    const license = await newLicenseWithSites(panel);
    const manager = await newUserWithAccess(panel, 'manager', [{ licenseId: license.id }]);
    await addManySites(panel, license.id, createHostNames(600));
    await panel.pool.query(
      `INSERT INTO access_grants (user_id, site_id, created_at)
       SELECT $1, id, now() FROM sites WHERE license_id = $2`,
      [manager.id, license.id],
    );
    const { body } = await manager.get('/panel/sites');
    expect(body.total).toEqual({ count: 600, is_exact: true });
  });

  describe('400', () => {
    const cursorOf = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    for (const [query, sentence] of [
      ['limit=0', 'limit must be a whole number from 1 to 200.'],
      ['limit=201', 'limit must be a whole number from 1 to 200.'],
      ['limit=ten', 'limit must be a whole number from 1 to 200.'],
      ['limit=1e2', 'limit must be a whole number from 1 to 200.'],
      ['limit=1&limit=2', 'limit must be of type string.'],
      ['status=odd', /^status must be one of alarm, failing, /],
      ['pending=yes', /^pending must be one of any, /],
      ['environment=moon', /^environment must be one of production, /],
      ['sort=url;DROP', /^sort must be one of name, /],
      ['order=up', 'order must be one of asc, desc.'],
      ['license_id=abc', 'license_id must be a whole number from 1 to 999999999999999.'],
      ['license_id=0', 'license_id must be a whole number from 1 to 999999999999999.'],
      ['search=%00', 'search must not contain a NUL character.'],
      ['tag=a%00b', 'tag must not contain a NUL character.'],
      [`search=${'x'.repeat(501)}`, 'search must have at most 500 characters.'],
      ['cursor=nonsense', /^cursor does not belong to this list/],
      [`cursor=${cursorOf(['sites name desc', 'a', 1])}`, /^cursor does not belong/],
      [`cursor=${cursorOf(['sites name asc', 'a\0', 1])}`, /^cursor does not belong/],
      [`cursor=${cursorOf(['sites name asc', 7, 1])}`, /^cursor does not belong/],
      [`cursor=${cursorOf(['sites name asc', 'a', 1.5])}`, /^cursor does not belong/],
      [`sort=pending&cursor=${cursorOf(['sites pending asc', 'x', 1])}`, /^cursor does not belong/],
      [
        `sort=last_check&cursor=${cursorOf(['sites last_check asc', '-1', 1])}`,
        /^cursor does not belong/,
      ],
      [`sort=status&cursor=${cursorOf(['sites status asc', 'a', 1])}`, /^cursor does not belong/],
      [`cursor=${cursorOf(null)}`, /^cursor does not belong/],
    ] as const) {
      it(`for ${query.slice(0, 60)}`, async () => {
        const { status, body } = await owner.get(`/panel/sites?${query}`);
        expect([status, body.code]).toEqual([400, 'invalid_request']);
        expect(body.error).toMatch(sentence);
      });
    }
  });
});
