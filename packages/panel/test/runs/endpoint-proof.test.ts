import { createHmac } from 'node:crypto';
import type { SiteHandler } from '@steward/agent/site-handler.ts';
import { canonicalSiteUrl, proofText, SERVICE_KEY_HEADER } from '@steward/contract';
import { registerSecret } from '@steward/testkit/logs.ts';
import { RARE_POLLS, VERSIONS } from '@steward/testkit/panel/test-panel.ts';
import { type FixtureSite, useRunFixture } from '@steward/testkit/panel/use-run-fixture.ts';
import { describe, expect, it } from 'vitest';

const fixture = useRunFixture({}, { timing: RARE_POLLS });
const OWN_KEY = { capabilities: ['site_key', 'signed_calls'] };
const STANDARD = 'cms-json/service/v1/';

type Received = { path: string; key: string | null };
let folders = 0;

/** Serves another folder of the host of all sites, and records the requests. */
function serveFolder(handle: SiteHandler, folder = `folder-${++folders}`) {
  const received: Received[] = [];
  fixture.fleet.serve(folder, async (request) => {
    if (request.method === 'GET') return new Response('<html></html>');
    const path = new URL(request.url).pathname.split('/').at(-1) ?? '';
    received.push({ path, key: request.headers.get(SERVICE_KEY_HEADER) });
    return handle(request);
  });
  return { url: `${fixture.fleet.origin}/${folder}`, received };
}

/** Passes each request on to the site, as an attacker does who has no key. The proof of the site is therefore valid. */
const relayTo =
  (site: FixtureSite): SiteHandler =>
  async (request) => {
    const route = new URL(request.url).pathname.split('/service/v1/')[1];
    return site.agent.handle(new Request(`${site.siteUrl}/${STANDARD}${route}`, request));
  };

/** Answers only below this path, as a site after a change of its permalinks. */
const onlyBelow =
  (path: string, handle: SiteHandler): SiteHandler =>
  async (request) =>
    request.url.includes(path) ? handle(request) : new Response(null, { status: 404 });

async function report(site: FixtureSite, endpoint_url: string, { probe = true } = {}) {
  const { service_license_key, activation_token } = await site.options.read();
  const { status, body } = await fixture.panel.post('/api/v1/site/verify', {
    license_key: service_license_key,
    activation_token,
    site_url: site.siteUrl,
    endpoint_url,
    ...OWN_KEY,
    probe,
  });
  expect(status).toBe(200);
  return body.endpoint;
}

async function runUpdate({ id }: { id: number }) {
  const { results } = await fixture.waitForRun(await fixture.startUpdate([id]));
  return results[0];
}

const read = async ({ id }: { id: number }) =>
  (await fixture.owner.get(`/panel/sites/${id}`)).body.site;

const approve = ({ id }: { id: number }, endpoint_url: string) =>
  fixture.owner.post(`/panel/sites/${id}/approve-endpoint`, { endpoint_url });

const actions = ({ received }: { received: Received[] }) =>
  received.map(({ path }) => path).filter((path) => path !== 'proof');

describe('a stolen site key', () => {
  it.each([
    ['another folder of the host', (other: string) => `${other}/wp-json/service/v1/`],
    [
      'another folder, spelled as one below the site',
      (other: string, site: string) =>
        `${site}/../${new URL(other).pathname.slice(1)}/wp-json/service/v1/`,
    ],
    ['a standard path with a suffix', (other: string) => `${other}/?rest_route=/service/v1/`],
  ])('cannot direct calls to %s, although a relay gives the proof', async (_what, spell) => {
    const site = await fixture.newSite();
    const other = serveFolder(relayTo(site));
    await report(site, spell(other.url, site.siteUrl));
    expect(await runUpdate(site)).toMatchObject({ status: 'succeeded' });
    expect(other.received).toEqual([]);
    expect(site.calls).toEqual(['update']);
    expect(await read(site)).toMatchObject({
      endpoint_url: `${site.siteUrl}/${STANDARD}`,
      requested_endpoint_url: expect.stringContaining(other.url),
      address: { proven: true },
    });
  });
});

