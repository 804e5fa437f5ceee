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
  it('is called there when it has shown its key at both', async () => {
    const site = await scene.newSite();
    const other = await otherHost(site.agent.handle);
    await report(site, other.endpointUrl);
    expect(await addressesOf(site)).toEqual({
      endpoint_url: other.endpointUrl,
      wanted_endpoint_url: null,
      endpoint_origin: new URL(other.endpointUrl).origin,
    });
    expect(await updateOf(site)).toMatchObject({ status: 'succeeded' });
    expect(other.received.at(-1)?.path).toBe('update');
    expect(site.calls).toEqual([]);
    expect(await scene.audit(site.id, 'site')).toMatchObject([
      { action: 'approve_endpoint', context: { endpoint_url: other.endpointUrl } },
    ]);
    // Another report of it changes nothing, and one of its own address leads back.
    await report(site, other.endpointUrl);
    expect((await addressesOf(site)).endpoint_url).toBe(other.endpointUrl);
    await report(site, `${site.siteUrl}/cms-json/service/v1/`);
    expect((await addressesOf(site)).endpoint_url).toContain(site.siteUrl);
  });

  it('is not called there when only that host has the key, until an owner approves it', async () => {
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
