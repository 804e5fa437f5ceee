import { EMPTY_OPTIONS } from '@steward/agent/site-options.ts';
import { NONCE_HEADER, SERVICE_KEY_HEADER, TIMESTAMP_HEADER } from '@steward/contract';
import { registerSecret } from '@steward/testkit/logs.ts';
import { RARE_POLLS } from '@steward/testkit/panel/test-panel.ts';
import { type FixtureSite, useRunFixture } from '@steward/testkit/panel/use-run-fixture.ts';
import { describe, expect, it } from 'vitest';
import { buildSignatureHeaders } from '../../src/site-client/sign-call.ts';

const fixture = useRunFixture({}, { timing: RARE_POLLS });

type CapturedCall = { headers: Record<string, string>; body: string };

/** Returns a signed call of the panel, as an attacker on the network sees it. */
async function captureCall(
  site: FixtureSite,
  path = 'remote/sync',
  body = '{}',
): Promise<CapturedCall> {
  const { service_license_key } = await site.options.read();
  const { signingKeys } = fixture.panel.services;
  const signature = await buildSignatureHeaders({ siteUrl: site.siteUrl, path, body }, signingKeys);
  return { headers: { [SERVICE_KEY_HEADER]: service_license_key ?? '', ...signature }, body };
}

async function send(site: FixtureSite, call: CapturedCall, path = 'remote/sync') {
  const url = `${site.siteUrl}/cms-json/service/v1/${path}`;
  const response = await fetch(url, { method: 'POST', ...call });
  return [response.status, ((await response.json()) as { code?: string }).code];
}

describe('a call to a site', () => {
  it('works once; a replay at the same or another site is refused', async () => {
    const [site, other] = [await fixture.newSite(), await fixture.newSite()];
    const call = await captureCall(site);
    expect(await send(site, call)).toEqual([200, undefined]);
    expect(await send(site, call)).toEqual([401, 'invalid_signature']);
    expect(await send(other, call)).toEqual([401, 'invalid_service_key']);
    const { service_license_key } = await other.options.read();
    const withKey = { ...call.headers, [SERVICE_KEY_HEADER]: service_license_key ?? '' };
    expect(await send(other, { ...call, headers: withKey })).toEqual([401, 'invalid_signature']);
  });

  it('is refused without a signature, and with another route, body, nonce or time', async () => {
    const site = await fixture.newSite();
    const { service_license_key: key } = await site.options.read();
    const keyAlone = { [SERVICE_KEY_HEADER]: key ?? '' };
    const refused = [401, 'invalid_signature'];
    expect(await send(site, { headers: keyAlone, body: '{}' })).toEqual(refused);
    expect(await send(site, await captureCall(site), 'remote/update')).toEqual(refused);
    const call = await captureCall(site);
    expect(await send(site, { ...call, body: '{ }' })).toEqual(refused);
    const seconds = Number(call.headers[TIMESTAMP_HEADER]);
    for (const changed of [
      { [NONCE_HEADER]: 'f'.repeat(32) },
      { [TIMESTAMP_HEADER]: String(seconds + 1) },
    ]) {
      const headers = { ...call.headers, ...changed };
      expect(await send(site, { ...call, headers })).toEqual(refused);
    }
    expect(site.state.plugins['shop/shop.php']?.version).toBe('1.0');
  });

  it('is refused for a wrong key before any other check', async () => {
    const site = await fixture.newSite();
    const call = await captureCall(site);
    const headers = { ...call.headers, [SERVICE_KEY_HEADER]: fixture.licenseKey };
    expect(await send(site, { headers, body: '' })).toEqual([401, 'invalid_service_key']);
  });
});

describe('the signing key of the panel', () => {
  it('is rotated without downtime: sites get the new key at their next check-in', async () => {
    const site = await fixture.newSite();
    const { signing_key: before } = await site.options.read();
    const origin = { actor: 'system', via: 'command_line' } as const;
    const { signingKeys } = fixture.panel.services;
    await signingKeys.rotate(origin);
    expect(await send(site, await captureCall(site))).toEqual([200, undefined]);
    await site.agent.panelClient.check();
    const { signing_key: after } = await site.options.read();
    expect(after).not.toBe(before);
    expect(await signingKeys.retire(origin)).toEqual({ retired: 1 });
    expect(await send(site, await captureCall(site))).toEqual([200, undefined]);
  });

  it('is not replaced by a response that the known key has not signed', async () => {
    const site = await fixture.newSite();
    const signing_key = Buffer.alloc(32, 7).toString('base64');
    await site.options.write({ signing_key });
    await site.agent.panelClient.check();
    expect((await site.options.read()).signing_key).toBe(signing_key);
  });
});

