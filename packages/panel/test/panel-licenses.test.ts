import { LICENSE_STATUSES, type LicenseSummary } from '@steward/contract';
import { beforeAll, describe, expect, it } from 'vitest';
import { newLicenseWithSites } from './support/fleet.ts';
import { noteSecret } from './support/logs.ts';
import { newPassword, newPerson } from './support/people.ts';
import { auditOf } from './support/test-database.ts';
import { useTestPanel, VERSIONS } from './support/test-panel.ts';

type Person = Awaited<ReturnType<typeof newPerson>>;

describe('/panel/licenses', () => {
  const panel = useTestPanel();
  const owner = {} as Person;
  beforeAll(async () => {
    Object.assign(owner, await newPerson(panel, 'owner'));
  });

  async function create(order: object) {
    const { status, body } = await owner.post('/panel/licenses', order);
    if (body.license?.license_key) noteSecret(body.license.license_key);
    return { status, body };
  }
  const act = (id: number, word: string, body?: object) =>
    owner.post(`/panel/licenses/${id}/${word}`, body);

  describe('POST /panel/licenses', () => {
    it('creates one and gives its key this once; it works', async () => {
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
        expires_at: '2030-01-31T00:00:00.000Z',
      });
      const { license_key, id } = body.license;
      const valid = await panel.post('/api/v1/license/validate', { license_key });
      expect(valid.body.license.valid).toBe(true);
      const shown = await owner.get(`/panel/licenses/${id}`);
      expect(JSON.stringify(shown.body)).not.toContain(license_key);
      expect(await auditOf(panel, 'license', id)).toMatchObject([
        { action: 'create', actor: String(owner.id) },
      ]);
    });

    it('takes null for unlimited and never, and the limit of a plan that exists', async () => {
      const endless = await create({ plan: 'Endless', site_limit: null, expires_at: null });
      expect(endless.body.license).toMatchObject({ site_limit: null, expires_at: null });
      await create({ plan: 'Five', site_limit: 5 });
      expect((await create({ plan: 'five' })).body.license.site_limit).toBe(5);
      const { body } = await owner.get('/panel/plans');
      expect(body.plans).toContainEqual(
        expect.objectContaining({ name: 'Five', slug: 'five', site_limit: 5 }),
      );
    });

    for (const [why, order, sentence] of [
      ['no plan', { site_limit: 1 }, /^plan is required/],
      ['an empty plan', { plan: '' }, /^plan must not be empty/],
      ['a new plan without a limit', { plan: 'Unheard of' }, /site_limit/],
      ['a limit of 0', { plan: 'Five', site_limit: 0 }, /^site_limit must be at least 1/],
      ['half a site', { plan: 'Five', site_limit: 1.5 }, /^site_limit must be of type integer/],
      ['a limit as text', { plan: 'Five', site_limit: '3' }, /^site_limit must be of type/],
      ['no such service', { plan: 'Five', services: ['cooking'] }, /cooking/],
      [
        '30 February',
        { plan: 'Five', expires_at: '2027-02-30' },
        /^expires_at must be null, a day/,
      ],
      ['a word for a day', { plan: 'Five', expires_at: 'soon' }, /^expires_at must be/],
      ['a leap second', { plan: 'Five', expires_at: '2027-01-31T23:59:60Z' }, /^expires_at must/],
    ] as const) {
      it(`is 400 with ${why}`, async () => {
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

    it('lists the newest first, page by page, with slots in use', async () => {
      const made = [];
      for (let n = 0; n < 5; n++) made.push((await panel.license({ planName: 'Paged' })).id);
      const first = await list({ plan: 'paged', limit: '2' });
      expect(first.ids).toEqual(made.slice(3).toReversed());
      expect(first.body.total).toEqual({ count: 5, is_exact: true });
      const second = await list({ plan: 'paged', limit: '2', cursor: first.body.next_cursor });
      const third = await list({ plan: 'paged', limit: '2', cursor: second.body.next_cursor });
      expect([...second.ids, ...third.ids]).toEqual(made.slice(0, 3).toReversed());
      expect([second.body.total, third.body.next_cursor]).toEqual([null, null]);
    });

    it('finds by the end of the key, in any case, and by the plan', async () => {
      const { id, key_last_six } = await panel.license({ planName: 'Rare bird' });
      const found = await list({ search: ` ${key_last_six.toLowerCase()} ` });
      expect(found.ids).toContain(id);
      expect((await list({ search: 'rare B' })).ids).toEqual([id]);
      expect((await list({ search: '%' })).ids).toEqual([]);
    });

    it('filters by each status, as the license itself is called', async () => {
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
      it(`is 400 for ${query}`, async () => {
        const { status, body } = await owner.get(`/panel/licenses?${query}`);
        expect([status, body.code]).toEqual([400, 'invalid_request']);
        expect(body.error).toContain(query.split('=', 1)[0]);
      });
    }
  });

  describe('GET /panel/licenses/:id', () => {
    it('shows the license with its sites', async () => {
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

    it('is 404 for one that is not there', async () => {
      const { status, body } = await owner.get('/panel/licenses/999999');
      expect([status, body.code]).toEqual([404, 'not_found']);
    });
  });

  describe('changes', () => {
    it('suspends, resumes, extends, sets the limit and revokes, each with its record', async () => {
      const { id } = await panel.license();
      expect((await act(id, 'suspend')).body.license.status).toBe('suspended');
      expect((await act(id, 'resume')).body.license.status).toBe('inactive');
      const extended = await act(id, 'extend', { expires_at: '2031-05-01T10:00:00+02:00' });
      expect(extended.body.license.expires_at).toBe('2031-05-01T08:00:00.000Z');
      expect((await act(id, 'extend', { expires_at: null })).body.license.expires_at).toBeNull();
      expect((await act(id, 'set-limit', { site_limit: 9 })).body.license.site_limit).toBe(9);
      expect((await act(id, 'revoke')).body.license.status).toBe('revoked');
      const records = (await auditOf(panel, 'license', id)).slice(1);
      expect(records.map(({ action }) => action)).toEqual([
        ...['suspend', 'resume', 'extend', 'extend', 'set_limit', 'revoke'],
      ]);
      for (const record of records) expect(record.actor).toBe(String(owner.id));
      const late = await act(id, 'resume');
      expect([late.status, late.body.code]).toEqual([403, 'license_revoked']);
    });

    it('are 404 for a license that is not there, 400 for a body that is wrong', async () => {
      for (const word of ['suspend', 'resume', 'revoke']) {
        expect((await act(999_999, word)).status).toBe(404);
      }
      const { id } = await panel.license();
      for (const [word, body] of [
        ['extend', {}],
        ['extend', { expires_at: 'x' }],
        ['extend', { expires_at: 7 }],
        ['set-limit', {}],
        ['set-limit', { site_limit: 0 }],
        ['set-limit', { site_limit: 1_000_001 }],
      ] as const) {
        expect((await act(id, word, body)).status).toBe(400);
      }
      expect(await auditOf(panel, 'license', id)).toHaveLength(1);
    });
  });

  describe('GET /panel/licenses/:id/limit-preview', () => {
    it('says what a limit means, and changes nothing', async () => {
      const license = await newLicenseWithSites(panel);
      for (let n = 0; n < 3; n++) await license.addSite();
      await license.addSite({ url: 'https://staging.preview.example.com' });
      const preview = async (limit: string) => {
        const path = `/panel/licenses/${license.id}/limit-preview${limit}`;
        return (await owner.get(path)).body.preview;
      };
      expect(await preview('?site_limit=1')).toEqual({
        site_limit: 1,
        sites_used: 3,
        sites_remaining: 0,
        sites_over: 2,
        uncounted_sites: 1,
        uncounted_limit: 5,
        summary:
          'It is in use on 3 sites. All of them stay in, 2 more than the limit; no other site can be activated until 3 have left.',
      });
      expect(await preview('?site_limit=3')).toMatchObject({ sites_over: 0, sites_remaining: 0 });
      expect(await preview('?site_limit=5')).toMatchObject({
        sites_remaining: 2,
        summary: 'It is in use on 3 sites. 2 more can be activated.',
      });
      expect(await preview('?site_limit=unlimited')).toMatchObject({ sites_remaining: null });
      expect(await preview('')).toMatchObject({ site_limit: null });
      const { body } = await owner.get(`/panel/licenses/${license.id}`);
      expect(body.license.site_limit).toBeNull();
    });

    it('is 400 for what is no limit', async () => {
      const { id } = await panel.license();
      for (const limit of ['0', '-1', 'many', '1.5', '1000001', '']) {
        const { status, body } = await owner.get(
          `/panel/licenses/${id}/limit-preview?site_limit=${limit}`,
        );
        expect([status, body.error]).toEqual([400, expect.stringMatching(/^site_limit must be/)]);
      }
    });
  });

  describe('POST /panel/licenses/:id/sites/:site_id/release', () => {
    it('takes the license off the site and frees its slot; twice is as once', async () => {
      const license = await panel.license({ siteLimit: 1 });
      const { license_key, id } = license;
      const activate = (site_url: string) =>
        panel.post('/api/v1/license/activate', { license_key, site_url, ...VERSIONS });
      const { body } = await activate('https://lost.example.com');
      const siteId = body.activation.site_id;
      expect((await activate('https://next.example.com')).body.code).toBe('site_limit_reached');
      const released = await act(id, `sites/${siteId}/release`);
      expect([released.status, released.body]).toMatchObject([
        200,
        { license: { sites_used: 0 }, activation: { site_id: siteId, status: 'deactivated' } },
      ]);
      expect((await act(id, `sites/${siteId}/release`)).status).toBe(200);
      expect((await activate('https://next.example.com')).status).toBe(200);
      const records = await auditOf(panel, 'activation', siteId);
      expect(records.map(({ action }) => action)).toEqual(['activate', 'deactivate']);
      expect(records[1]).toMatchObject({
        actor: String(owner.id),
        site_id: siteId,
        context: { reason: 'released', license_id: id },
      });
    });

    it('is 404 for a site of another license, and for none', async () => {
      const [mine, other] = [await newLicenseWithSites(panel), await newLicenseWithSites(panel)];
      const { id: siteId } = await other.addSite();
      for (const [license, site] of [
        [mine.id, siteId],
        [mine.id, 999_999],
        [999_999, siteId],
      ] as const) {
        const { status, body } = await act(license, `sites/${site}/release`);
        expect([status, body.code]).toEqual([404, 'site_not_found']);
      }
      const { body } = await owner.get(`/panel/licenses/${other.id}`);
      expect(body.license.sites_used).toBe(1);
    });
  });

  describe('POST /panel/licenses/:id/reveal-key', () => {
    it('shows the key to who knows their password, and records it without the key', async () => {
      const { id, license_key } = await panel.license();
      const { status, body, headers } = await act(id, 'reveal-key', { password: owner.password });
      expect([status, body]).toEqual([200, { success: true, license_key }]);
      expect(headers['cache-control']).toBe('no-store');
      const records = await auditOf(panel, 'license', id);
      expect(records[1]).toMatchObject({ action: 'reveal_key', actor: String(owner.id) });
      expect(JSON.stringify(records)).not.toContain(license_key);
    });

    it('is 403 with a wrong password, which is recorded and counted', async () => {
      const { id } = await panel.license();
      const guesser = await newPerson(panel, 'owner');
      const guess = (password: string) =>
        guesser.post(`/panel/licenses/${id}/reveal-key`, { password });
      const { status, body } = await guess(newPassword());
      expect([status, body.code, body.license_key]).toEqual([403, 'wrong_password', undefined]);
      const refused = (await auditOf(panel, 'user', guesser.id)).at(-1);
      expect(refused).toMatchObject({ action: 'refuse_password', actor: String(guesser.id) });
      for (let n = 0; n < 9; n++) await guess('wrong');
      expect((await guess(guesser.password)).body.code).toBe('rate_limited');
      expect(await auditOf(panel, 'license', id)).toHaveLength(1);
    });

    it('is 404 for no license, 400 without a password', async () => {
      expect((await act(999_999, 'reveal-key', { password: owner.password })).status).toBe(404);
      const { id } = await panel.license();
      const { status, body } = await act(id, 'reveal-key', {});
      expect([status, body.error]).toEqual([400, 'password is required.']);
    });
  });

  it('is for owners: a manager of the license may not even see it', async () => {
    const { id } = await panel.license();
    const manager = await newPerson(panel, 'manager');
    expect((await manager.get('/panel/licenses')).status).toBe(403);
    expect((await manager.get(`/panel/licenses/${id}`)).status).toBe(403);
  });
});