describe('the first activation', () => {
  it('with an endpoint in another folder of the host proves nothing, and sends no key there', async () => {
    let siteKey = '';
    const site_url = `${fixture.fleet.origin}/first`;
    const other = serveFolder(async (request) => {
      const { challenge } = (await request.json()) as { challenge: string };
      const site = canonicalSiteUrl(site_url);
      const text = proofText(challenge, site.ok ? site.canonical : '');
      const proof = createHmac('sha256', siteKey).update(text).digest('hex');
      return Response.json({ success: true, proof });
    });
    const standard = serveFolder(async () => new Response(null, { status: 404 }), 'first');
    const endpoint_url = `${other.url}/${STANDARD}`;
    const { body } = await fixture.panel.post('/api/v1/license/activate', {
      license_key: fixture.licenseKey,
      site_url,
      endpoint_url,
      ...VERSIONS,
      ...OWN_KEY,
    });
    siteKey = body.site_key;
    for (const secret of [siteKey, body.activation_token]) registerSecret(secret);
    const site = { id: body.activation.site_id };
    expect(await runUpdate(site)).toMatchObject({ status: 'failed' });
    expect(other.received).toEqual([]);
    expect(standard.received.filter(({ key }) => key !== null)).toEqual([]);
    expect(await read(site)).toMatchObject({
      endpoint_url: `${site_url}/${STANDARD}`,
      requested_endpoint_url: endpoint_url,
      address: { proven: false },
    });
  });
});

describe('a site that reports another standard endpoint', () => {
  it('is called there after this endpoint gave its own proof', async () => {
    const site = await fixture.newSite();
    const moved = serveFolder(onlyBelow('/wp-json/service/v1/', relayTo(site)), site.name);
    expect(await report(site, `${site.siteUrl}/wp-json/service/v1/`)).toEqual({ reachable: true });
    expect(await runUpdate(site)).toMatchObject({ status: 'succeeded' });
    expect(actions(moved)).toEqual(['update']);
    expect(await read(site)).toMatchObject({
      endpoint_url: `${site.siteUrl}/wp-json/service/v1/`,
      unproven_endpoint_url: null,
    });
    // The site could otherwise fill the audit log by reporting its standard endpoints in turn.
    expect((await fixture.readAudit(site.id, 'activation')).map(({ action }) => action)).toEqual([
      'activate',
      'prove_address',
    ]);
  });

  it('is called there although the report came while the site did not respond', async () => {
    const site = await fixture.newSite();
    serveFolder(async () => new Response(null, { status: 404 }), site.name);
    const endpoint = await report(site, `${site.siteUrl}/wp-json/service/v1/`);
    expect(endpoint).toMatchObject({ reachable: false });
    const moved = serveFolder(onlyBelow('/wp-json/service/v1/', relayTo(site)), site.name);
    expect(await runUpdate(site)).toMatchObject({ status: 'succeeded' });
    expect(actions(moved)).toEqual(['update']);
  });

  it('is called at the proven endpoint while the new one gives no proof', async () => {
    const site = await fixture.newSite();
    const own = serveFolder(onlyBelow(`/${STANDARD}`, relayTo(site)), site.name);
    await report(site, `${site.siteUrl}/index.php/wp-json/service/v1/`);
    expect(await runUpdate(site)).toMatchObject({ status: 'succeeded' });
    expect(actions(own)).toEqual(['update']);
    expect(await read(site)).toMatchObject({
      endpoint_url: `${site.siteUrl}/${STANDARD}`,
      unproven_endpoint_url: `${site.siteUrl}/index.php/wp-json/service/v1/`,
      address: { proven: true, error: expect.any(String) },
    });
  });
});

