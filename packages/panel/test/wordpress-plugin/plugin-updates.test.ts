import { createHash, createPublicKey, verify } from 'node:crypto';
import { pluginSigningText } from '@steward/contract';
import vectors from '@steward/contract/vectors/signed-calls.json' with { type: 'json' };
import { registerSecret } from '@steward/testkit/logs.ts';
import { newSiteUrl, OPERATOR, useTestPanel, VERSIONS } from '@steward/testkit/panel/test-panel.ts';
import { beforeEach, describe, expect, it } from 'vitest';
import { createPluginUpdateService } from '../../src/features/wordpress-plugin/plugin-updates.service.ts';
import {
  createPluginZip,
  readPluginVersion,
} from '../../src/features/wordpress-plugin/plugin-zip.ts';

const PANEL_URL = 'https://panel.example.com';
const MINUTE_MS = 60_000;

const panel = useTestPanel({ baseUrl: PANEL_URL });
const version = readPluginVersion();

type Site = { license_key: string; site_url: string; activation_token: string };

async function connectSite(licenseKey: string): Promise<Site> {
  const site_url = newSiteUrl();
  const { body } = await panel.post('/api/v1/license/activate', {
    ...{ license_key: licenseKey, site_url, ...VERSIONS },
    capabilities: ['site_key', 'signed_calls', 'self_update'],
  });
  return { license_key: body.site_key, site_url, activation_token: body.activation_token };
}

const askOffer = (site: object) => panel.post('/api/v1/plugin/offer', site);
const askLink = (site: object, change = {}) =>
  panel.post('/api/v1/plugin/link', { version, ...site, ...change });

async function newLink(from: Site): Promise<string> {
  const { body } = await askLink(from);
  registerSecret(body.package.link);
  return body.package.link;
}

async function download(link?: string, file = `steward-${version}.zip`) {
  const query = link === undefined ? '' : `?link=${link}`;
  const { statusCode, rawPayload } = await panel.app.inject({
    url: `/api/v1/plugin/package/${file}${query}`,
  });
  const code = statusCode === 200 ? undefined : JSON.parse(rawPayload.toString()).code;
  return { outcome: [statusCode, code], zip: rawPayload };
}

function isSigned(text: string, signature: string, publicKey: string): boolean {
  const x = Buffer.from(publicKey, 'base64').toString('base64url');
  const key = createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x } });
  return verify(null, Buffer.from(text), key, Buffer.from(signature, 'base64'));
}

let licenseId: number;
let licenseKey: string;
let site: Site;
beforeEach(async () => {
  ({ id: licenseId, license_key: licenseKey } = await panel.license());
  site = await connectSite(licenseKey);
});

it('pluginSigningText matches the test vector', () => {
  const { version: signed, sha256, text, signature } = vectors.plugin;
  expect(pluginSigningText(signed, sha256)).toBe(text);
  expect(isSigned(text, signature, vectors.public_key)).toBe(true);
});

