import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SERVICE_KEY_HEADER } from '@steward/contract';
import { type PanelClient, signInAt } from '@steward/testkit/panel/panel-client.ts';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { useUpdatedSite } from './support/use-updated-site.ts';

const FATAL = 'this_function_does_not_exist();';
/** The user agent of a site's loopback requests; the panel uses another. */
const LOOPBACK = '$http_user_agent ~ "^Steward;"';
const CLOSED = `if (${LOOPBACK}) { return 444; }`;
const FORBIDDEN = `if (${LOOPBACK}) { return 403; }`;
/** Blocks loopback requests, and all requests of the panel except calls to the endpoint. */
const HIDDEN_FROM_PANEL = `${CLOSED} set $home "$request_method$http_user_agent"; if ($home ~ "^GETSteward/") { return 444; }`;

const wordpress = useUpdatedSite({ hasWorker: true });
let owner: PanelClient;
beforeAll(async () => {
  owner = await signInAt(wordpress.panel.url, await wordpress.panel.newUser());
});
beforeEach(async () => {
  await wordpress.site.configureServer(CLOSED);
});

async function updateByPanel() {
  const { body } = await owner.post('/remote/update', { site_ids: [wordpress.site.siteId] });
  return body.results[0];
}
const version = async () => (await wordpress.readInstalled()).plugins['shop/shop.php'];

describe('site without loopback requests', () => {
  for (const [how, lines] of [
    ['connections are closed', CLOSED],
    ['a firewall forbids them', FORBIDDEN],
  ] as const) {
    it(`is checked by the panel, which rolls back a fatal version: ${how}`, async () => {
      await wordpress.site.configureServer(lines);
      await wordpress.plugin('shop');
      await wordpress.offerPlugin('shop', { body: FATAL });
      const result = await updateByPanel();
      expect(result).toMatchObject({ status: 'failed', plugins: { updated: 0, failed: 1 } });
      expect(result.details.results.plugins).toMatchObject([
        {
          slug: 'shop/shop.php',
          new_version: '1.0',
          success: false,
          error: expect.stringMatching(/showed an error .* rolled back to the old version\.$/),
        },
      ]);
      expect(await version()).toBe('1.0');
      expect(await wordpress.status('/')).toBe(200);
    });
  }

  it('is checked by the panel when only the home page is blocked', async () => {
    await wordpress.site.configureServer(
      `set $asked ""; if (${LOOPBACK}) { set $asked "loopback $request_uri"; }
      if ($asked ~ "^loopback /\\?steward_check") { return 401; }`,
    );
    await wordpress.plugin('shop');
    await wordpress.offerPlugin('shop', {
      body: `add_action( 'template_redirect', function () { ${FATAL} } );`,
    });
    expect(await updateByPanel()).toMatchObject({ status: 'failed' });
    expect(await version()).toBe('1.0');
  });

  it('keeps a working version, and says that only four pages were checked', async () => {
    await wordpress.plugin('shop');
    await wordpress.offerPlugin('shop');
    const result = await updateByPanel();
    expect(result).toMatchObject({
      status: 'unverified',
      code: 'pages_not_checked',
      error: expect.stringMatching(/^4 of 7 pages could be checked, because the site cannot/),
      details: { results: { plugins: [{ new_version: '2.0', success: true }] } },
    });
    expect(await version()).toBe('2.0');
  });

  it('is checked by the panel for a plugin action too', async () => {
    const file = await wordpress.plugin('shop');
    await wordpress.offerPlugin('shop', { body: FATAL });
    const request = { site_id: wordpress.site.siteId, action: 'update', plugin: file };
    const { status, body } = await owner.post('/remote/plugin-action', request);
    expect([status, body.code]).toEqual([500, 'action_failed']);
    expect(body.error).toMatch(/rolled back to the old version/);
    expect(await version()).toBe('1.0');
    await wordpress.offerPlugin('shop');
    expect((await owner.post('/remote/plugin-action', request)).body).toMatchObject({
      success: true,
    });
  });

  it('is unverified, and open to visitors, when the panel cannot check it either', async () => {
    await wordpress.site.configureServer(HIDDEN_FROM_PANEL);
    await wordpress.plugin('shop');
    await wordpress.offerPlugin('shop');
    const result = await updateByPanel();
    expect(result).toMatchObject({
      status: 'unverified',
      plugins: { updated: 1, failed: 0 },
      details: { results: { plugins: [{ success: true, verified: false }] } },
    });
    expect(result).toMatchObject({
      code: 'pages_not_checked',
      error: expect.stringMatching(/^0 of 7/),
    });
    expect(await wordpress.status('/')).toBe(200);
    const audit = (await owner.get('/panel/audit?limit=1')).body;
    expect(JSON.stringify(audit)).toContain('"outcome":"unverified"');
  });

  it('keeps the update when the page was broken before', async () => {
    const broken = await wordpress.mustUse(
      `add_action( 'template_redirect', function () { if ( is_home() ) { ${FATAL} } } );`,
    );
    await wordpress.plugin('shop');
    await wordpress.offerPlugin('shop');
    expect((await updateByPanel()).status).toBe('unverified');
    expect(await version()).toBe('2.0');
    await broken.remove();
    await wordpress.site.clearOpcache();
  });
});

