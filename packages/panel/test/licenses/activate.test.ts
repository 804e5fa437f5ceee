import { randomBytes } from 'node:crypto';
import { generateLicenseKey } from '@steward/contract';
import { newSiteUrl, useTestPanel, VERSIONS } from '@steward/testkit/panel/test-panel.ts';
import { describe, expect, it } from 'vitest';

const PATH = '/api/v1/license/activate';

describe('POST /api/v1/license/activate', () => {
  const panel = useTestPanel();
  const activate = (license_key: string, site_url: string, more = {}) =>
    panel.post(PATH, { license_key, site_url, ...VERSIONS, ...more });

  async function rowOf(siteId: number) {
    return panel.db
      .selectFrom('license_activations')
      .innerJoin('sites', 'sites.id', 'license_activations.site_id')
      .selectAll()
      .where('site_id', '=', siteId)
      .executeTakeFirstOrThrow();
  }

  describe('200', () => {
    it('uses a seat, records the versions and returns a token', async () => {
      const { license_key } = await panel.license({ siteLimit: 2 });
      const site_url = newSiteUrl();
      const { status, body } = await activate(license_key, site_url);
      expect(status).toBe(200);
      expect(body).toMatchObject({
        success: true,
        license: { status: 'active', valid: true, sites_used: 1, sites_remaining: 1 },
        activation: {
          site_url,
          status: 'active',
          counted: true,
          activated_at: '2026-06-01T12:00:00.000Z',
          last_check_at: null,
        },
      });
      expect(body.activation_token).toMatch(/^stwt_[\w-]{43}$/);
      expect(await rowOf(body.activation.site_id)).toMatchObject(VERSIONS);
    });

    it('keeps site, seat and token on a repeated call, and updates the versions', async () => {
      const { license_key } = await panel.license({ siteLimit: 1 });
      const site_url = newSiteUrl();
      const first = await activate(license_key, site_url);
      const again = await activate(license_key, `${site_url.replace('https://', 'http://www.')}/`, {
        cms_version: '7.0',
      });
      expect(again.status).toBe(200);
      expect(again.body.activation_token).toBe(first.body.activation_token);
      expect(again.body.activation.site_id).toBe(first.body.activation.site_id);
      expect(again.body.license.sites_used).toBe(1);
      expect(await rowOf(first.body.activation.site_id)).toMatchObject({ cms_version: '7.0' });
    });

    it('activates a deactivated site again with a new token', async () => {
      const { license_key } = await panel.license({ siteLimit: 1 });
      const site_url = newSiteUrl();
      const first = await activate(license_key, site_url);
      await panel.post('/api/v1/license/deactivate', { license_key, site_url });
      const again = await activate(license_key, site_url);
      expect(again.body.activation).toMatchObject({
        site_id: first.body.activation.site_id,
        status: 'active',
      });
      expect(again.body.activation_token).not.toBe(first.body.activation_token);
    });

    it('returns the stored license and activation', async () => {
      const { license_key } = await panel.license();
      for (const site_url of [newSiteUrl(), newSiteUrl().replace('https://', 'https://staging.')]) {
        const readStored = async () => {
          const { body } = await panel.post('/api/v1/license/validate', { license_key, site_url });
          return { license: body.license, activation: body.activation };
        };
        expect((await activate(license_key, site_url)).body).toMatchObject(await readStored());
        await panel.post('/api/v1/license/check', { license_key, site_url, ...VERSIONS });
        await panel.post('/api/v1/license/deactivate', { license_key, site_url });
        expect((await activate(license_key, site_url)).body).toMatchObject(await readStored());
      }
    });

    it('does not count local and staging hosts, and ignores the reported environment', async () => {
      const { license_key } = await panel.license({ siteLimit: 1 });
      const staging = await activate(license_key, 'https://staging.shop.com');
      expect(staging.body.activation.counted).toBe(false);
      expect(staging.body.license).toMatchObject({ status: 'active', sites_used: 0 });
      const live = await activate(license_key, newSiteUrl(), { environment: 'staging' });
      expect(live.body.activation.counted).toBe(true);
    });

    it('keeps sites active when the limit is lowered below their number', async () => {
      const { id, license_key } = await panel.license({ siteLimit: 2 });
      const [one, two] = [newSiteUrl(), newSiteUrl()];
      await activate(license_key, one);
      await activate(license_key, two);
      await panel.setLimit(id, 1);
      const again = await activate(license_key, one);
      expect(again.body.license).toMatchObject({ sites_used: 2, sites_remaining: 0 });
      expect((await activate(license_key, newSiteUrl())).status).toBe(403);
    });

    it('keeps two licenses at one address separate', async () => {
      const [one, other] = [await panel.license(), await panel.license()];
      const site_url = newSiteUrl();
      const first = await activate(one.license_key, site_url);
      const second = await activate(other.license_key, site_url);
      expect(second.body.activation.site_id).not.toBe(first.body.activation.site_id);
    });

    it('uses an endpoint only if it is a standard one of the site', async () => {
      const { license_key } = await panel.license();
      const site_url = newSiteUrl();
      const endpoint_url = `${site_url}/wp-json/service/v1/`;
      const { body } = await activate(license_key, site_url, { endpoint_url });
      expect(await rowOf(body.activation.site_id)).toMatchObject({ endpoint_url });
      for (const requested_endpoint_url of [
        'https://evil.example.net/wp-json/service/v1/',
        `${site_url}/folder/wp-json/service/v1/`,
      ]) {
        await activate(license_key, site_url, { endpoint_url: requested_endpoint_url });
        const row = await rowOf(body.activation.site_id);
        expect(row).toMatchObject({ endpoint_url, requested_endpoint_url });
      }
    });

    for (const endpoint_url of [
      'file:///etc/passwd',
      'blob:https://shop.example.com/x',
      'https://user:secret@shop.example.com/wp-json/',
      'http://shop.example.com/wp-json/',
      'https://shop.example.com:8443/wp-json/',
      'https://shop.example.com/shop/wp-json/service/v1/',
      'not a url',
    ]) {
      it(`does not use ${endpoint_url} as the endpoint of https://shop.example.com`, async () => {
        const { license_key } = await panel.license();
        const { body } = await activate(license_key, 'https://shop.example.com', { endpoint_url });
        expect(await rowOf(body.activation.site_id)).toMatchObject({ endpoint_url: null });
      });
    }

    it('ignores unknown fields', async () => {
      const { license_key } = await panel.license();
      const { status } = await activate(license_key, newSiteUrl(), { colour: ['blue'] });
      expect(status).toBe(200);
    });

    it('stores the key in canonical form', async () => {
      const { license_key } = await panel.license();
      const { body } = await activate(license_key.toLowerCase(), newSiteUrl());
      const row = await rowOf(body.activation.site_id);
      const encrypted = row.license_key_encrypted ?? Buffer.of();
      expect(panel.secrets.decrypt(encrypted, 'license_key')).toBe(license_key);
    });
  });

  describe('400', () => {
    for (const field of Object.keys(VERSIONS)) {
      it(`names a missing ${field}`, async () => {
        const { license_key } = await panel.license();
        const { status, body } = await activate(license_key, newSiteUrl(), { [field]: undefined });
        expect([status, body.code]).toEqual([400, 'invalid_request']);
        expect(body.error).toBe(`${field} is required.`);
      });

      it(`refuses an empty, a long and a numeric ${field}`, async () => {
        const { license_key } = await panel.license();
        for (const value of ['', 'x'.repeat(65), 6.6]) {
          const { status, body } = await activate(license_key, newSiteUrl(), { [field]: value });
          expect([status, body.code]).toEqual([400, 'invalid_request']);
          expect(body.error).toContain(field);
        }
      });
    }

    it('names a missing address', async () => {
      const { license_key } = await panel.license();
      const { status, body } = await panel.post(PATH, { license_key, ...VERSIONS });
      expect([status, body.code]).toEqual([400, 'missing_site_url']);
    });

    it('names a missing key', async () => {
      const { status, body } = await panel.post(PATH, { site_url: newSiteUrl(), ...VERSIONS });
      expect([status, body.code]).toEqual([400, 'missing_license_key']);
    });

    it('explains why an address is invalid', async () => {
      const { license_key } = await panel.license();
      const { status, body } = await activate(license_key, 'https://exa mple.com');
      expect([status, body.code]).toEqual([400, 'invalid_site_url']);
      expect(body.error).toContain('a space');
    });

    it('refuses an unknown environment and names the known ones', async () => {
      const { license_key } = await panel.license();
      const { status, body } = await activate(license_key, newSiteUrl(), { environment: 'moon' });
      expect(status).toBe(400);
      expect(body.error).toContain('production, staging, development, local');
    });
  });

  describe('401', () => {
    it('refuses an unknown key and stores nothing', async () => {
      const site_url = newSiteUrl();
      const { status, body } = await activate(generateLicenseKey(randomBytes), site_url);
      expect([status, body.code]).toEqual([401, 'invalid_license_key']);
      const stored = await panel.db
        .selectFrom('sites')
        .select('id')
        .where('url', '=', site_url)
        .execute();
      expect(stored).toEqual([]);
    });
  });

  describe('403', () => {
    for (const status of ['expired', 'suspended', 'revoked'] as const) {
      it(`refuses a license that is ${status}, and returns its status`, async () => {
        const expiresAt = status === 'expired' ? panel.fakes.now : null;
        const { id, license_key } = await panel.license({ expiresAt });
        if (status === 'suspended') await panel.suspend(id);
        if (status === 'revoked') await panel.revoke(id);
        const response = await activate(license_key, newSiteUrl());
        expect(response.status).toBe(403);
        expect(response.body).toMatchObject({
          success: false,
          code: `license_${status}`,
          license: { status, valid: false },
        });
      });
    }

    it('refuses when no seat is free, and returns limit and usage', async () => {
      const { license_key } = await panel.license({ siteLimit: 1 });
      await activate(license_key, newSiteUrl());
      const site_url = newSiteUrl();
      const { status, body } = await activate(license_key, site_url);
      expect(status).toBe(403);
      expect(body).toMatchObject({ code: 'site_limit_reached', site_limit: 1, sites_used: 1 });
      const stored = await panel.db
        .selectFrom('sites')
        .select('id')
        .where('url', '=', site_url)
        .execute();
      expect(stored).toEqual([]);
    });

    it('refuses the sixth local site of a license for one site', async () => {
      const { license_key } = await panel.license({ siteLimit: 1 });
      for (let site = 1; site <= 5; site++) {
        expect((await activate(license_key, `https://shop-${site}.test`)).status).toBe(200);
      }
      const { status, body } = await activate(license_key, 'https://shop-6.test');
      expect([status, body.code]).toEqual([403, 'site_limit_reached']);
      expect(body.error).toContain('local or staging address');
      expect((await activate(license_key, newSiteUrl())).status).toBe(200);
    });
  });
});
