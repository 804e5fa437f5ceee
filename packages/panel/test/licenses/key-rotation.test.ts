import { newSiteUrl, useTestPanel, VERSIONS } from '@steward/testkit/panel/test-panel.ts';
import { beforeEach, describe, expect, it } from 'vitest';
import { storeCurrentKey } from '../../src/features/licenses/activations.repository.ts';

const OWN_KEY = { capabilities: ['site_key', 'signed_calls'] };
const OPERATOR = { actor: 'system', via: 'command_line' } as const;
const DAY_MS = 24 * 60 * 60 * 1000;

describe('a license with a replaced key', () => {
  const panel = useTestPanel();
  let id: number;
  let oldKey: string;
  let newKey: string;
  let sharedKeySite: { url: string; id: number; token: string };
  let siteKeySite: { url: string; id: number; key: string };

  const call = (path: string, license_key: string, site_url: string, more = {}) =>
    panel.post(`/api/v1/${path}`, { ...VERSIONS, license_key, site_url, ...more });
  const statusOf = async (...request: Parameters<typeof call>) => (await call(...request)).status;
  const rotation = async () => (await panel.services.licenses.show(id)).rotation;
  const storedKey = async () => {
    const { license_key_encrypted: encrypted } = await panel.db
      .selectFrom('license_activations')
      .select('license_key_encrypted')
      .where('site_id', '=', sharedKeySite.id)
      .executeTakeFirstOrThrow();
    return encrypted && panel.secrets.decrypt(encrypted, 'license_key');
  };
  const rotate = async (oldKeyDays = 14) => (await panel.rotateKey(id, { oldKeyDays })).license_key;

  beforeEach(async () => {
    panel.fakes.now = new Date('2026-06-01T12:00:00Z');
    ({ id, license_key: oldKey } = await panel.license({ siteLimit: 10 }));
    const urls = [newSiteUrl(), newSiteUrl()] as const;
    const [first, second] = [
      await call('license/activate', oldKey, urls[0]),
      await call('license/activate', oldKey, urls[1], OWN_KEY),
    ];
    sharedKeySite = {
      url: urls[0],
      id: first.body.activation.site_id,
      token: first.body.activation_token,
    };
    siteKeySite = { url: urls[1], id: second.body.activation.site_id, key: second.body.site_key };
    newKey = await rotate();
  });

  it('accepts the new key, and accepts the old key from connected sites until it expires', async () => {
    expect(newKey).not.toBe(oldKey);
    for (const path of ['license/check', 'site/verify', 'license/validate']) {
      expect([path, await statusOf(path, oldKey, sharedKeySite.url)]).toEqual([path, 200]);
    }
    expect(await statusOf('license/activate', newKey, newSiteUrl())).toBe(200);
    expect(await rotation()).toEqual({
      old_key_last_six: oldKey.slice(-6),
      ends_at: '2026-06-15T12:00:00.000Z',
      has_ended: false,
      sites_left: 1,
    });
    panel.fakes.now = new Date(panel.fakes.now.getTime() + 14 * DAY_MS);
    for (const path of ['license/check', 'site/verify', 'license/validate', 'license/activate']) {
      const { status, body } = await call(path, oldKey, sharedKeySite.url);
      expect([path, status, body.code]).toEqual([path, 401, 'invalid_license_key']);
    }
    expect(await rotation()).toMatchObject({ has_ended: true, sites_left: 1 });
  });

  it('refuses both keys after the license is revoked, also before the old key expires', async () => {
    await panel.services.licenses.revoke(id, OPERATOR);
    for (const key of [oldKey, newKey]) {
      for (const path of ['license/check', 'site/verify']) {
        const { status, body } = await call(path, key, sharedKeySite.url);
        expect([path, status, body.success]).toEqual([path, 403, false]);
        expect(body.code).toBe('license_revoked');
      }
      for (const url of [sharedKeySite.url, newSiteUrl()]) {
        const { status, body } = await call('license/activate', key, url);
        expect([status, body.code]).toEqual([403, 'license_revoked']);
      }
      const validated = await call('license/validate', key, sharedKeySite.url);
      expect(validated.body.license).toMatchObject({ status: 'revoked', valid: false });
    }
  });

  it('does not affect a site with a site key', async () => {
    const check = () => statusOf('license/check', siteKeySite.key, siteKeySite.url);
    expect(await check()).toBe(200);
    await panel.services.keyRotation.endOldKey(id, OPERATOR);
    expect(await check()).toBe(200);
    const response = await call('license/activate', oldKey, siteKeySite.url, OWN_KEY);
    expect([response.status, response.body.code]).toEqual([401, 'invalid_license_key']);
  });

  it('cannot be activated on further sites with the old key', async () => {
    const { status, body } = await call('license/activate', oldKey, newSiteUrl());
    expect([status, body.code]).toEqual([401, 'invalid_license_key']);
    expect(body.error).toContain('replaced');
  });

  for (const path of ['license/check', 'site/verify', 'license/activate'] as const) {
    it(`moves a site that uses the new key in ${path} to that key, and refuses the old key for it`, async () => {
      expect(await storedKey()).toBe(oldKey);
      const token = { activation_token: sharedKeySite.token };
      expect(await statusOf(path, newKey, sharedKeySite.url, token)).toBe(200);
      expect(await storedKey()).toBe(newKey);
      expect(await rotation()).toMatchObject({ sites_left: 0 });
      for (const refused of ['license/check', 'site/verify', 'license/activate']) {
        const { status, body } = await call(refused, oldKey, sharedKeySite.url);
        expect([refused, status, body.code]).toEqual([refused, 401, 'invalid_license_key']);
      }
      expect(await statusOf('license/deactivate', oldKey, sharedKeySite.url)).toBe(401);
    });
  }

  it('does not store the new key for a site that used the old key during the replacement', async () => {
    const keyHash = panel.secrets.fingerprint(oldKey);
    // Simulates a check-in that read the license before the replacement.
    await storeCurrentKey(panel.db, sharedKeySite.id, keyHash);
    expect(await storedKey()).toBe(oldKey);
  });

  it('after a second replacement, refuses the second key from a site whose first key expired', async () => {
    await panel.services.keyRotation.endOldKey(id, OPERATOR);
    const thirdKey = await rotate();
    for (const path of ['license/check', 'site/verify', 'license/activate']) {
      expect([path, await statusOf(path, newKey, sharedKeySite.url)]).toEqual([path, 401]);
    }
    expect(await statusOf('license/check', thirdKey, sharedKeySite.url)).toBe(200);
  });

  it('does not move a site that sends a wrong token', async () => {
    const wrong = { activation_token: `${sharedKeySite.token.slice(0, -2)}xx` };
    for (const path of ['license/check', 'site/verify', 'license/activate']) {
      expect([path, await statusOf(path, newKey, sharedKeySite.url, wrong)]).toEqual([path, 401]);
    }
    expect(await storedKey()).toBe(oldKey);
  });

  it('lets a site with the old key request a site key', async () => {
    const { status, body } = await call('license/activate', oldKey, sharedKeySite.url, OWN_KEY);
    expect([status, body.is_proof_pending]).toEqual([200, true]);
    expect(await storedKey()).toBe(oldKey);
  });

  it('frees the seat of a site that deactivates with the old key', async () => {
    expect(await statusOf('license/deactivate', oldKey, sharedKeySite.url)).toBe(200);
    expect(await rotation()).toMatchObject({ sites_left: 0 });
    expect(await statusOf('license/activate', oldKey, sharedKeySite.url)).toBe(401);
    expect(await statusOf('license/activate', newKey, sharedKeySite.url)).toBe(200);
  });

  it('cannot be rotated again until the old key expires or an owner expires it', async () => {
    await expect(rotate()).rejects.toThrow(`steward license end-old-key ${id}`);
    await panel.services.keyRotation.endOldKey(id, OPERATOR);
    expect(await statusOf('license/check', oldKey, sharedKeySite.url)).toBe(401);
    const thirdKey = await rotate(0);
    expect(await statusOf('license/validate', newKey, sharedKeySite.url)).toBe(401);
    expect(await statusOf('license/check', thirdKey, sharedKeySite.url)).toBe(200);
    expect(await rotation()).toBeNull();
  });

  it('writes audit records without the key', async () => {
    await panel.services.keyRotation.endOldKey(id, OPERATOR);
    await panel.services.keyRotation.endOldKey(id, OPERATOR);
    const records = await panel.db
      .selectFrom('audit_log')
      .select(['action', 'context'])
      .where('entity_type', '=', 'license')
      .where('entity_id', '=', String(id))
      .orderBy('id')
      .execute();
    expect(records.map(({ action }) => action)).toEqual(['create', 'rotate_key', 'end_old_key']);
    expect(records[1]?.context).toMatchObject({ sites_with_old_key: 1 });
    expect(JSON.stringify(records)).not.toContain(newKey);
  });

  it('cannot be rotated after it is revoked', async () => {
    await panel.revoke(id);
    await expect(rotate()).rejects.toMatchObject({ code: 'license_revoked' });
  });
});
