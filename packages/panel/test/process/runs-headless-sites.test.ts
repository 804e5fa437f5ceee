import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createSiteServer } from '@steward/agent/node-server.ts';
import type { SiteHandler } from '@steward/agent/site-handler.ts';
import { SERVICE_KEY_HEADER } from '@steward/contract';
import { newSignedInUser } from '@steward/testkit/panel/signed-in-user.ts';
import { type FixtureSite, useRunFixture } from '@steward/testkit/panel/use-run-fixture.ts';
import { describe, expect, it, onTestFinished } from 'vitest';

const fixture = useRunFixture();

/** Starts another host that serves the handler and records the requests. */
async function startOtherHost(handle: SiteHandler) {
  const received: { path: string; key: string | null }[] = [];
  const server = createSiteServer(() => async (request) => {
    const path = new URL(request.url).pathname.split('/').at(-1) ?? '';
    received.push({ path, key: request.headers.get(SERVICE_KEY_HEADER) });
    return handle(request);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { endpointUrl: `http://127.0.0.1:${port}/cms-json/service/v1/`, received };
}

/** Reports a new endpoint URL for the site. */
async function reportEndpoint(site: FixtureSite, endpoint_url: string) {
  const { service_license_key, activation_token } = await site.options.read();
  const { status } = await fixture.panel.post('/api/v1/site/verify', {
    license_key: service_license_key,
    activation_token,
    site_url: site.siteUrl,
    endpoint_url,
    capabilities: ['site_key', 'signed_calls'],
    probe: true,
  });
  expect(status).toBe(200);
}

const addressesOf = ({ id }: FixtureSite) =>
  fixture.panel.db
    .selectFrom('sites')
    .select(['endpoint_url', 'requested_endpoint_url', 'approved_endpoint_url'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow();

const approve = ({ id }: FixtureSite, endpoint_url: string, who = fixture.owner) =>
  who.post(`/panel/sites/${id}/approve-endpoint`, { endpoint_url });

async function runUpdate(site: FixtureSite) {
  const { results } = await fixture.waitForRun(await fixture.startUpdate([site.id]));
  return results[0];
}

describe('a site with its endpoints on another host', () => {
  it('is called there after an owner approves the host, and at its own address after it reports that address', async () => {
    const site = await fixture.newSite();
    const other = await startOtherHost(site.agent.handle);
    await reportEndpoint(site, other.endpointUrl);
    expect(other.received).toEqual([]);
    expect(await addressesOf(site)).toMatchObject({ requested_endpoint_url: other.endpointUrl });
    await approve(site, other.endpointUrl);
    expect(await runUpdate(site)).toMatchObject({ status: 'succeeded' });
    // The proof of address comes first. The observations before and after the update also request proofs.
    const [first, ...later] = other.received.map(({ path }) => path);
    expect([first, later.filter((path) => path !== 'proof')]).toEqual(['proof', ['update']]);
    expect(site.calls).toEqual([]);
    expect(await fixture.readAudit(site.id, 'site')).toMatchObject([
      { action: 'approve_endpoint', context: { endpoint_url: other.endpointUrl } },
    ]);
    // The same report changes nothing. A report of its own address reverts the endpoint, with a new proof.
    await reportEndpoint(site, other.endpointUrl);
    expect(await addressesOf(site)).toMatchObject({ endpoint_url: other.endpointUrl });
    const received = other.received.length;
    await reportEndpoint(site, `${site.siteUrl}/cms-json/service/v1/`);
    expect((await addressesOf(site)).endpoint_url).toContain(site.siteUrl);
    expect(await runUpdate(site)).toMatchObject({ status: 'succeeded' });
    expect(other.received.length).toBe(received);
  });

  it('is called at its proven endpoint until an owner approves another one', async () => {
    const site = await fixture.newSite();
    const other = await startOtherHost(site.agent.handle);
    await reportEndpoint(site, other.endpointUrl);
    await approve(site, other.endpointUrl);
    await runUpdate(site);
    fixture.fleet.remove(site.name);
    const third = await startOtherHost(site.agent.handle);
    await reportEndpoint(site, third.endpointUrl);
    expect(await addressesOf(site)).toMatchObject({
      endpoint_url: other.endpointUrl,
      requested_endpoint_url: third.endpointUrl,
    });
    const received = other.received.length;
    expect(await runUpdate(site)).toMatchObject({ status: 'succeeded' });
    expect(other.received.length).toBeGreaterThan(received);
    expect([site.calls, third.received]).toEqual([[], []]);
  });

  it('cannot be approved while the site uses the shared license key', async () => {
    const { license_key } = await fixture.panel.license();
    const site_url = 'https://plain.example.com';
    const versions = { cms_version: '6', php_version: '8', plugin_version: '1' };
    const endpoint_url = 'https://elsewhere.example.com/';
    const { body } = await fixture.panel.post('/api/v1/license/activate', {
      license_key,
      site_url,
      endpoint_url,
      ...versions,
    });
    const { site_id } = body.activation;
    const response = await fixture.owner.post(`/panel/sites/${site_id}/approve-endpoint`, {
      endpoint_url,
    });
    expect([response.status, response.body.error]).toEqual([
      400,
      expect.stringContaining('shared'),
    ]);
  });

  it('is not called there before approval, nor at an address that it did not report', async () => {
    const site = await fixture.newSite();
    const other = await startOtherHost(site.agent.handle);
    fixture.fleet.remove(site.name);
    await reportEndpoint(site, other.endpointUrl);
    expect(await addressesOf(site)).toMatchObject({
      requested_endpoint_url: other.endpointUrl,
      approved_endpoint_url: null,
    });
    expect(other.received).toEqual([]);

    const manager = await newSignedInUser(fixture.panel, 'manager');
    expect((await approve(site, other.endpointUrl, manager)).status).toBe(403);
    expect((await approve(site, 'https://elsewhere.example.com/')).status).toBe(404);
    expect((await approve(site, other.endpointUrl)).status).toBe(200);
    expect(await runUpdate(site)).toMatchObject({ status: 'succeeded' });
    // The proof of address comes first. The observations before and after the update also request proofs.
    const [first, ...later] = other.received.map(({ path }) => path);
    expect([first, later.filter((path) => path !== 'proof')]).toEqual(['proof', ['update']]);
  });

  it('never has its key sent to an approved host that cannot prove it', async () => {
    const [site, thief] = [await fixture.newSite(), await fixture.newSite()];
    const other = await startOtherHost(thief.agent.handle);
    await reportEndpoint(site, other.endpointUrl);
    expect(await addressesOf(site)).toMatchObject({ requested_endpoint_url: other.endpointUrl });
    expect((await approve(site, other.endpointUrl)).status).toBe(200);
    expect(await runUpdate(site)).toMatchObject({ status: 'succeeded' });
    // The site is called at the endpoint that is already proven.
    expect(site.calls).toEqual(['update']);
    expect(other.received.length).toBeGreaterThan(0);
    expect(other.received.filter(({ key }) => key !== null)).toEqual([]);
  });
});
