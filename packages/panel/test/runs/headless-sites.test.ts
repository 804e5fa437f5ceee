import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createSiteServer } from '@steward/agent/node-server.ts';
import type { SiteHandler } from '@steward/agent/site-handler.ts';
import { SERVICE_KEY_HEADER } from '@steward/contract';
import { newPerson } from '@steward/testkit/panel/people.ts';
import { type SceneSite, useRunScene } from '@steward/testkit/panel/use-run-scene.ts';
import { describe, expect, it, onTestFinished } from 'vitest';

const scene = useRunScene();

/** Another host, which answers as the handler does, and notes what is sent there. */
async function otherHost(handle: SiteHandler) {
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

/** The site reports that its endpoints are there. */
async function report(site: SceneSite, endpoint_url: string) {
  const { service_license_key, activation_token } = await site.options.read();
  const { status } = await scene.panel.post('/api/v1/site/verify', {
    license_key: service_license_key,
    activation_token,
    site_url: site.siteUrl,
    endpoint_url,
    capabilities: ['site_key', 'signed_calls'],
    probe: true,
  });
  expect(status).toBe(200);
}

const addressesOf = ({ id }: SceneSite) =>
  scene.panel.db
    .selectFrom('sites')
    .select(['endpoint_url', 'wanted_endpoint_url', 'endpoint_origin'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow();

const approve = ({ id }: SceneSite, endpoint_url: string, who = scene.owner) =>
  who.post(`/panel/sites/${id}/approve-endpoint`, { endpoint_url });

async function updateOf(site: SceneSite) {
  const { results } = await scene.finished(await scene.startUpdate([site.id]));
  return results[0];
}

describe('a site whose endpoints are at another host', () => {
  it('is called there when an owner has approved it, and by its own address when it reports that', async () => {
    const site = await scene.newSite();
    const other = await otherHost(site.agent.handle);
    await report(site, other.endpointUrl);
    expect(other.received).toEqual([]);
    expect(await addressesOf(site)).toMatchObject({ wanted_endpoint_url: other.endpointUrl });
    await approve(site, other.endpointUrl);
    expect(await updateOf(site)).toMatchObject({ status: 'succeeded' });
    expect(other.received.map(({ path }) => path)).toEqual(['proof', 'update']);
    expect(site.calls).toEqual([]);
    expect(await scene.audit(site.id, 'site')).toMatchObject([
      { action: 'approve_endpoint', context: { endpoint_url: other.endpointUrl } },
    ]);
    // Another report of it changes nothing, and one of its own address leads back, with a new proof.
    await report(site, other.endpointUrl);
    expect(await addressesOf(site)).toMatchObject({ endpoint_url: other.endpointUrl });
    const received = other.received.length;
    await report(site, `${site.siteUrl}/cms-json/service/v1/`);
    expect((await addressesOf(site)).endpoint_url).toContain(site.siteUrl);
    expect(await updateOf(site)).toMatchObject({ status: 'succeeded' });
    expect(other.received.length).toBe(received);
  });

  it('loses its proof when it is called elsewhere from now on', async () => {
    const site = await scene.newSite();
    const other = await otherHost(site.agent.handle);
    await report(site, other.endpointUrl);
    await approve(site, other.endpointUrl);
    await updateOf(site);
    scene.fleet.forget(site.name);
    await report(site, 'https://third.example.com/');
    expect(await addressesOf(site)).toMatchObject({ endpoint_url: null });
    expect(await updateOf(site)).toMatchObject({ status: 'failed' });
    expect(site.calls).toEqual([]);
  });

  it('is not approved with the shared license key', async () => {
    const { license_key } = await scene.panel.license();
    const site_url = 'https://plain.example.com';
    const versions = { cms_version: '6', php_version: '8', plugin_version: '1' };
    const endpoint_url = 'https://elsewhere.example.com/';
    const { body } = await scene.panel.post('/api/v1/license/activate', {
      license_key,
      site_url,
      endpoint_url,
      ...versions,
    });
    const { site_id } = body.activation;
    const answer = await scene.owner.post(`/panel/sites/${site_id}/approve-endpoint`, {
      endpoint_url,
    });
    expect([answer.status, answer.body.error]).toEqual([400, expect.stringContaining('shared')]);
  });

  it('is not called there before an owner approves it, nor at an address it does not ask for', async () => {
    const site = await scene.newSite();
    const other = await otherHost(site.agent.handle);
    scene.fleet.forget(site.name);
    await report(site, other.endpointUrl);
    expect(await addressesOf(site)).toMatchObject({
      wanted_endpoint_url: other.endpointUrl,
      endpoint_origin: null,
    });
    expect(other.received).toEqual([]);

    const manager = await newPerson(scene.panel, 'manager');
    expect((await approve(site, other.endpointUrl, manager)).status).toBe(403);
    expect((await approve(site, 'https://elsewhere.example.com/')).status).toBe(404);
    expect((await approve(site, other.endpointUrl)).status).toBe(200);
    expect(await updateOf(site)).toMatchObject({ status: 'succeeded' });
    expect(other.received.map(({ path }) => path)).toEqual(['proof', 'update']);
  });

  it('never has its key sent to a host that does not have it, even if an owner approves that', async () => {
    const [site, thief] = [await scene.newSite(), await scene.newSite()];
    const other = await otherHost(thief.agent.handle);
    await report(site, other.endpointUrl);
    expect(await addressesOf(site)).toMatchObject({ wanted_endpoint_url: other.endpointUrl });
    expect((await approve(site, other.endpointUrl)).status).toBe(200);
    const result = await updateOf(site);
    expect(result).toMatchObject({ status: 'failed', code: 'site_rejected_signature' });
    expect(other.received.length).toBeGreaterThan(0);
    expect(other.received.filter(({ key }) => key !== null)).toEqual([]);
    expect(site.state.plugins['shop/shop.php']?.version).toBe('1.0');
  });
});
