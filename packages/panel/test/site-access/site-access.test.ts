import { newUser, usePanelWithOwner } from '@steward/testkit/panel/signed-in-user.ts';
import { newSiteUrl, OPERATOR, VERSIONS } from '@steward/testkit/panel/test-panel.ts';
import { listAuditRecords } from '@steward/testkit/postgres/test-database.ts';
import { describe, expect, it } from 'vitest';
import { isVisibleTo } from '../../src/features/site-access/visible-sites.ts';

describe('site access', () => {
  const { panel, owner } = usePanelWithOwner();

  async function licenseWithSites(count: number) {
    const { id, license_key } = await panel.license({ siteLimit: null });
    const addSite = async () => {
      const request = { license_key, site_url: newSiteUrl(), ...VERSIONS };
      const { body } = await panel.post('/api/v1/license/activate', request);
      return body.activation.site_id as number;
    };
    const siteIds = [];
    for (let n = 0; n < count; n++) siteIds.push(await addSite());
    return { id, siteIds, addSite };
  }
  const grant = (userId: number, path: string) =>
    owner.call('PUT', `/panel/users/${userId}/access/${path}`);
  const revoke = (userId: number, path: string) =>
    owner.call('DELETE', `/panel/users/${userId}/access/${path}`);

  describe('PUT and DELETE /panel/users/:id/access/…', () => {
    it('grant and revoke a site and a license, each with an audit record', async () => {
      const { id: licenseId, siteIds } = await licenseWithSites(1);
      const [siteId = 0] = siteIds;
      const user = await newUser(panel, 'viewer');
      await grant(user.id, `sites/${siteId}`);
      const { status, body } = await grant(user.id, `licenses/${licenseId}`);
      expect(status).toBe(200);
      const granted_at = panel.fakes.now.toISOString();
      expect(body.access).toEqual({
        sites: [
          {
            site_id: siteId,
            site_url: expect.stringContaining('https://'),
            site_name: expect.stringMatching(/^site-/),
            granted_at,
          },
        ],
        tags: [],
        clients: [],
        licenses: [
          { license_id: licenseId, key_last_six: expect.any(String), name: null, granted_at },
        ],
      });
      const listed = await owner.get(`/panel/users/${user.id}/access`);
      expect(listed.body.access).toEqual(body.access);
      await revoke(user.id, `sites/${siteId}`);
      const emptied = await revoke(user.id, `licenses/${licenseId}`);
      expect(emptied.body.access).toEqual({ sites: [], licenses: [], tags: [], clients: [] });
      expect(await listAuditRecords(panel, 'access', user.id)).toMatchObject([
        { action: 'grant', site_id: siteId, actor: String(owner.id) },
        { action: 'grant', site_id: null, context: { license_id: licenseId } },
        { action: 'revoke', site_id: siteId },
        { action: 'revoke', site_id: null, context: { license_id: licenseId } },
      ]);
    });

    it('are idempotent, also for concurrent requests', async () => {
      const { siteIds } = await licenseWithSites(1);
      const user = await newUser(panel, 'viewer');
      const path = `sites/${siteIds[0]}`;
      const twice = await Promise.all([grant(user.id, path), grant(user.id, path)]);
      expect(twice.map(({ status }) => status)).toEqual([200, 200]);
      await revoke(user.id, path);
      expect((await revoke(user.id, path)).status).toBe(200);
      const records = await listAuditRecords(panel, 'access', user.id);
      expect(records.map(({ action }) => action)).toEqual(['grant', 'revoke']);
    });

    it('return 404 for an unknown user, site or license', async () => {
      const { id: licenseId, siteIds } = await licenseWithSites(1);
      const user = await newUser(panel, 'viewer');
      const grantCode = async (userId: number, path: string) => {
        const { status, body } = await grant(userId, path);
        return [status, body.code];
      };
      expect(await grantCode(user.id, 'sites/999999')).toEqual([404, 'site_not_found']);
      expect(await grantCode(user.id, 'licenses/999999')).toEqual([404, 'not_found']);
      expect(await grantCode(999_999, `sites/${siteIds[0]}`)).toEqual([404, 'not_found']);
      expect(await grantCode(999_999, `licenses/${licenseId}`)).toEqual([404, 'not_found']);
      expect((await owner.get('/panel/users/999999/access')).status).toBe(404);
    });

    it('return 400 for an invalid id', async () => {
      for (const path of ['sites/abc', 'sites/0', 'licenses/-1', 'licenses/1;DROP']) {
        expect((await grant(owner.id, path)).status).toBe(400);
      }
    });
  });

  describe('visible sites', () => {
    type CurrentUser = { id: number; role: 'owner' | 'manager' | 'viewer' };
    const canSee = (user: CurrentUser, id: number) => panel.services.siteAccess.canSee(user, id);

    it('of an owner: all existing sites, without a grant', async () => {
      const { siteIds } = await licenseWithSites(1);
      const user = { id: owner.id, role: 'owner' } as const;
      expect(await canSee(user, siteIds[0] ?? 0)).toBe(true);
      expect(await canSee(user, 999_999)).toBe(false);
    });

    for (const role of ['manager', 'viewer'] as const) {
      it(`of a ${role}: none without a grant, only the granted site with one`, async () => {
        const { siteIds } = await licenseWithSites(2);
        const [granted = 0, other = 0] = siteIds;
        const user = { id: (await newUser(panel, role)).id, role };
        expect(await canSee(user, granted)).toBe(false);
        await panel.services.siteAccess.grant(user.id, { siteId: granted }, OPERATOR);
        expect(await canSee(user, granted)).toBe(true);
        expect(await canSee(user, other)).toBe(false);
        await panel.services.siteAccess.revoke(user.id, { siteId: granted }, OPERATOR);
        expect(await canSee(user, granted)).toBe(false);
      });

      it(`of a ${role} with a license grant: all its sites, including later ones, and no others`, async () => {
        const mine = await licenseWithSites(2);
        const others = await licenseWithSites(1);
        const user = { id: (await newUser(panel, role)).id, role };
        await panel.services.siteAccess.grant(user.id, { licenseId: mine.id }, OPERATOR);
        const later = await mine.addSite();
        for (const id of [...mine.siteIds, later]) {
          expect(await canSee(user, id)).toBe(true);
        }
        expect(await canSee(user, others.siteIds[0] ?? 0)).toBe(false);
      });
    }

    it('do not depend on the grants of other users', async () => {
      const { siteIds } = await licenseWithSites(1);
      const [siteId = 0] = siteIds;
      const [a, b] = [await newUser(panel, 'manager'), await newUser(panel, 'manager')];
      await panel.services.siteAccess.grant(a.id, { siteId }, OPERATOR);
      expect(await canSee({ id: b.id, role: 'manager' }, siteId)).toBe(false);
    });

    it('exclude a site without access with the same error as an unknown site', async () => {
      const { siteIds } = await licenseWithSites(1);
      const { assertCanSee } = panel.services.siteAccess;
      const user = { id: (await newUser(panel, 'manager')).id, role: 'manager' } as const;
      const hidden = await assertCanSee(user, siteIds[0] ?? 0).catch((error) => error);
      const missing = await assertCanSee(user, 999_999).catch((error) => error);
      expect(hidden).toEqual(missing);
      expect(hidden.code).toBe('site_not_found');
    });

    it('are the same for a list of ids and as a predicate in a query', async () => {
      const [mine, others] = [await licenseWithSites(3), await licenseWithSites(3)];
      const single = others.siteIds[0] ?? 0;
      const user = { id: (await newUser(panel, 'viewer')).id, role: 'viewer' } as const;
      await panel.services.siteAccess.grant(user.id, { licenseId: mine.id }, OPERATOR);
      await panel.services.siteAccess.grant(user.id, { siteId: single }, OPERATOR);
      const expected = [...mine.siteIds, single].sort((a, b) => a - b);

      const requested = [...mine.siteIds, ...others.siteIds, 999_999];
      const visible = await panel.services.siteAccess.filterVisible(user, requested);
      expect([...visible].sort((a, b) => a - b)).toEqual(expected);

      const listed = await panel.db
        .selectFrom('sites as each_site')
        .select('id')
        .where(isVisibleTo(user, 'each_site'))
        .orderBy('id')
        .execute();
      expect(listed.map(({ id }) => id)).toEqual(expected);
      const all = await panel.db
        .selectFrom('sites')
        .select('id')
        .where(isVisibleTo({ id: owner.id, role: 'owner' }))
        .execute();
      expect(all.length).toBeGreaterThan(expected.length);
    });
  });
});