describe('a fresh install at the same address', () => {
  it('connects again with the license key; the old site key stops working', async () => {
    const site = await fixture.newSite();
    const { service_license_key: oldKey, activation_token: oldToken } = await site.options.read();
    await site.options.write(EMPTY_OPTIONS);
    await site.agent.panelClient.activate(fixture.panelUrl, fixture.licenseKey);
    const { service_license_key: newKey, activation_token: newToken } = await site.options.read();
    for (const secret of [newKey, newToken]) registerSecret(secret ?? '');
    expect(newKey).not.toBe(oldKey);
    await expect.poll(() => site.agent.reportInventory().then(() => 'works', String)).toBe('works');
    const check = (license_key: string | null, activation_token: string | null) =>
      fixture.panel.post('/api/v1/license/check', {
        license_key,
        activation_token,
        site_url: site.siteUrl,
        cms_version: '6.6',
        php_version: '8.3',
        plugin_version: '1.0',
      });
    expect((await check(oldKey, oldToken)).status).toBe(401);
    expect((await fixture.waitForRun(await fixture.startUpdate([site.id]))).results).toMatchObject([
      { status: 'succeeded' },
    ]);
    expect((await fixture.readAudit(site.id, 'activation')).map(({ action }) => action)).toEqual([
      'activate',
      'prove_address',
      'enrol_again',
      'replace_site_key',
    ]);
  });
});

describe('an attacker with the license key who tries to connect a site again', () => {
  it('does not block the proof of address of the site', async () => {
    const site = await fixture.newSite();
    await fixture.panel.db
      .updateTable('license_activations')
      .set({ proven_at: null })
      .where('site_id', '=', site.id)
      .execute();
    const { body } = await fixture.panel.post('/api/v1/license/activate', {
      license_key: fixture.licenseKey,
      site_url: site.siteUrl,
      endpoint_url: `${site.siteUrl}/nowhere/`,
      cms_version: '6.6',
      php_version: '8.3',
      plugin_version: '1.0',
      capabilities: ['site_key', 'signed_calls'],
    });
    expect(body.is_proof_pending).toBe(true);
    expect((await fixture.waitForRun(await fixture.startUpdate([site.id]))).results).toMatchObject([
      { status: 'succeeded' },
    ]);
  });
});

describe('an address of another site', () => {
  it('does not get the key: the address is not proven', async () => {
    const [site, other] = [await fixture.newSite(), await fixture.newSite()];
    await fixture.panel.db
      .updateTable('license_activations')
      .set({ proven_at: null })
      .where('site_id', '=', site.id)
      .execute();
    await fixture.setSiteUrl(site.id, other.siteUrl);
    const { results } = await fixture.waitForRun(await fixture.startUpdate([site.id]));
    expect(results).toMatchObject([{ status: 'failed', code: 'address_not_proven' }]);
    expect(other.calls).toEqual([]);
  });
});

describe('a license that is no longer valid', () => {
  for (const change of ['suspend', 'revoke'] as const) {
    it(`disables remote management on its sites after ${change}`, async () => {
      const { id, license_key } = await fixture.panel.license({ siteLimit: 2 });
      const site = await fixture.newSite(undefined, license_key);
      await fixture.panel[change](id);
      await expect
        .poll(async () => send(site, await captureCall(site)))
        .toEqual([403, 'remote_disabled']);
    });
  }

  it('is announced to its sites at once', async () => {
    const { id, license_key } = await fixture.panel.license({ siteLimit: 2 });
    const site = await fixture.newSite(undefined, license_key);
    // The panel calls a site only at a proven endpoint, and proves it after the activation.
    const activations = fixture.panel.db
      .selectFrom('license_activations')
      .select('proven_at')
      .where('site_id', '=', site.id);
    const isProven = async () => (await activations.executeTakeFirst())?.proven_at != null;
    await expect.poll(isProven).toBe(true);
    await fixture.panel.suspend(id);
    // The site makes no call of its own here.
    const readRefusal = async () => (await site.options.read()).license_refusal;
    await expect.poll(readRefusal).toBe('license_suspended');
  });

  it('enables remote management again after it is resumed', async () => {
    const { id, license_key } = await fixture.panel.license({ siteLimit: 2 });
    const site = await fixture.newSite(undefined, license_key);
    await fixture.panel.suspend(id);
    await expect.poll(async () => (await send(site, await captureCall(site)))[0]).toBe(403);
    await fixture.panel.services.licenses.resume(id, { actor: 'system', via: 'command_line' });
    await expect.poll(async () => (await send(site, await captureCall(site)))[0]).toBe(200);
  });

  it('keeps remote management enabled for 14 days after it has expired', async () => {
    const site = await fixture.newSite();
    const expired = { license_valid: false, license_refusal: 'license_expired' };
    for (const [days, wanted] of [
      [13, 200],
      [15, 403],
    ] as const) {
      const license_expires_at = new Date(Date.now() - days * 86_400_000).toISOString();
      await site.options.write({ ...expired, license_expires_at });
      expect([days, (await send(site, await captureCall(site)))[0]]).toEqual([days, wanted]);
      await site.options.write({ license_refusal: 'license_expired', license_expires_at });
    }
  });
});
