import { createServer as createHttpsServer } from 'node:https';
import type { OptionsStore } from '@steward/agent/site-options.ts';
import { useRunScene } from '@steward/testkit/panel/use-run-scene.ts';
import { STRANGER_CERTIFICATE, TLS_KEY } from '@steward/testkit/sites/certificates.ts';
import { failOnce, outdated, SHOP } from '@steward/testkit/sites/site-fleet.ts';
import { agentSite, answering, httpSite, standIn } from '@steward/testkit/sites/stand-in-sites.ts';
import { describe, expect, it } from 'vitest';

// The limit that a site which hangs is waited for.
const siteTimeouts = { connectSeconds: 2, actionSeconds: 2, updateSeconds: 2 };
const scene = useRunScene({ siteTimeouts }, { timeGoesOn: true });

describe('POST /remote/plugin-action', () => {
  it('does all four actions, and records each', async () => {
    const site = await scene.newSite();
    for (const action of ['update', 'deactivate', 'activate', 'delete']) {
      const ask = { site_id: site.id, action, plugin: SHOP };
      const { status, body } = await scene.owner.post('/remote/plugin-action', ask);
      expect([status, body]).toEqual([200, { success: true, ...ask }]);
    }
    expect(site.state.plugins[SHOP]).toBeUndefined();
    expect(
      (await scene.audit(site.id, 'remote_plugin')).map(({ action, entity_id }) => [
        action,
        entity_id,
      ]),
    ).toEqual(['update', 'deactivate', 'activate', 'delete'].map((action) => [action, SHOP]));
  });

  it.each([
    ['html', 502, 'site_invalid_response', 200],
    ['hang', 504, 'site_timeout', null],
    ['cut', 502, 'site_unreachable', null],
  ] as const)(
    'says why it was not done, as far as is known: %s',
    async (fault, status, code, http) => {
      const site = await scene.newSite();
      failOnce(site.faults, fault);
      const { status: answered, body } = await scene.owner.post('/remote/plugin-action', {
        site_id: site.id,
        action: 'deactivate',
        plugin: SHOP,
      });
      expect([answered, body.code]).toEqual([status, code]);
      expect(body.error).toMatch(/asked afterwards what it has: the plugin is there, and active\./);
      expect((await scene.owner.get(`/panel/runs/${body.run_id}`)).body.results).toMatchObject([
        { status: 'failed', code, http_status: http, error: body.error },
      ]);
    },
  );

  it('is looked up when the site breaks off without naming the action it has tried', async () => {
    const site = await scene.newSite();
    const ask = { site_id: site.id, action: 'deactivate', plugin: SHOP };
    site.faults.answer = 'died_after';
    const answer = scene.owner.post('/remote/plugin-action', ask);
    await expect.poll(() => site.calls.includes('sync')).toBe(true);
    delete site.faults.answer;
    expect(await answer).toMatchObject({ status: 200, body: { success: true, ...ask } });
    expect((await scene.owner.get(`/panel/sites/${site.id}`)).body.site.fault).toBeNull();
  });
});

describe('POST /remote/plugin-action says why not, by what is at the address of the site', () => {
  /** Gives the answer, which is recorded too; `code` if the site's own was another. */
  async function actAt(
    url: string,
    { plugin = SHOP, code = '', options = null as OptionsStore | null } = {},
  ) {
    const site = await scene.newSite();
    await scene.pointElsewhere(site.id, url);
    const { service_license_key } = await site.options.read();
    await options?.write({ service_license_key });
    const ask = { site_id: site.id, action: 'deactivate', plugin };
    const { status, body } = await scene.owner.post('/remote/plugin-action', ask);
    expect(body).toMatchObject({ success: false, run_id: expect.any(Number) });
    expect(await scene.audit(site.id, 'remote_plugin')).toMatchObject([
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

  it('502 site_tls_error for a certificate that nobody vouches for, before anything is sent', async () => {
    let requests = 0;
    const server = createHttpsServer({ key: TLS_KEY, cert: STRANGER_CERTIFICATE }, () => {
      requests++;
    });
    const { port } = await standIn(server);
    expect(await actAt(`https://127.0.0.1:${port}`)).toEqual({
      status: 502,
      code: 'site_tls_error',
      error: expect.stringContaining('certificate'),
    });
    expect(requests).toBe(0);
  });

  it('502 site_redirected, and the key does not follow', async () => {
    const elsewhere = await httpSite(answering(200, '{}'));
    const { url } = await httpSite(answering(308, '', { location: `${elsewhere.url}/new` }));
    expect(await actAt(url)).toEqual({
      status: 502,
      code: 'site_redirected',
      error: expect.stringContaining(`${elsewhere.url}/new`),
    });
    expect(elsewhere.connections()).toBe(0);
  });

  it('403 management_plugin, which stays as it is', async () => {
    const { url, options, platform } = await agentSite();
    const itself = 'steward/steward.php';
    expect(await actAt(url, { plugin: itself, options })).toMatchObject({
      status: 403,
      code: 'management_plugin',
    });
    expect(platform.state.plugins[itself]?.active).toBe(true);
  });

  for (const code of ['missing_parameter', 'invalid_action', 'invalid_plugin', 'invalid_request']) {
    it(`400 ${code} in the site's own words`, async () => {
      const error = 'This site wants it otherwise.';
      const body = JSON.stringify({ success: false, code, error });
      const { url } = await httpSite(answering(400, body));
      expect(await actAt(url)).toEqual({ status: 400, code, error });
    });
  }

  it('502 site_invalid_response for a code that nobody knows; the record keeps it', async () => {
    const body = JSON.stringify({ success: false, code: 'made_up', error: 'Not today.' });
    const { url } = await httpSite(answering(400, body));
    expect(await actAt(url, { code: 'made_up' })).toEqual({
      status: 502,
      code: 'site_invalid_response',
      error: 'Not today.',
    });
  });
});

describe('POST /remote/plugin-action for a license that is not valid', () => {
  const ENDS = new Date('2026-06-02T00:00:00Z');

  for (const [what, end] of [
    ['suspended', (id) => scene.panel.suspend(id)],
    ['revoked', (id) => scene.panel.revoke(id)],
    [
      'expired',
      async () => {
        scene.panel.edges.now = ENDS;
      },
    ],
  ] as [string, (licenseId: number) => Promise<unknown>][]) {
    it(`${what}: 409 site_not_active, and the site is not called`, async () => {
      const before = scene.panel.edges.now;
      const license = await scene.panel.license({ siteLimit: 1, expiresAt: ENDS });
      const site = await scene.newSite(outdated(), license.license_key);
      await end(license.id);
      const ask = { site_id: site.id, action: 'update', plugin: SHOP };
      const { status, body } = await scene.owner.post('/remote/plugin-action', ask);
      scene.panel.edges.now = before;
      expect([status, body.code]).toEqual([409, 'site_not_active']);
      expect(site.calls).toEqual([]);
      expect(await scene.audit(site.id, 'remote_plugin')).toMatchObject([
        {
          action: 'update',
          entity_id: SHOP,
          context: { run_id: body.run_id, outcome: 'refused', code: 'site_not_active' },
        },
      ]);
    });
  }
});
