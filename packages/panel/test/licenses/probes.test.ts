import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { testLogger } from '@steward/testkit/logs.ts';
import { useTestPanel, VERSIONS } from '@steward/testkit/panel/test-panel.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { buildApp } from '../../src/app.ts';
import { loadConfig } from '../../src/platform/config.ts';

/** Slow sites at one address, one for each folder. They refuse every call, as the plugin does for a wrong key. */
function useSlowSites() {
  const most = { atAddress: 0, atSite: 0 };
  const open: string[] = [];
  const server = createServer((request, response) => {
    const [, folder = ''] = request.url?.split('/') ?? [];
    open.push(folder);
    most.atAddress = Math.max(most.atAddress, open.length);
    most.atSite = Math.max(most.atSite, open.filter((other) => other === folder).length);
    setTimeout(() => {
      // Before the panel receives the response: it may then send the next call.
      open.splice(open.indexOf(folder), 1);
      response.writeHead(401, { 'content-type': 'application/json' });
      response.end('{"success":false,"error":"Wrong key.","code":"invalid_service_key"}');
    }, 50);
  });
  beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
  beforeEach(() => void Object.assign(most, { atAddress: 0, atSite: 0 }));
  afterAll(() => new Promise((resolve) => server.close(resolve)));
  const url = (folder: string) =>
    `http://127.0.0.1:${(server.address() as AddressInfo).port}/${folder}`;
  return { most, url };
}

describe('POST /api/v1/site/verify with `probe`', () => {
  const panel = useTestPanel({ allowPrivateSites: true });
  const sites = useSlowSites();

  async function activate(folder: string, capabilities?: string[]) {
    const { license_key } = await panel.license({ siteLimit: null });
    const request = { license_key, site_url: sites.url(folder), ...VERSIONS, capabilities };
    const { status, body } = await panel.post('/api/v1/license/activate', request);
    expect(status).toBe(200);
    return { ...request, license_key: body.site_key ?? license_key };
  }
  /** Another web process on the database of the panel. */
  async function startOtherProcess(options: { probeWaitMs?: number } = {}) {
    const app = await buildApp(
      { ...loadConfig({ RATE_LIMIT: 'off' }), dataDir: panel.dataDir, allowPrivateSites: true },
      {
        ...{ ...panel, ...options },
        load: { utilization: () => 0, isOverloaded: () => false, stop: () => {} },
        log: testLogger(),
        clock: { now: () => panel.fakes.now },
        draining: AbortSignal.any([]),
      },
    );
    const probe = async (request: object) => {
      const payload = { ...request, probe: true };
      const response = await app.inject({ method: 'POST', url: '/api/v1/site/verify', payload });
      return { status: response.statusCode, body: response.json() };
    };
    return { probe, close: () => app.close() };
  }
  const probe = (request: object) => panel.post('/api/v1/site/verify', { ...request, probe: true });

  it('makes one call at a time to a site, and the requests share its result', async () => {
    const request = await activate('plain');
    const responses = await Promise.all(Array.from({ length: 40 }, () => probe(request)));
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
    for (const { body } of responses) expect(body.endpoint).toEqual({ reachable: true });
    expect(sites.most).toEqual({ atAddress: 1, atSite: 1 });
  });

  it('makes two calls at a time to an address and one to a site, in all processes together', async () => {
    const otherProcess = await startOtherProcess();
    const names = Array.from({ length: 6 }, (_, index) => `site-${index}`);
    const requests = await Promise.all(names.map((name) => activate(name)));
    const responses = await Promise.all([
      ...requests.map(probe),
      ...requests.map(otherProcess.probe),
    ]);
    await otherProcess.close();
    for (const { body } of responses) expect(body.endpoint).toEqual({ reachable: true });
    expect(sites.most).toEqual({ atAddress: 2, atSite: 1 });
    const { rows } = await panel.pool.query('SELECT site FROM site_probes');
    expect(rows).toEqual([]);
  });

  it('is without `endpoint` while the limits leave no room', async () => {
    const request = await activate('crowded');
    for (const site of ['one', 'two']) {
      await panel.pool.query(
        `INSERT INTO site_probes (site, address, license_id, ends_at)
         VALUES ($1, '127.0.0.1', 0, clock_timestamp() + interval '1 hour')`,
        [site],
      );
    }
    const impatient = await startOtherProcess({ probeWaitMs: 100 });
    const { status, body } = await impatient.probe(request);
    await impatient.close();
    await panel.pool.query('UPDATE site_probes SET ends_at = clock_timestamp()');
    expect(status).toBe(200);
    expect(body).not.toHaveProperty('endpoint');
    expect(sites.most.atAddress).toBe(0);
    // Calls whose process has died end with their lease.
    expect((await probe(request)).body.endpoint).toEqual({ reachable: true });
  });

  // Last, because its proofs of address continue in the background.
  it('makes one call at a time to a site with a site key, together with its proof of address', async () => {
    const request = await activate('with-site-key', ['site_key', 'signed_calls', 'probe']);
    const responses = await Promise.all(Array.from({ length: 50 }, () => probe(request)));
    for (const { body } of responses) expect(body.endpoint).toMatchObject({ reachable: false });
    expect(sites.most).toEqual({ atAddress: 1, atSite: 1 });
  });
});
