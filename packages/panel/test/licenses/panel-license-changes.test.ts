import { newLicenseWithSites } from '@steward/testkit/panel/licensed-sites.ts';
import { usePanelWithOwner } from '@steward/testkit/panel/signed-in-user.ts';
import { VERSIONS } from '@steward/testkit/panel/test-panel.ts';
import { listAuditRecords } from '@steward/testkit/postgres/test-database.ts';
import { describe, expect, it, onTestFinished } from 'vitest';

describe('/panel/licenses/:id', () => {
  const { panel, owner } = usePanelWithOwner();

  const act = (id: number, action: string, body?: object) =>
    owner.post(`/panel/licenses/${id}/${action}`, body);

  describe('changes', () => {
    it('suspends, resumes, extends, sets the limit and revokes, each with an audit record', async () => {
      const { id } = await panel.license();
      expect((await act(id, 'suspend')).body.license.status).toBe('suspended');
      expect((await act(id, 'resume')).body.license.status).toBe('inactive');
      const extended = await act(id, 'extend', { expires_at: '2031-05-01T10:00:00+02:00' });
      expect(extended.body.license.expires_at).toBe('2031-05-01T08:00:00.000Z');
      expect((await act(id, 'extend', { expires_at: null })).body.license.expires_at).toBeNull();
      expect((await act(id, 'set-limit', { site_limit: 9 })).body.license.site_limit).toBe(9);
      expect((await act(id, 'revoke')).body.license.status).toBe('revoked');
      const records = (await listAuditRecords(panel, 'license', id)).slice(1);
      expect(records.map(({ action }) => action)).toEqual([
        ...['suspend', 'resume', 'extend', 'extend', 'set_limit', 'revoke'],
      ]);
      for (const record of records) expect(record.actor).toBe(String(owner.id));
      for (const [action, change] of [
        ['suspend'],
        ['resume'],
        ['extend', { expires_at: null }],
        ['end-old-key'],
      ] as const) {
        const refused = await act(id, action, change);
        expect([refused.status, refused.body.code]).toEqual([403, 'license_revoked']);
        expect(refused.body.error).toContain('is revoked, which cannot be undone');
      }
    });

    it('ask the sites to check in if the license becomes valid or invalid', async () => {
      const { id } = await panel.license();
      const client = await panel.pool.connect();
      onTestFinished(async () => {
        await client.query('UNLISTEN *');
        client.release();
      });
      const asked: unknown[] = [];
      client.on('notification', ({ payload }) => asked.push(payload));
      await client.query('LISTEN steward_licenses');
      const countAsked = async () => {
        await client.query('SELECT');
        return asked.filter((payload) => payload === String(id)).length;
      };
      await act(id, 'extend', { expires_at: '2031-05-01T10:00:00Z' });
      expect(await countAsked()).toBe(0);
      const expired = { expires_at: new Date('2020-01-01') };
      await panel.db.updateTable('licenses').set(expired).where('id', '=', id).execute();
      await act(id, 'extend', { expires_at: '2031-06-01T10:00:00Z' });
      expect(await countAsked()).toBe(1);
      await act(id, 'suspend');
      expect(await countAsked()).toBe(2);
    });

    it('set and remove the name and the customer, with an audit record', async () => {
      const { id, key_last_six } = await panel.license();
      const rename = (body: object) => owner.patch(`/panel/licenses/${id}`, body);
      const named = (await rename({ name: '  Studio Berlin ', customer: 'Müller_100% GmbH' })).body;
      expect(named.license).toMatchObject({ name: 'Studio Berlin', customer: 'Müller_100% GmbH' });
      expect((await rename({})).body.license.name).toBe('Studio Berlin');
      expect((await rename({ name: '   ' })).body.license).toMatchObject({
        name: null,
        customer: 'Müller_100% GmbH',
      });
      const [, ...records] = await listAuditRecords(panel, 'license', id);
      expect(records.map(({ action, context }) => [action, context.after])).toEqual([
        ['rename', { name: 'Studio Berlin', customer: 'Müller_100% GmbH' }],
        ['rename', { name: null, customer: 'Müller_100% GmbH' }],
      ]);
      for (const body of [{ name: 'x'.repeat(101) }, { name: 'two\nlines' }, { customer: 5 }]) {
        expect((await rename(body)).status).toBe(400);
      }
      const find = async (text: string) =>
        (await owner.get(`/panel/licenses?search=${encodeURIComponent(text)}`)).body.licenses;
      expect(await find('müller_100%')).toMatchObject([{ id, key_last_six }]);
      expect(await find('müller_1000')).toEqual([]);
    });

    it('respond 404 to an unknown license and 400 to an invalid body', async () => {
      for (const action of ['suspend', 'resume', 'revoke']) {
        expect((await act(999_999, action)).status).toBe(404);
      }
      const { id } = await panel.license();
      for (const [action, body] of [
        ['extend', {}],
        ['extend', { expires_at: 'x' }],
        ['extend', { expires_at: 7 }],
        ['set-limit', {}],
        ['set-limit', { site_limit: 0 }],
        ['set-limit', { site_limit: 1_000_001 }],
      ] as const) {
        expect((await act(id, action, body)).status).toBe(400);
      }
      expect(await listAuditRecords(panel, 'license', id)).toHaveLength(1);
    });
  });

  describe('GET /panel/licenses/:id/limit-preview', () => {
    it('returns the effect of a limit without changing it', async () => {
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
        summary: '3 of 1 used. Existing sites stay; remove 3 before adding another.',
      });
      expect(await preview('?site_limit=3')).toMatchObject({
        sites_over: 0,
        sites_remaining: 0,
        summary: '3 of 3 used. Existing sites stay; remove 1 before adding another.',
      });
      expect(await preview('?site_limit=5')).toMatchObject({
        sites_remaining: 2,
        summary: '3 of 5 used. 2 more can be added.',
      });
      expect(await preview('?site_limit=unlimited')).toMatchObject({
        sites_remaining: null,
        summary: '3 used. Any number of sites can be added.',
      });
      expect(await preview('')).toMatchObject({ site_limit: null });
      const { body } = await owner.get(`/panel/licenses/${license.id}`);
      expect(body.license.site_limit).toBeNull();
    });

    it('responds 400 to an invalid limit', async () => {
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
    it('deactivates the site and frees its seat, and is idempotent', async () => {
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
      const records = await listAuditRecords(panel, 'activation', siteId);
      expect(records.map(({ action }) => action)).toEqual(['activate', 'deactivate']);
      expect(records[1]).toMatchObject({
        actor: String(owner.id),
        site_id: siteId,
        context: { reason: 'released', license_id: id },
      });
    });

    it('responds 404 to a site of another license and to an unknown site', async () => {
      const [license, other] = [await newLicenseWithSites(panel), await newLicenseWithSites(panel)];
      const { id: siteId } = await other.addSite();
      for (const [licenseId, site] of [
        [license.id, siteId],
        [license.id, 999_999],
        [999_999, siteId],
      ] as const) {
        const { status, body } = await act(licenseId, `sites/${site}/release`);
        expect([status, body.code]).toEqual([404, 'site_not_found']);
      }
      const { body } = await owner.get(`/panel/licenses/${other.id}`);
      expect(body.license.sites_used).toBe(1);
    });
  });

  describe('POST /panel/licenses/:id/reveal-key', () => {
    it('returns the key and writes an audit record without it', async () => {
      const { id, license_key } = await panel.license();
      const { status, body, headers } = await act(id, 'reveal-key');
      expect([status, body]).toEqual([200, { success: true, license_key }]);
      expect(headers['cache-control']).toBe('no-store');
      const records = await listAuditRecords(panel, 'license', id);
      expect(records[1]).toMatchObject({ action: 'reveal_key', actor: String(owner.id) });
      expect(JSON.stringify(records)).not.toContain(license_key);
    });

    it('responds 404 to an unknown license', async () => {
      expect((await act(999_999, 'reveal-key')).status).toBe(404);
    });
  });
});