describe('pending verdict', () => {
  const verdict = (body: object, key = wordpress.site.key) =>
    fetch(`${wordpress.site.url}/wp-json/service/v1/remote/verdict`, {
      method: 'POST',
      headers: { [SERVICE_KEY_HEADER]: key, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  /** Runs an update that waits for the health check of the panel. */
  async function updateAwaitingVerdict(body = '') {
    const file = await wordpress.plugin('shop');
    await wordpress.offerPlugin('shop', { body });
    const first = await wordpress.act('update', file);
    expect([first.status, first.body.code]).toEqual([409, 'outside_look_needed']);
    expect(await version()).toBe('1.0');
    const request = { action: 'update', plugin: file, outside_look: true };
    const { status, body: response } = await wordpress.call('plugin-action', request);
    expect([status, response.verified, await version()]).toEqual([200, false, '2.0']);
    return response.awaiting_verdict as { call: string; ticket: string };
  }
  const journal = async () => join(await wordpress.stateFolder(), 'in-flight.php');

  it('is requested for single items too, and restores only these', async () => {
    const file = await wordpress.plugin('shop');
    const other = await wordpress.plugin('other');
    await wordpress.offerPlugin('shop', { body: FATAL });
    await wordpress.offerPlugin('other');
    const items = [
      { type: 'plugin', slug: 'gone/gone.php' },
      { type: 'plugin', slug: file, version: '2.0' },
    ];
    const first = await wordpress.call('update', { items });
    expect([first.status, first.body.code]).toEqual([409, 'outside_look_needed']);
    expect(await version()).toBe('1.0');
    const { status, body } = await wordpress.call('update', { items, outside_look: true });
    expect([status, body.results]).toMatchObject([
      200,
      {
        plugins: [
          { slug: 'gone/gone.php', code: 'item_not_found' },
          { slug: file, old_version: '1.0', new_version: '2.0', success: true, verified: false },
        ],
      },
    ]);
    const { call } = body.awaiting_verdict as { call: string };
    const response = await verdict({ call, verdict: 'broken' });
    expect(await response.json()).toEqual({ success: true, restored: true });
    const { plugins } = await wordpress.readInstalled();
    expect([await wordpress.status('/'), plugins[file], plugins[other]]).toEqual([
      200,
      '1.0',
      '1.0',
    ]);
  });

  it('is not requested when every single item is refused or installed', async () => {
    const file = await wordpress.plugin('shop');
    await wordpress.offerPlugin('shop', { body: FATAL });
    const items = [
      { type: 'plugin', slug: file, version: '1.0' },
      { type: 'theme', slug: 'gone' },
    ];
    const { status, body } = await wordpress.call('update', { items });
    expect([status, body.awaiting_verdict, await version()]).toEqual([200, undefined, '1.0']);
  });

  it('shows maintenance mode to visitors, but not to the health check', async () => {
    const { call, ticket } = await updateAwaitingVerdict();
    expect(await wordpress.status('/')).toBe(503);
    expect(await wordpress.status(`/?steward_check=${ticket}`)).toBe(200);
    expect(await wordpress.status(`/?steward_check=${ticket}`)).toBe(200);
    const admin = await fetch(`${wordpress.site.url}/wp-admin/?steward_check=${ticket}`, {
      redirect: 'manual',
    });
    expect([admin.status, admin.headers.get('location')]).toEqual([
      302,
      expect.stringContaining('wp-login.php'),
    ]);
    expect((await verdict({ call, verdict: 'healthy' })).status).toBe(200);
    expect([await wordpress.status('/'), await version()]).toEqual([200, '2.0']);
  });

  it('rolls back even when the REST API is down', async () => {
    const { call } = await updateAwaitingVerdict(FATAL);
    const response = await verdict({ call, verdict: 'broken' });
    expect(await response.json()).toEqual({ success: true, restored: true });
    expect([await wordpress.status('/'), await version()]).toEqual([200, '1.0']);
    // The panel repeats the call after a lost answer.
    expect(await (await verdict({ call, verdict: 'broken' })).json()).toEqual({
      success: true,
      restored: true,
    });
  });

  it('is accepted only from the panel and only for the same call', async () => {
    const { call } = await updateAwaitingVerdict();
    expect((await verdict({ call, verdict: 'broken' }, 'other')).status).toBe(401);
    expect((await verdict({ call, verdict: 'broken' }, '')).status).toBe(401);
    expect((await verdict({ call: 'f'.repeat(32), verdict: 'broken' })).status).toBe(404);
    expect((await verdict({ call, verdict: 'odd' })).status).toBe(400);
    expect(await version()).toBe('2.0');
    expect((await verdict({ call, verdict: 'unknown' })).status).toBe(200);
  });

  it('ends maintenance mode after one minute and expires after ten', async () => {
    await updateAwaitingVerdict();
    const file = await journal();
    const setAge = async (seconds: number) => {
      const [firstLine, json = ''] = (await readFile(file, 'utf8')).split('\n');
      const at = Math.floor(Date.now() / 1000) - seconds;
      await writeFile(file, `${firstLine}\n${JSON.stringify({ ...JSON.parse(json), at })}`);
    };
    await setAge(61);
    expect([await wordpress.status('/'), existsSync(file)]).toEqual([200, true]);
    await setAge(601);
    expect([await wordpress.status('/'), existsSync(file)]).toEqual([200, false]);
    expect(await version()).toBe('2.0');
  });

  it('expires when the panel sends another call', async () => {
    await updateAwaitingVerdict();
    await rm(join(wordpress.site.root, '.maintenance'));
    await wordpress.site.clearOpcache();
    expect((await wordpress.call('sync')).status).toBe(200);
    expect(existsSync(await journal())).toBe(false);
    expect(await version()).toBe('2.0');
  });
});
