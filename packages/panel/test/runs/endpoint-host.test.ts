import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { canonicalSiteUrl, proofText, SERVICE_KEY_HEADER } from '@steward/contract';
import { registerSecret } from '@steward/testkit/logs.ts';
import { RARE_POLLS, VERSIONS } from '@steward/testkit/panel/test-panel.ts';
import { useRunFixture } from '@steward/testkit/panel/use-run-fixture.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

const HOST = 'shop.example.org';
const HERE = [{ address: '127.0.0.1', family: 4 }];
const siteAddresses = new Map([
  [HOST, HERE],
  [`www.${HOST}`, HERE],
]);
const fixture = useRunFixture({ siteAddresses }, { timing: RARE_POLLS });
const STANDARD = 'cms-json/service/v1/';
const CAPABILITIES = ['site_key', 'signed_calls'];

type Received = { host: string; url: string; path: string; key: unknown; login: unknown };
let received: Received[] = [];
let siteKey = '';
let siteUrl = '';
let port = 0;

/** Serves both hosts. The one with `www.` belongs to another party, which passes the challenge on to the site. */
const server = createServer(async (request, response) => {
  const text = (await request.toArray()).join('');
  const host = request.headers.host?.split(':')[0] ?? '';
  const path = request.url?.split('?')[0]?.split('/').at(-1) ?? '';
  const key = request.headers[SERVICE_KEY_HEADER.toLowerCase()];
  if (request.method === 'GET') return response.end('<html></html>');
  const { url = '', headers } = request;
  received.push({ host, url, path, key, login: headers.authorization });
  response.setHeader('content-type', 'application/json');
  if (path !== 'proof') {
    const results = { plugins: [], themes: [], core: null };
    return response.end(JSON.stringify({ success: true, results, errors: [] }));
  }
  const site = canonicalSiteUrl(siteUrl);
  const toProve = proofText(JSON.parse(text).challenge, site.ok ? site.canonical : '');
  const proof = createHmac('sha256', siteKey).update(toProve).digest('hex');
  return response.end(JSON.stringify({ success: true, proof }));
});
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});
afterAll(() => void server.close());

const urlOf = (host: string) => `http://${host}:${port}`;
const at = (host: string) => received.filter((request) => request.host === host);
const read = async (id: number) => (await fixture.owner.get(`/panel/sites/${id}`)).body.site;

async function activate(site_url: string, license_key: string, more: object = {}) {
  const request = { license_key, site_url, ...VERSIONS, capabilities: CAPABILITIES, ...more };
  const { status, body } = await fixture.panel.post('/api/v1/license/activate', request);
  expect(status).toBe(200);
  [siteKey, siteUrl] = [body.site_key, site_url];
  for (const secret of [siteKey ?? license_key, body.activation_token]) registerSecret(secret);
  return body;
}

async function runUpdate(id: number) {
  const { results } = await fixture.waitForRun(await fixture.startUpdate([id]));
  return results[0];
}

describe('the host of a site with a site key', () => {
  let id: number;
  beforeEach(async () => {
    const { license_key } = await fixture.panel.license();
    id = (await activate(urlOf(HOST), license_key)).activation.site_id;
    await expect.poll(async () => (await read(id)).address.proven).toBe(true);
    received = [];
  });

  it('does not change with the key alone, although the other host passes the proof on', async () => {
    const login = { username: 'staging', password: 'secret of the web server' };
    expect((await fixture.owner.call('PUT', `/panel/sites/${id}/web-login`, login)).status).toBe(
      200,
    );
    for (const spelling of [urlOf(HOST), `${urlOf(HOST)}/`, urlOf(`www.${HOST}`)]) {
      expect((await activate(spelling, siteKey)).activation.site_url).toContain(urlOf(HOST));
    }
    expect(await runUpdate(id)).toMatchObject({ status: 'succeeded' });
    expect(at(`www.${HOST}`)).toEqual([]);
    expect(await read(id)).toMatchObject({ endpoint_url: `${urlOf(HOST)}/${STANDARD}` });
  });

  it.each([undefined, `wp-json/service/v1/`])(
    'changes for calls after an owner approved the endpoint: %s',
    async (path) => {
      const endpoint_url = `${urlOf(`www.${HOST}`)}/${path ?? STANDARD}`;
      await activate(urlOf(`www.${HOST}`), siteKey, path ? { endpoint_url } : {});
      expect(await read(id)).toMatchObject({ requested_endpoint_url: endpoint_url });
      const approval = `/panel/sites/${id}/approve-endpoint`;
      expect((await fixture.owner.post(approval, { endpoint_url })).status).toBe(200);
      received = [];
      expect(await runUpdate(id)).toMatchObject({ status: 'succeeded' });
      expect(received.filter((request) => request.path === 'update')).toMatchObject([
        { host: `www.${HOST}`, key: siteKey },
      ]);
      // A report that repeats the endpoint needs no further approval.
      await activate(urlOf(`www.${HOST}`), siteKey, { endpoint_url });
      expect(await read(id)).toMatchObject({ endpoint_url, requested_endpoint_url: null });
    },
  );
});

describe('the folder of a site with a site key', () => {
  it('does not change to a spelling that the server may route to another site', async () => {
    const { license_key } = await fixture.panel.license();
    const { activation } = await activate(`${urlOf(HOST)}/blog`, license_key);
    received = [];
    await activate(`${urlOf(HOST)}//blog`, siteKey);
    expect(await runUpdate(activation.site_id)).toMatchObject({ status: 'succeeded' });
    expect(received.filter(({ url }) => !url.startsWith('/blog/'))).toEqual([]);
  });
});

describe('the login for the web server', () => {
  const LOGIN = { username: 'staging', password: 'secret of the web server' };

  it.each(['refreshes', 'deactivates and activates'])(
    'is not sent to another host after a holder of the license key %s a site without a site key',
    async (action) => {
      const { license_key } = await fixture.panel.license();
      const plain = { capabilities: undefined };
      const { activation } = await activate(urlOf(HOST), license_key, plain);
      const id = activation.site_id;
      const saved = await fixture.owner.call('PUT', `/panel/sites/${id}/web-login`, LOGIN);
      expect(saved.status).toBe(200);
      received = [];
      await activate(`${urlOf(HOST)}/`, license_key, plain);
      await runUpdate(id);
      expect(at(HOST)).toMatchObject([{ path: 'update', login: expect.stringMatching(/^Basic /) }]);
      if (action !== 'refreshes') {
        const request = { license_key, site_url: urlOf(HOST) };
        await fixture.panel.post('/api/v1/license/deactivate', request);
      }
      await activate(urlOf(`www.${HOST}`), license_key, plain);
      await runUpdate(id);
      expect(at(`www.${HOST}`)).toMatchObject([{ path: 'update', login: undefined }]);
    },
  );
});