describe('POST /api/v1/plugin/offer', () => {
  it('returns the shipped version, signed, with its requirements', async () => {
    const { status, body } = await askOffer(site);
    const zip = await createPluginZip(PANEL_URL);
    const sha256 = createHash('sha256').update(zip).digest('hex');
    expect([status, body.offer]).toMatchObject([
      200,
      {
        ...{ slug: 'steward', version, sha256, size: zip.length },
        ...{ requires: '5.9', requires_php: '7.4', tested: expect.stringMatching(/^\d+\.\d+$/) },
      },
    ]);
    const { public_key } = await panel.services.signingKeys.getAnnouncedKey();
    const text = pluginSigningText(version, sha256);
    expect(isSigned(text, body.offer.signature, public_key)).toBe(true);
  });

  it('refuses wrong keys, tokens and sites in the order of check, and sites without a site key', async () => {
    const other = await connectSite(licenseKey);
    const unknown = 'STWS-0123456-789ABCD-EFGHJKM-NPQRSTJ';
    for (const ask of [askOffer, askLink]) {
      for (const [request, status, code] of [
        [{ ...site, license_key: undefined }, 400, 'missing_license_key'],
        [{ ...site, license_key: unknown }, 401, 'invalid_license_key'],
        [{ ...site, site_url: other.site_url }, 401, 'invalid_license_key'],
        [{ ...site, activation_token: other.activation_token }, 401, 'invalid_activation_token'],
        [{ ...site, license_key: licenseKey }, 403, 'site_key_required'],
      ] as const) {
        const { status: actual, body } = await ask(request);
        expect([actual, body.code]).toEqual([status, code]);
      }
    }
    await panel.suspend(licenseId);
    expect((await askOffer(site)).body.code).toBe('license_suspended');
  });

  it('is 404 on a panel without the plugin', async () => {
    const service = createPluginUpdateService({
      db: panel.db,
      clock: { now: () => panel.fakes.now },
      signingKeys: panel.services.signingKeys,
      siteAuthentication: { authenticate: async () => ({ siteId: 1 }) },
      getPanelUrl: () => PANEL_URL,
      folder: '/no/such/folder',
    });
    await expect(service.offer(site)).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('POST /api/v1/plugin/link', () => {
  it('returns a link that downloads the signed package once', async () => {
    const { status, body } = await askLink(site);
    const { link, sha256, size, expires_at } = body.package;
    registerSecret(link);
    expect([status, body.package.slug, body.package.version]).toEqual([200, 'steward', version]);
    expect(Date.parse(expires_at) - panel.fakes.now.getTime()).toBe(5 * MINUTE_MS);

    const [one, other] = await Promise.all([download(link), download(link)]);
    expect([one.outcome, other.outcome]).toContainEqual([403, 'invalid_link']);
    const { zip } = one.outcome[0] === 200 ? one : other;
    expect([createHash('sha256').update(zip).digest('hex'), zip.length]).toEqual([sha256, size]);
    expect((await download(link)).outcome).toEqual([403, 'invalid_link']);

    const rows = await panel.db.selectFrom('plugin_links').select('token_hash').execute();
    expect(rows.some((row) => row.token_hash.includes(link))).toBe(false);
  });

  it('keeps only the newest links of a site', async () => {
    const other = await connectSite(licenseKey);
    const otherLink = await newLink(other);
    const first = await newLink(site);
    let last = first;
    for (let count = 0; count < 10; count++) {
      panel.fakes.now = new Date(panel.fakes.now.getTime() + 1000);
      last = await newLink(site);
    }
    const { length } = await panel.db
      .selectFrom('plugin_links as l')
      .innerJoin('sites as s', 's.id', 'l.site_id')
      .select('l.site_id')
      .where('s.url', '=', site.site_url)
      .execute();
    expect(length).toBe(10);
    expect((await download(first)).outcome).toEqual([403, 'invalid_link']);
    expect((await download(last)).outcome).toEqual([200, undefined]);
    expect((await download(otherLink)).outcome).toEqual([200, undefined]);
  });

  it('is 404 for a version that the panel does not ship', async () => {
    const { status, body } = await askLink(site, { version: '99.0' });
    expect([status, body.code, body.error]).toEqual([
      404,
      'not_found',
      expect.stringContaining('does not offer version 99.0'),
    ]);
  });
});

describe('GET /api/v1/plugin/package/:file', () => {
  it('refuses a request without a link, with an unknown link, for another file or with HEAD', async () => {
    const link = await newLink(site);
    expect((await download()).outcome).toEqual([403, 'invalid_link']);
    expect((await download('stwl_unknown')).outcome).toEqual([403, 'invalid_link']);
    expect((await download(link, 'steward-0.0.1.zip')).outcome).toEqual([403, 'invalid_link']);
    const url = `/api/v1/plugin/package/steward-${version}.zip?link=${link}`;
    await panel.app.inject({ method: 'HEAD', url });
    expect((await download(link)).outcome).toEqual([200, undefined]);
  });

  it('refuses an expired link, and deletes it when the next link is created', async () => {
    const link = await newLink(site);
    panel.fakes.now = new Date(panel.fakes.now.getTime() + 5 * MINUTE_MS);
    expect((await download(link)).outcome).toEqual([403, 'invalid_link']);
    await newLink(site);
    const now = panel.fakes.now;
    const expired = panel.db
      .selectFrom('plugin_links')
      .where('expires_at', '<=', now)
      .where('used_at', 'is', null);
    expect(await expired.selectAll().execute()).toEqual([]);
  });

  it('refuses the link of a site that was disconnected, not those of other sites', async () => {
    const other = await connectSite(licenseKey);
    const [link, otherLink] = [await newLink(site), await newLink(other)];
    await panel.post('/api/v1/license/deactivate', site);
    expect((await download(link)).outcome).toEqual([403, 'invalid_link']);
    expect((await download(otherLink)).outcome).toEqual([200, undefined]);
  });
});

describe('during a rotation of the signing key', () => {
  it('the offer has a signature of each key, and afterwards only of the new key', async () => {
    const before = await panel.services.signingKeys.getAnnouncedKey();
    const after = await panel.services.signingKeys.rotate(OPERATOR);
    const signedBy = async ({ public_key }: { public_key: string }) => {
      const { offer } = (await askOffer(site)).body;
      const text = pluginSigningText(offer.version, offer.sha256);
      const signatures: string[] = offer.signature.split(',');
      return signatures.filter((signature) => isSigned(text, signature, public_key)).length;
    };
    expect([await signedBy(before), await signedBy(after)]).toEqual([1, 1]);
    await panel.services.signingKeys.retire(OPERATOR);
    expect([await signedBy(before), await signedBy(after)]).toEqual([0, 1]);
  });
});