describe('a proof', () => {
  it('does not count if the site reported another endpoint before the response', async () => {
    const site = await fixture.newSite();
    const [standard, other] = [STANDARD, 'wp-json/service/v1/'].map(
      (path) => `${site.siteUrl}/${path}`,
    ) as [string, string];
    let isFirst = true;
    serveFolder(async (request) => {
      if (request.url.startsWith(other) && isFirst) {
        isFirst = false;
        // Without a probe: it would wait for this one.
        await report(site, standard, { probe: false });
      }
      return relayTo(site)(request);
    }, site.name);
    expect(await report(site, other)).toEqual({ reachable: true });
    expect(isFirst).toBe(false);
    expect(await read(site)).toMatchObject({ endpoint_url: standard, unproven_endpoint_url: null });
  });
});

describe('a change of the license', () => {
  it('is not announced at an endpoint without proof', async () => {
    const { id, license_key } = await fixture.panel.license({ siteLimit: 2 });
    const [unproven, proven] = [
      await fixture.newSite(undefined, license_key),
      await fixture.newSite(undefined, license_key),
    ];
    await fixture.panel.db
      .updateTable('license_activations')
      .set({ proven_at: null })
      .where('site_id', '=', unproven.id)
      .execute();
    const folders = [unproven, proven].map((site) => serveFolder(relayTo(site), site.name));
    await fixture.panel.suspend(id);
    await expect.poll(() => folders[1] && actions(folders[1])).toEqual(['check']);
    expect(folders[0]?.received).toEqual([]);
  });
});

describe('an endpoint in another folder that an owner approved', () => {
  it('is called after its own proof; another path in this folder is not approved', async () => {
    const site = await fixture.newSite();
    const other = serveFolder(relayTo(site));
    const endpoint_url = `${other.url}/api/service/v1/`;
    await report(site, endpoint_url);
    expect((await approve(site, endpoint_url)).status).toBe(200);
    expect(await runUpdate(site)).toMatchObject({ status: 'succeeded' });
    const [first, ...later] = other.received.map(({ path }) => path);
    expect([first, later.filter((path) => path !== 'proof')]).toEqual(['proof', ['update']]);
    expect(await read(site)).toMatchObject({ endpoint_url, requested_endpoint_url: null });
    const next = `${other.url}/next/service/v1/`;
    await report(site, next);
    expect(await read(site)).toMatchObject({ endpoint_url, requested_endpoint_url: next });
  });

  it('does not get the key before its proof; the site is called at its proven endpoint', async () => {
    const site = await fixture.newSite();
    const other = serveFolder(async () => Response.json({ success: true, proof: '0'.repeat(64) }));
    const endpoint_url = `${other.url}/api/service/v1/`;
    await report(site, endpoint_url);
    await approve(site, endpoint_url);
    expect(await runUpdate(site)).toMatchObject({ status: 'succeeded' });
    expect(site.calls).toEqual(['update']);
    expect(other.received.length).toBeGreaterThan(0);
    expect(actions(other)).toEqual([]);
    expect(other.received.filter(({ key }) => key !== null)).toEqual([]);
  });
});

describe('a site with the shared license key', () => {
  it('is called at its standard endpoint, and at another one of its host after approval', async () => {
    const { license_key } = await fixture.panel.license();
    const respond = async () =>
      Response.json({
        success: true,
        results: { plugins: [], themes: [], core: null },
        errors: [],
      });
    const own = serveFolder(respond);
    const activate = (endpoint_url?: string) =>
      fixture.panel.post('/api/v1/license/activate', {
        license_key,
        site_url: own.url,
        ...VERSIONS,
        endpoint_url,
      });
    const { body } = await activate();
    registerSecret(body.activation_token);
    const site = { id: body.activation.site_id };
    await runUpdate(site);
    expect(actions(own)).toEqual(['update']);
    expect(own.received.at(-1)?.key).toBe(license_key);

    await activate(`${own.url}/wp-json/service/v1/`);
    expect(await read(site)).toMatchObject({ endpoint_url: `${own.url}/wp-json/service/v1/` });

    const other = serveFolder(respond);
    await activate(`${other.url}/${STANDARD}`);
    await runUpdate(site);
    expect(other.received).toEqual([]);
    expect((await approve(site, `${other.url}/${STANDARD}`)).status).toBe(200);
    await runUpdate(site);
    expect(actions(other)).toEqual(['update']);
  });
});
