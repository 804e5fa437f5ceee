import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ItemError, Watch } from '@steward/contract';
import { registerSecret } from '@steward/testkit/logs.ts';
import { type PanelClient, signInAt } from '@steward/testkit/panel/panel-client.ts';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Session, signIn } from './support/sign-in.ts';
import { useLicensedSite } from './support/use-licensed-site.ts';

const SHOP = 'shop/shop.php';
const WAIT = { headers: { prefer: 'wait=300' } };
/** No page that the update checks uses one of these. */
const FAULTS = `
  add_action( 'load-plugins.php', static function () { shop_screen_missing(); } );
  add_action( 'wp', static function () { isset( $_GET['odd'] ) && shop_odd_missing(); } );`;

const wordpress = useLicensedSite({ hasWorker: true });
let owner: PanelClient;
let siteId: number;
let [admin, subscriber]: Session[] = [];

beforeAll(async () => {
  owner = await signInAt(wordpress.panel.url, await wordpress.panel.newUser());
  siteId = wordpress.site.siteId;
  await wordpress.site.changeSettings({ siteKeys: true });
  // Only the errors of a site with a site key restore anything.
  const printed = await wordpress.site.runPhp(`
    $result = Steward\\Panel\\License::connect( '${wordpress.panel.url}', '${wordpress.panel.licenseKey}' );
    $result = is_wp_error( $result ) ? $result : Steward\\Panel\\Check_In::run_after_connecting();
    echo is_wp_error( $result ) ? $result->get_error_message() : 'connected';`);
  expect(printed).toBe('connected');
  registerSecret(String(await wordpress.site.getOption('service_license_key')));
  await owner.ask('POST', '/panel/rules', { aspect: 'restore', enabled: true });
  admin = await signIn(wordpress.site, 'admin');
  subscriber = await signIn(wordpress.site, 'subscriber');
});

let runId: number;

/** Updates the plugin to a version that fails on requests which the check of the update does not make. */
beforeEach(async () => {
  // Otherwise the next immediate report waits for a minute.
  await rm(join(await wordpress.stateFolder(), 'errors.php'), { force: true });
  await wordpress.plugin('shop');
  await wordpress.offerPlugin('shop', { body: FAULTS });
  await owner.ask('POST', '/panel/sites/sync', { site_ids: [siteId] }, WAIT);
  const items = [{ type: 'plugin', slug: SHOP, version: '2.0' }];
  const { body } = await owner.post('/remote/update', { site_ids: [siteId], items }, WAIT);
  expect(body.results).toMatchObject([{ status: 'succeeded' }]);
  runId = body.run_id;
  expect(await readWatch()).toMatchObject({ state: 'watching', error: null });
});

async function readWatch(): Promise<Watch | undefined> {
  const { results } = await owner.ask<{ results: { watch?: Watch }[] }>(
    'GET',
    `/panel/runs/${runId}`,
  );
  return results[0]?.watch;
}

const readErrors = async () =>
  (await owner.ask<{ site: { item_errors: ItemError[] } }>('GET', `/panel/sites/${siteId}`)).site
    .item_errors;

const open = async (path: string, session?: Session) => {
  const headers = { ...(session && { cookie: session.cookie, 'sec-fetch-site': 'same-origin' }) };
  return (await fetch(wordpress.site.url + path, { headers })).status;
};

describe('a version that fails on pages which the update does not check', () => {
  it('is neither troubled nor restored because of the requests of strangers', async () => {
    // The site does not count requests during the first seconds after a change of files.
    const openAndRead = async () => {
      expect([await open('/?odd=1'), await open('/?odd=1', subscriber)]).toEqual([500, 500]);
      return readErrors();
    };
    await expect.poll(openAndRead, { interval: 1000 }).toMatchObject([
      {
        ...{ slug: SHOP, version: '2.0', is_confirmed: false, is_new: true },
        message: 'Uncaught Error: Call to undefined function shop_odd_missing()',
      },
    ]);
    // Shown at once, as not confirmed.
    await expect.poll(readWatch).toMatchObject({ state: 'watching', error: { slug: SHOP } });
    expect((await wordpress.readInstalled()).plugins[SHOP]).toBe('2.0');
  });

  it('is troubled as soon as an administrator sees the error, and restored by the rule', async () => {
    const openAndRead = async () => {
      await open('/wp-admin/plugins.php', admin);
      return readWatch();
    };
    await expect.poll(openAndRead, { interval: 1000 }).toMatchObject({
      state: 'troubled',
      error: { slug: SHOP, version: '2.0', place: 'shop.php:7', request_kind: 'admin' },
    });
    await expect.poll(async () => (await wordpress.readInstalled()).plugins[SHOP]).toBe('1.0');
    await expect.poll(() => open('/wp-admin/plugins.php', admin)).toBe(200);
    expect(await open('/', subscriber)).toBe(200);
    const { rows } = await wordpress.panel.database.pool.query(
      "SELECT data FROM notification_events WHERE type = 'version.troubled'",
    );
    expect(rows).toMatchObject([{ data: { slug: SHOP, version: '2.0', site_id: siteId } }]);
  });
});
