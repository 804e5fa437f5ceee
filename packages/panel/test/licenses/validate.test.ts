import { randomBytes } from 'node:crypto';
import { generateLicenseKey } from '@steward/contract';
import { newSiteUrl, useTestPanel, VERSIONS } from '@steward/testkit/panel/test-panel.ts';
import { describe, expect, it } from 'vitest';

const PATH = '/api/v1/license/validate';

describe('POST /api/v1/license/validate', () => {
  const panel = useTestPanel();

  describe('200', () => {
    it('returns plan, status and limits of an unused key', async () => {
      const { license_key } = await panel.license({ planName: 'Solo', siteLimit: 1 });
      const { status, body } = await panel.post(PATH, { license_key });
      expect(status).toBe(200);
      expect(body).toEqual({
        success: true,
        license: {
          status: 'inactive',
          valid: true,
          plan: { name: 'Solo', slug: 'solo', services: ['remote'] },
          site_limit: 1,
          sites_used: 0,
          sites_remaining: 1,
          expires_at: null,
        },
      });
    });

    it('accepts any spelling of the key', async () => {
      const { license_key } = await panel.license();
      const typed = ` ${license_key.toLowerCase().replaceAll('-', ' ')} `;
      expect((await panel.post(PATH, { license_key: typed })).status).toBe(200);
    });

    it('returns null for the limits of an unlimited license', async () => {
      const { license_key } = await panel.license({ siteLimit: null });
      const { body } = await panel.post(PATH, { license_key });
      expect(body.license).toMatchObject({ site_limit: null, sites_remaining: null });
    });

    it('returns the activation for a given site', async () => {
      const { license_key } = await panel.license();
      const site_url = newSiteUrl();
      await panel.post('/api/v1/license/activate', { license_key, site_url, ...VERSIONS });
      const { body } = await panel.post(PATH, { license_key, site_url });
      expect(body).toMatchObject({ license: { status: 'active' }, activation: { site_url } });
    });

    it('omits the activation for an unknown site', async () => {
      const { license_key } = await panel.license();
      const { body } = await panel.post(PATH, { license_key, site_url: newSiteUrl() });
      expect(body).not.toHaveProperty('activation');
    });

    for (const status of ['expired', 'suspended', 'revoked']) {
      it(`returns valid: false, not an error, for a ${status} license`, async () => {
        const expiresAt = status === 'expired' ? panel.fakes.now : null;
        const { id, license_key } = await panel.license({ expiresAt });
        if (status === 'suspended') await panel.suspend(id);
        if (status === 'revoked') await panel.revoke(id);
        const response = await panel.post(PATH, { license_key });
        expect(response.status).toBe(200);
        expect(response.body).toMatchObject({ success: true, license: { status, valid: false } });
      });
    }
  });

  describe('400', () => {
    it('names a missing key', async () => {
      const { status, body } = await panel.post(PATH, {});
      expect(status).toBe(400);
      expect(body).toMatchObject({ success: false, code: 'missing_license_key' });
      expect(body.request_id).toEqual(expect.any(String));
    });

    it('treats an empty key as missing', async () => {
      const { body } = await panel.post(PATH, { license_key: '' });
      expect(body.code).toBe('missing_license_key');
    });

    it('refuses a key that is not a string', async () => {
      const { status, body } = await panel.post(PATH, { license_key: 5 });
      expect([status, body.code]).toEqual([400, 'invalid_request']);
      expect(body.error).toBe('license_key must be of type string.');
    });

    it('refuses an invalid address', async () => {
      const { license_key } = await panel.license();
      const { status, body } = await panel.post(PATH, { license_key, site_url: 'ftp://x.com' });
      expect([status, body.code]).toEqual([400, 'invalid_site_url']);
    });
  });

  describe('401', () => {
    it('refuses an unknown key', async () => {
      const license_key = generateLicenseKey(randomBytes);
      const { status, body } = await panel.post(PATH, { license_key });
      expect([status, body.code]).toEqual([401, 'invalid_license_key']);
    });

    it('refuses a malformed key', async () => {
      const { status, body } = await panel.post(PATH, { license_key: 'let me in' });
      expect([status, body.code]).toEqual([401, 'invalid_license_key']);
    });
  });
});
