import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SERVICE_KEY_HEADER } from '@steward/contract';
import { type PanelClient, signInAt } from '@steward/testkit/panel/panel-client.ts';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { useUpdatedSite } from './support/use-updated-site.ts';

const FATAL = 'this_function_does_not_exist();';
/** What a site asks itself comes with its own name; the panel has another. */
const LOOPBACK = '$http_user_agent ~ "^Steward;"';
const CUT = `if (${LOOPBACK}) { return 444; }`;
const FORBIDDEN = `if (${LOOPBACK}) { return 403; }`;
/** Of what the panel asks, only the endpoint is let through. */
const UNSEEN = `${CUT} set $home "$request_method$http_user_agent"; if ($home ~ "^GETSteward/") { return 444; }`;

const wordpress = useUpdatedSite();
let owner: PanelClient;
beforeAll(async () => {
  owner = await signInAt(wordpress.panel.url, await wordpress.panel.newUser());
});
beforeEach(async () => {
  await wordpress.site.configureServer(CUT);
});

async function updateByPanel() {
  const { body } = await owner.post('/remote/update', { site_ids: [wordpress.site.siteId] });
  return body.results[0];
}
const version = async () => (await wordpress.look()).plugins['shop/shop.php'];

describe('a site that cannot call itself', () => {
  for (const [how, lines] of [
    ['its connections are cut', CUT],
    ['a firewall forbids it', FORBIDDEN],
  ] as const) {
    it(`is looked at by the panel, which has a fatal version put back: ${how}`, async () => {
      await wordpress.site.configureServer(lines);
      await wordpress.plugin('shop');
      await wordpress.offerPlugin('shop', { body: FATAL });
      const result = await updateByPanel();
      expect(result).toMatchObject({ status: 'failed', plugins: { updated: 0, failed: 1 } });
      expect(result.details.results.plugins).toEqual([
        {
          slug: 'shop/shop.php',
          new_version: '1.0',
          success: false,
          error: expect.stringMatching(/saw an error\. The old version was put back\.$/),
        },
      ]);
      expect(await version()).toBe('1.0');
      expect(await wordpress.status('/')).toBe(200);
    });
  }

  it('is looked at also when it can see some of its pages, but not the home page', async () => {
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

  it('has a good version kept, which counts as seen', async () => {
    await wordpress.plugin('shop');
    await wordpress.offerPlugin('shop');
    expect(await updateByPanel()).toMatchObject({
      status: 'succeeded',
      details: { results: { plugins: [{ new_version: '2.0', success: true }] } },
    });
    expect(await version()).toBe('2.0');
  });

  it('is looked at also for a single action', async () => {
    const file = await wordpress.plugin('shop');
    await wordpress.offerPlugin('shop', { body: FATAL });
    const ask = { site_id: wordpress.site.siteId, action: 'update', plugin: file };
    const { status, body } = await owner.post('/remote/plugin-action', ask);
    expect([status, body.code]).toEqual([500, 'action_failed']);
    expect(body.error).toMatch(/The old version was put back/);
    expect(await version()).toBe('1.0');
    await wordpress.offerPlugin('shop');
    expect((await owner.post('/remote/plugin-action', ask)).body).toMatchObject({ success: true });
  });

  it('is unverified where the panel cannot see it either, and open to visitors', async () => {
    await wordpress.site.configureServer(UNSEEN);
    await wordpress.plugin('shop');
    await wordpress.offerPlugin('shop');
    const result = await updateByPanel();
    expect(result).toMatchObject({
      status: 'unverified',
      plugins: { updated: 1, failed: 0 },
      details: { results: { plugins: [{ success: true, verified: false }] } },
    });
    expect(result.notes).toEqual([expect.stringContaining('could not open its own pages')]);
    expect(await wordpress.status('/')).toBe(200);
    const audit = (await owner.get('/panel/audit?limit=1')).body;
    expect(JSON.stringify(audit)).toContain('"outcome":"unverified"');
  });

  it('is not called broken by what was broken before', async () => {
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

describe('a verdict that is awaited', () => {
  const verdict = (body: object, key = wordpress.site.key) =>
    fetch(`${wordpress.site.url}/wp-json/service/v1/remote/verdict`, {
      method: 'POST',
      headers: { [SERVICE_KEY_HEADER]: key, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  /** An update that was done and not looked at. */
  async function awaiting(body = '') {
    const file = await wordpress.plugin('shop');
    await wordpress.offerPlugin('shop', { body });
    const first = await wordpress.act('update', file);
    expect([first.status, first.body.code]).toEqual([409, 'outside_look_needed']);
    expect(await version()).toBe('1.0');
    const ask = { action: 'update', plugin: file, outside_look: true };
    const { status, body: answer } = await wordpress.call('plugin-action', ask);
    expect([status, answer.verified, await version()]).toEqual([200, false, '2.0']);
    return answer.awaiting_verdict as { call: string; ticket: string };
  }
  const journal = async () => join(await wordpress.stateFolder(), 'in-flight.json');

  it('keeps visitors out, and lets the look in', async () => {
    const { call, ticket } = await awaiting();
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

  it('puts the old version back when the REST API is dead, too', async () => {
    const { call } = await awaiting(FATAL);
    const answer = await verdict({ call, verdict: 'broken' });
    expect(await answer.json()).toEqual({ success: true, restored: true });
    expect([await wordpress.status('/'), await version()]).toEqual([200, '1.0']);
    // The answer may have been lost.
    expect(await (await verdict({ call, verdict: 'broken' })).json()).toEqual({
      success: true,
      restored: true,
    });
  });

  it('is taken from the panel alone, for its own call', async () => {
    const { call } = await awaiting();
    expect((await verdict({ call, verdict: 'broken' }, 'other')).status).toBe(401);
    expect((await verdict({ call, verdict: 'broken' }, '')).status).toBe(401);
    expect((await verdict({ call: 'f'.repeat(32), verdict: 'broken' })).status).toBe(404);
    expect((await verdict({ call, verdict: 'odd' })).status).toBe(400);
    expect(await version()).toBe('2.0');
    expect((await verdict({ call, verdict: 'unknown' })).status).toBe(200);
  });

  it('lets visitors in after a minute, and is given up after ten', async () => {
    await awaiting();
    const file = await journal();
    const ago = async (seconds: number) => {
      const content = JSON.parse(await readFile(file, 'utf8'));
      content.at = Math.floor(Date.now() / 1000) - seconds;
      await writeFile(file, JSON.stringify(content));
    };
    await ago(61);
    expect([await wordpress.status('/'), existsSync(file)]).toEqual([200, true]);
    await ago(601);
    expect([await wordpress.status('/'), existsSync(file)]).toEqual([200, false]);
    expect(await version()).toBe('2.0');
  });

  it('is given up when the panel calls for something else', async () => {
    await awaiting();
    await rm(join(wordpress.site.root, '.maintenance'));
    await wordpress.site.clearOpcache();
    expect((await wordpress.call('sync')).status).toBe(200);
    expect(existsSync(await journal())).toBe(false);
    expect(await version()).toBe('2.0');
  });
});
