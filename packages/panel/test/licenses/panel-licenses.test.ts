import { LICENSE_STATUSES, type LicenseSummary } from '@steward/contract';
import { registerSecret } from '@steward/testkit/logs.ts';
import { newLicenseWithSites } from '@steward/testkit/panel/licensed-sites.ts';
import { newSignedInUser, usePanelWithOwner } from '@steward/testkit/panel/signed-in-user.ts';
import { VERSIONS } from '@steward/testkit/panel/test-panel.ts';
import { listAuditRecords } from '@steward/testkit/postgres/test-database.ts';
import { describe, expect, it } from 'vitest';

describe('/panel/licenses', () => {
  const { panel, owner } = usePanelWithOwner();

  async function create(order: object) {
    const { status, body } = await owner.post('/panel/licenses', order);
    if (body.license?.license_key) registerSecret(body.license.license_key);
    return { status, body };
  }

  describe('POST /panel/licenses', () => {
    it('creates a license and returns its key only once', async () => {
      const { status, body } = await create({
        plan: 'Studio',
        site_limit: 2,
        expires_at: '2030-01-31',
        services: ['remote'],
      });
      expect(status).toBe(200);
      expect(body.license).toMatchObject({
        license_key: expect.stringMatching(/^STWD(-[0-9A-Z]{7}){4}$/),
        status: 'inactive',
        valid: true,
        plan: { name: 'Studio', slug: 'studio', services: ['remote'] },
        site_limit: 2,
        sites_used: 0,
        sites_remaining: 2,
        expires_at: '2030-01-31T23:59:59.000Z',
      });
      const { license_key, id } = body.license;
      const valid = await panel.post('/api/v1/license/validate', { license_key });
      expect(valid.body.license.valid).toBe(true);
      const shown = await owner.get(`/panel/licenses/${id}`);
      expect(JSON.stringify(shown.body)).not.toContain(license_key);
      expect(await listAuditRecords(panel, 'license', id)).toMatchObject([
        { action: 'create', actor: String(owner.id) },
      ]);
    });

    it('accepts null for unlimited and never, and defaults to the limit of an existing plan', async () => {
      const unlimited = await create({ plan: 'Endless', site_limit: null, expires_at: null });
      expect(unlimited.body.license).toMatchObject({ site_limit: null, expires_at: null });
      await create({ plan: 'Five', site_limit: 5 });
      expect((await create({ plan: 'five' })).body.license.site_limit).toBe(5);
      const { body } = await owner.get('/panel/plans');
      expect(body.plans).toContainEqual(
        expect.objectContaining({ name: 'Five', slug: 'five', site_limit: 5 }),
      );
    });

    for (const [input, order, sentence] of [
      ['no plan', { site_limit: 1 }, /^plan is required/],
      ['an empty plan', { plan: '' }, /^plan must not be empty/],
      ['a plan without a letter', { plan: '???', site_limit: 2 }, /^A plan name must have/],
      ['a new plan without a limit', { plan: 'Unheard of' }, /site_limit/],
      ['a limit of 0', { plan: 'Five', site_limit: 0 }, /^site_limit must be at least 1/],
      [
        'a fractional limit',
        { plan: 'Five', site_limit: 1.5 },
        /^site_limit must be of type integer/,
      ],
      ['a limit as text', { plan: 'Five', site_limit: '3' }, /^site_limit must be of type/],
      ['an unknown service', { plan: 'Five', services: ['cooking'] }, /cooking/],
      [
        '30 February',
        { plan: 'Five', expires_at: '2027-02-30' },
        /^expires_at must be null, a date/,
      ],
      ['a word instead of a date', { plan: 'Five', expires_at: 'soon' }, /^expires_at must be/],
      ['a leap second', { plan: 'Five', expires_at: '2027-01-31T23:59:60Z' }, /^expires_at must/],
    ] as const) {
      it(`responds 400 to ${input}`, async () => {
        const { status, body } = await create(order);
        expect([status, body.code]).toEqual([400, 'invalid_request']);
        expect(body.error).toMatch(sentence);
      });
    }
  });

  describe('GET /panel/licenses', () => {
    const list = async (query: Record<string, string>) => {
      const { status, body } = await owner.get(`/panel/licenses?${new URLSearchParams(query)}`);
      return { status, body, ids: body.licenses?.map(({ id }: LicenseSummary) => id) as number[] };
    };

    it('lists the newest first, in pages with a total', async () => {
      const created = [];
      for (let n = 0; n < 5; n++) created.push((await panel.license({ planName: 'Paged' })).id);
      const first = await list({ plan: 'paged', limit: '2' });
      expect(first.ids).toEqual(created.slice(3).toReversed());
      expect(first.body.total).toEqual({ count: 5, is_exact: true });
      const second = await list({ plan: 'paged', limit: '2', cursor: first.body.next_cursor });
      const third = await list({ plan: 'paged', limit: '2', cursor: second.body.next_cursor });
      expect([...second.ids, ...third.ids]).toEqual(created.slice(0, 3).toReversed());
      expect([second.body.total, third.body.next_cursor]).toEqual([null, null]);
    });

    it('searches by the last characters of the key, ignoring case, and by the plan', async () => {
      const { id, key_last_six } = await panel.license({ planName: 'Rare bird' });
      const found = await list({ search: ` ${key_last_six.toLowerCase()} ` });
      expect(found.ids).toContain(id);
      expect((await list({ search: 'rare B' })).ids).toEqual([id]);
      expect((await list({ search: '%' })).ids).toEqual([]);
    });

    it('filters by each status', async () => {
      const license = await newLicenseWithSites(panel);
      await license.addSite();
      await panel.license();
      await panel.license({ expiresAt: new Date(0) });
      await panel.suspend((await panel.license({ expiresAt: new Date(0) })).id);
      await panel.revoke((await panel.license()).id);
      const all = await list({ limit: '200' });
      for (const status of LICENSE_STATUSES) {
        const expected = all.body.licenses.filter((each: LicenseSummary) => each.status === status);
        expect(expected.length).toBeGreaterThan(0);
        expect((await list({ status, limit: '200' })).body.licenses).toEqual(expected);
      }
    });

    for (const query of ['status=odd', 'limit=0', 'cursor=x', 'search=%00', 'plan=%00']) {
      it(`responds 400 to ${query}`, async () => {
        const { status, body } = await owner.get(`/panel/licenses?${query}`);
        expect([status, body.code]).toEqual([400, 'invalid_request']);
        expect(body.error).toContain(query.split('=', 1)[0]);
      });
    }
  });

  describe('GET /panel/licenses/:id', () => {
    it('returns the license with its sites', async () => {
      const license = await newLicenseWithSites(panel);
      const { id, url } = await license.addSite();
      const { status, body } = await owner.get(`/panel/licenses/${license.id}`);
      expect(status).toBe(200);
      expect(body.license).toMatchObject({
        id: license.id,
        status: 'active',
        sites_used: 1,
        activations: [{ site_id: id, site_url: url, status: 'active', ...VERSIONS }],
      });
    });

    it('returns the 100 newest of many sites, and their total', async () => {
      const license = await newLicenseWithSites(panel, { siteLimit: 200 });
      const sites = [];
      for (let n = 0; n < 102; n++) sites.push(await license.addSite({ inventory: null }));
      await license.addSite({ url: 'https://staging.example.com', inventory: null });
      // A deactivated site counts in the total; a site that is activated again is the newest.
      await license.deactivate(sites[0]?.url ?? '');
      await license.deactivate(sites[1]?.url ?? '');
      panel.fakes.now = new Date(panel.fakes.now.getTime() + 1000);
      await license.addSite({ url: sites[0]?.url ?? '', inventory: null });
      const { body } = await owner.get(`/panel/licenses/${license.id}`);
      expect(body.license).toMatchObject({
        sites_used: 101,
        uncounted_sites: 1,
        activations_total: 103,
      });
      const shown = body.license.activations.map(({ site_id }: { site_id: number }) => site_id);
      expect(shown).toHaveLength(100);
      expect(shown.slice(0, 3)).toEqual([sites[0]?.id, expect.any(Number), sites[101]?.id]);
      expect(shown).not.toContain(sites[1]?.id);
      const preview = await owner.get(`/panel/licenses/${license.id}/limit-preview`);
      expect(preview.body.preview.uncounted_sites).toBe(1);
    });

    it('responds 404 to an unknown license', async () => {
      const { status, body } = await owner.get('/panel/licenses/999999');
      expect([status, body.code]).toEqual([404, 'not_found']);
    });
  });

  it('responds 403 to managers: licenses are for owners only', async () => {
    const { id } = await panel.license();
    const manager = await newSignedInUser(panel, 'manager');
    expect((await manager.get('/panel/licenses')).status).toBe(403);
    expect((await manager.get(`/panel/licenses/${id}`)).status).toBe(403);
  });
});
