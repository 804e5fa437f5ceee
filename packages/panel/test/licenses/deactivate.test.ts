import { randomBytes } from 'node:crypto';
import { generateLicenseKey } from '@steward/contract';
import { newSiteUrl, useTestPanel, VERSIONS } from '@steward/testkit/panel/test-panel.ts';
import { describe, expect, it } from 'vitest';

const PATH = '/api/v1/license/deactivate';

describe('POST /api/v1/license/deactivate', () => {
  const panel = useTestPanel();

  async function activated(siteLimit = 1) {
    const license = await panel.license({ siteLimit });
    const site_url = newSiteUrl();
    const { body } = await panel.post('/api/v1/license/activate', {
      license_key: license.license_key,
      site_url,
      ...VERSIONS,
    });
    return { ...license, site_url, activation_token: body.activation_token as string };
  }

  describe('200', () => {
    it('frees the seat for another site', async () => {
      const { license_key, site_url } = await activated();
      const { status, body } = await panel.post(PATH, { license_key, site_url });
      expect(status).toBe(200);
      expect(body).toMatchObject({
        success: true,
        license: { status: 'inactive', sites_used: 0, sites_remaining: 1 },
        activation: { status: 'deactivated' },
      });
      const other = { license_key, site_url: newSiteUrl(), ...VERSIONS };
      expect((await panel.post('/api/v1/license/activate', other)).status).toBe(200);
    });

    it('is idempotent', async () => {
      const { license_key, site_url } = await activated(2);
      const other = { license_key, site_url: newSiteUrl(), ...VERSIONS };
      await panel.post('/api/v1/license/activate', other);
      const first = await panel.post(PATH, { license_key, site_url });
      const second = await panel.post(PATH, { license_key, site_url });
      expect([first.status, second.status]).toEqual([200, 200]);
      expect(second.body.license.sites_used).toBe(1);
    });

    it('accepts the right token', async () => {
      const { license_key, site_url, activation_token } = await activated();
      const { status } = await panel.post(PATH, { license_key, site_url, activation_token });
      expect(status).toBe(200);
    });

    for (const status of ['expired', 'suspended', 'revoked']) {
      it(`accepts a license that is ${status}`, async () => {
        const { id, license_key, site_url } = await activated();
        if (status === 'suspended') await panel.suspend(id);
        if (status === 'revoked') await panel.revoke(id);
        if (status === 'expired') {
          await panel.db
            .updateTable('licenses')
            .set({ expires_at: new Date(0) })
            .where('id', '=', id)
            .execute();
        }
        const response = await panel.post(PATH, { license_key, site_url });
        expect(response.status).toBe(200);
        expect(response.body).toMatchObject({ license: { status, sites_used: 0 } });
      });
    }
  });

  describe('400', () => {
    it('names a missing key and a missing address', async () => {
      const noKey = await panel.post(PATH, { site_url: newSiteUrl() });
      expect([noKey.status, noKey.body.code]).toEqual([400, 'missing_license_key']);
      const noSite = await panel.post(PATH, { license_key: generateLicenseKey(randomBytes) });
      expect([noSite.status, noSite.body.code]).toEqual([400, 'missing_site_url']);
    });
  });

  describe('401', () => {
    it('refuses an unknown key', async () => {
      const request = { license_key: generateLicenseKey(randomBytes), site_url: newSiteUrl() };
      const { status, body } = await panel.post(PATH, request);
      expect([status, body.code]).toEqual([401, 'invalid_license_key']);
    });

    it('refuses a wrong token and keeps the site active', async () => {
      const { license_key, site_url } = await activated();
      const activation_token = 'stwt_wrong';
      const { status, body } = await panel.post(PATH, { license_key, site_url, activation_token });
      expect([status, body.code]).toEqual([401, 'invalid_activation_token']);
      const now = await panel.post('/api/v1/license/validate', { license_key });
      expect(now.body.license.sites_used).toBe(1);
    });
  });

  describe('404', () => {
    it('refuses a site on which the license was never active', async () => {
      const { license_key } = await panel.license();
      const { status, body } = await panel.post(PATH, { license_key, site_url: newSiteUrl() });
      expect([status, body.code]).toEqual([404, 'site_not_activated']);
    });
  });
});
