import { createServer as createHttpsServer } from 'node:https';
import type { OptionsStore } from '@steward/agent/site-options.ts';
import { useRunFixture } from '@steward/testkit/panel/use-run-fixture.ts';
import { STRANGER_CERTIFICATE, TLS_KEY } from '@steward/testkit/sites/certificates.ts';
import {
  respondWith,
  startAgentSite,
  startFakeSite,
  startHttpSite,
} from '@steward/testkit/sites/fake-sites.ts';
import { failOnce, outdatedSite, SHOP } from '@steward/testkit/sites/site-fleet.ts';
import { describe, expect, it } from 'vitest';

// Short timeouts for hanging sites.
const siteTimeouts = { connectSeconds: 5, actionSeconds: 8, updateSeconds: 8 };
const fixture = useRunFixture({ siteTimeouts }, { advancesClock: true });

describe('POST /remote/plugin-action', () => {
  it('runs all four actions and records each', async () => {
    const site = await fixture.newSite();
    for (const action of ['update', 'deactivate', 'activate', 'delete']) {
      const request = { site_id: site.id, action, plugin: SHOP };
      const { status, body } = await fixture.owner.post('/remote/plugin-action', request);
      expect([status, body]).toEqual([200, { success: true, ...request }]);
    }
    expect(site.state.plugins[SHOP]).toBeUndefined();
    expect(
      (await fixture.readAudit(site.id, 'remote_plugin')).map(({ action, entity_id }) => [
        action,
        entity_id,
      ]),
    ).toEqual(['update', 'deactivate', 'activate', 'delete'].map((action) => [action, SHOP]));
  });

  it.each([
    ['html', 502, 'site_invalid_response', 200],
    ['hang', 504, 'site_timeout', null],
    ['cut', 502, 'site_unreachable', null],
  ] as const)('explains why the action failed: %s', async (fault, status, code, http) => {
    const site = await fixture.newSite();
    failOnce(site.faults, fault);
    const { status: received, body } = await fixture.owner.post('/remote/plugin-action', {
      site_id: site.id,
      action: 'deactivate',
      plugin: SHOP,
    });
    expect([received, body.code]).toEqual([status, code]);
    expect(body.error).toMatch(/checked the site: the plugin is active\./);
    expect((await fixture.owner.get(`/panel/runs/${body.run_id}`)).body.results).toMatchObject([
      { status: 'failed', code, http_status: http, error: body.error },
    ]);
  });

  it('is reconciled if the site stops without naming the action', async () => {
    const site = await fixture.newSite();
    const request = { site_id: site.id, action: 'deactivate', plugin: SHOP };
    site.faults.response = 'died_after_work';
    const response = fixture.owner.post('/remote/plugin-action', request);
    await expect.poll(() => site.calls.includes('sync')).toBe(true);
    delete site.faults.response;
    expect(await response).toMatchObject({ status: 200, body: { success: true, ...request } });
    expect((await fixture.owner.get(`/panel/sites/${site.id}`)).body.site.fault).toBeNull();
  });
});

describe('the error of POST /remote/plugin-action', () => {
  /** Returns the response and checks its audit record. `code`: the recorded code, if different. */
  async function actAt(
    url: string,
    { plugin = SHOP, code = '', options = null as OptionsStore | null } = {},
  ) {
    const site = await fixture.newSite();
    await fixture.setSiteUrl(site.id, url);
    const { service_license_key } = await site.options.read();
    await options?.write({ service_license_key });
    const request = { site_id: site.id, action: 'deactivate', plugin };
    const { status, body } = await fixture.owner.post('/remote/plugin-action', request);
    expect(body).toMatchObject({ success: false, run_id: expect.any(Number) });
    expect(await fixture.readAudit(site.id, 'remote_plugin')).toMatchObject([
      {
        action: 'deactivate',
        entity_id: plugin,
        context: {
          run_id: body.run_id,
          outcome: 'failed',
          code: code || body.code,
          error: body.error,
        },
      },
    ]);
    return { status, code: body.code, error: body.error };
  }

  it('is 502 site_tls_error for a self-signed certificate, before anything is sent', async () => {
    let requests = 0;
    const server = createHttpsServer({ key: TLS_KEY, cert: STRANGER_CERTIFICATE }, () => {
      requests++;
    });
    const { port } = await startFakeSite(server);
    expect(await actAt(`https://127.0.0.1:${port}`)).toEqual({
      status: 502,
      code: 'site_tls_error',
      error: expect.stringContaining('certificate'),
    });
    expect(requests).toBe(0);
  });

  it('is 502 site_redirected, and the key is not sent to the target', async () => {
    const elsewhere = await startHttpSite(respondWith(200, '{}'));
    const { url } = await startHttpSite(respondWith(308, '', { location: `${elsewhere.url}/new` }));
    expect(await actAt(url)).toEqual({
      status: 502,
      code: 'site_redirected',
      error: expect.stringContaining(`${elsewhere.url}/new`),
    });
    expect(elsewhere.connections()).toBe(0);
  });

  it('is 403 management_plugin, and the plugin stays unchanged', async () => {
    const { url, options, platform } = await startAgentSite();
    const itself = 'steward/steward.php';
    expect(await actAt(url, { plugin: itself, options })).toMatchObject({
      status: 403,
      code: 'management_plugin',
    });
    expect(platform.state.plugins[itself]?.active).toBe(true);
  });

  for (const code of ['missing_parameter', 'invalid_action', 'invalid_plugin', 'invalid_request']) {
    it(`is 400 ${code} with the message of the site`, async () => {
      const error = 'This site wants it otherwise.';
      const body = JSON.stringify({ success: false, code, error });
      const { url } = await startHttpSite(respondWith(400, body));
      expect(await actAt(url)).toEqual({ status: 400, code, error });
    });
  }

  it('is 502 site_invalid_response for an unknown code, which the record keeps', async () => {
    const body = JSON.stringify({ success: false, code: 'made_up', error: 'Not today.' });
    const { url } = await startHttpSite(respondWith(400, body));
    expect(await actAt(url, { code: 'made_up' })).toEqual({
      status: 502,
      code: 'site_invalid_response',
      error: 'Not today.',
    });
  });
});

describe('POST /remote/plugin-action with an invalid license', () => {
  const ENDS = new Date('2026-06-02T00:00:00Z');

  for (const [what, end] of [
    ['suspended', (id) => fixture.panel.suspend(id)],
    ['revoked', (id) => fixture.panel.revoke(id)],
    [
      'expired',
      async () => {
        fixture.panel.fakes.now = ENDS;
      },
    ],
  ] as [string, (licenseId: number) => Promise<unknown>][]) {
    it(`${what}: 409 site_not_active, and the site is not called`, async () => {
      const before = fixture.panel.fakes.now;
      const license = await fixture.panel.license({ siteLimit: 1, expiresAt: ENDS });
      const site = await fixture.newSite(outdatedSite(), license.license_key);
      await end(license.id);
      const request = { site_id: site.id, action: 'update', plugin: SHOP };
      const { status, body } = await fixture.owner.post('/remote/plugin-action', request);
      fixture.panel.fakes.now = before;
      expect([status, body.code]).toEqual([409, 'site_not_active']);
      expect(site.calls).toEqual([]);
      expect(await fixture.readAudit(site.id, 'remote_plugin')).toMatchObject([
        {
          action: 'update',
          entity_id: SHOP,
          context: { run_id: body.run_id, outcome: 'refused', code: 'site_not_active' },
        },
      ]);
    });
  }
});
