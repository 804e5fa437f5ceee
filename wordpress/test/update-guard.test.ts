import { existsSync } from 'node:fs';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { type Bed, openBed } from '@steward/testkit/wordpress/bed.ts';
import { STEWARD } from '@steward/testkit/wordpress/installed-steward.ts';
import {
  type LicensingPanel,
  startPanelWithoutWorker,
} from '@steward/testkit/wordpress/licensed-site.ts';
import type { WordPressSite } from '@steward/testkit/wordpress/site.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  callSite,
  copyPlugin,
  createOldSite,
  OLD_VERSION,
  openAdmin,
  removeCopies,
  startStubPanel,
} from './support/own-plugin.ts';

/** Who may make the update guard restore the previous version of the Steward plugin. */
const NEXT = '0.2.0';

let bed: Bed;
let panel: LicensingPanel;
let stub: Awaited<ReturnType<typeof startStubPanel>>;
let otherPanel: Awaited<ReturnType<typeof startStubPanel>>;
let site: WordPressSite;
let admin: Awaited<ReturnType<typeof openAdmin>>;
let oldPlugin: string;
beforeAll(async () => {
  [bed, panel] = await Promise.all([openBed(), startPanelWithoutWorker()]);
  [stub, otherPanel] = await Promise.all([startStubPanel(), startStubPanel()]);
  site = await createOldSite(bed, panel);
  oldPlugin = await copyPlugin(OLD_VERSION);
  await stub.connect(site);
  admin = await openAdmin(site);
}, 180_000);
afterAll(async () => {
  await bed?.stop();
  await panel?.stop();
  await stub?.stop();
  await otherPanel?.stop();
  await removeCopies();
});

const file = (path: string) => join(site.root, path);
const GUARD = 'wp-content/mu-plugins/steward-guard.php';
const CHECKS = 'wp-content/guard-checks.txt';
const version = async () => (await site.installedPlugins())[STEWARD];
const status = async (path = '/') => (await fetch(site.url + path)).status;

beforeEach(async () => {
  await site.configureServer('');
  await rm(file(GUARD), { force: true });
  await rm(file(CHECKS), { force: true });
  await site.unpackPlugin(oldPlugin);
  await site.setActivePlugins([STEWARD]);
  // Counts the requests of the guard's check.
  await writeFile(
    file('wp-content/mu-plugins/a-test.php'),
    `<?php isset( $_GET['steward_guard'] ) && file_put_contents( WP_CONTENT_DIR . '/guard-checks.txt', 'x', FILE_APPEND );`,
  );
  await site.clearOpcache();
});
const countCheckedPages = async () =>
  existsSync(file(CHECKS)) ? (await readFile(file(CHECKS), 'utf8')).length : 0;

/** Updates on the update screen of WordPress to a version with other contents of some files. */
async function updateTo(change: (source: string) => string, name = 'steward.php') {
  // WordPress has stored an offer of the first panel, and that the second one is not available.
  await site.runPhp(
    `delete_site_transient( 'steward_plugin_offer' ); delete_site_transient( 'update_plugins' );`,
  );
  const folder = await copyPlugin(NEXT);
  const path = join(folder, name);
  await writeFile(path, change(await readFile(path, 'utf8')));
  await stub.offer(folder, NEXT);
  expect(await admin.checkForUpdates()).toContain('new version of Steward available');
  expect(await admin.updateByAjax()).toMatch(/"success":true/);
  await site.clearOpcache();
}
const DIES_ON_REQUEST = (source: string) =>
  `${source}\nisset( $_GET['die'] ) && this_function_does_not_exist();\n`;
const DIES_ALWAYS = (source: string) => `${source}\nthis_function_does_not_exist();\n`;
const DOES_NOT_COMPILE = () => '<?php this is no PHP';

describe('a request of a stranger that ends in a PHP error of a new version', () => {
  it('starts one check a minute, and the version stays', async () => {
    await updateTo(DIES_ON_REQUEST);
    expect([await status(), await version()]).toEqual([200, NEXT]);
    for (let n = 0; n < 5; n++) expect(await status('/?die=1')).toBe(500);
    await expect.poll(countCheckedPages).toBe(3);
    await Promise.all(Array.from({ length: 10 }, () => status('/?die=1')));
    expect([await status(), await version(), await countCheckedPages()]).toEqual([200, NEXT, 3]);
    const allowsUpdate = await site.runPhp(`
      $offer = (object) [ 'plugin' => '${STEWARD}', 'new_version' => '${NEXT}' ];
      echo apply_filters( 'auto_update_plugin', true, $offer ) ? 'yes' : 'no';`);
    expect(allowsUpdate).toBe('yes');
  });

  it('has no effect with a made-up token of a check', async () => {
    await updateTo(DIES_ON_REQUEST);
    await status('/?die=1');
    for (const token of ['0'.repeat(48), '', 'x'.repeat(9000)]) {
      await status(`/?die=1&steward_guard=${token}`);
      await status(`/?die=1&steward_guard[]=${token}`);
    }
    expect(await version()).toBe(NEXT);
  });
});

describe('a site whose address depends on the request', () => {
  it('sends the token of a check to another host, where it is of no use', async () => {
    await updateTo(DIES_ON_REQUEST);
    const requests: string[] = [];
    const stranger = createServer(async (request, response) => {
      requests.push(request.url ?? '');
      await fetch(`${site.url}${request.url?.replace('?', '?die=1&')}`);
      response.end();
    });
    await new Promise<void>((listening) => stranger.listen(0, '127.0.0.1', listening));
    const { port } = stranger.address() as { port: number };
    const config = await readFile(file('wp-config.php'), 'utf8');
    const home = `isset( $_SERVER['HTTP_X_HOME'] ) && define( 'WP_HOME', $_SERVER['HTTP_X_HOME'] );`;
    await writeFile(file('wp-config.php'), config.replace('<?php', `<?php ${home}`));
    await site.clearOpcache();
    try {
      const headers = { 'X-Home': `http://127.0.0.1:${port}` };
      await fetch(`${site.url}/?die=1`, { headers });
      // The home page and the endpoint of the panel.
      await expect.poll(() => requests.length, { timeout: 30_000 }).toBe(2);
      expect([await status(), await version()]).toEqual([200, NEXT]);
    } finally {
      await writeFile(file('wp-config.php'), config);
      stranger.close();
    }
  });
});

describe('a new version that ends every request', () => {
  for (const [where, change, name] of [
    ['of visitors', DIES_ALWAYS, 'steward.php'],
    [
      'to the admin area',
      (source: string) => `${source}\nis_admin() && this_function_does_not_exist();\n`,
      'steward.php',
    ],
    [
      'of the panel',
      (source: string) => source.replace('determine_access( $request )', 'no_such_method()'),
      'includes/Rest/Remote_Routes.php',
    ],
  ] as const) {
    it(`is rolled back after the guard has checked it: ${where}`, async () => {
      await updateTo(change, name);
      await status();
      await status('/wp-admin/admin-ajax.php');
      await fetch(`${site.url}/wp-json/service/v1/remote/sync`, { method: 'POST' });
      await expect.poll(version, { timeout: 30_000 }).toBe(OLD_VERSION);
      await site.clearOpcache();
      await expect.poll(() => status()).toBe(200);
      expect(await site.activePlugins()).toContain(STEWARD);
    });
  }
});

describe('a new version that fails', () => {
  it('is rolled back if a hook has a callback that does not exist', async () => {
    await updateTo((source) => `${source}\nadd_action( 'init', [ 'Steward\\\\Gone', 'run' ] );\n`);
    expect(await status()).toBe(500);
    await expect.poll(version, { timeout: 30_000 }).toBe(OLD_VERSION);
  });

  it('is rolled back if a cache serves the home page', async () => {
    await site.configureServer(
      'if ($args ~ "^steward_guard=") { set $b "1$uri"; } if ($b = "1/") { return 200; }',
    );
    await updateTo(DIES_ALWAYS);
    expect(await status()).toBe(500);
    await expect.poll(version, { timeout: 30_000 }).toBe(OLD_VERSION);
  });
});

describe('a site that cannot open its own pages', () => {
  beforeEach(() => site.configureServer('if ($http_user_agent ~ "^Steward;") { return 444; }'));

  const verdict = (body: object, sign = stub.sign) =>
    callSite(site, sign, 'remote/verdict', body).catch(() => null);
  const BROKEN = { plugin_version: NEXT, verdict: 'broken' };

  for (const [what, change, name] of [
    ['whose main file fails', DIES_ALWAYS, 'steward.php'],
    ['whose watchdog does not compile', DOES_NOT_COMPILE, 'watchdog/load.php'],
  ] as const) {
    it(`keeps a version ${what} until a signed verdict of the panel`, async () => {
      await updateTo(change, name);
      for (let n = 0; n < 3; n++) expect(await status()).toBe(500);
      // Another key, another version, no verdict, another verdict, no signature.
      await verdict(BROKEN, otherPanel.sign);
      await verdict({ ...BROKEN, plugin_version: '0.3.0' });
      await verdict({ plugin_version: NEXT });
      await verdict({ ...BROKEN, verdict: 'unknown' });
      await verdict(BROKEN, async () => ['']);
      expect([await status(), await version()]).toEqual([500, NEXT]);

      expect(await verdict(BROKEN)).toEqual({
        status: 200,
        body: { success: true, restored: true },
      });
      await site.clearOpcache();
      expect([await status(), await version()]).toEqual([200, OLD_VERSION]);
      expect(await site.activePlugins()).toContain(STEWARD);
    });
  }

  it('refuses the verdict about a version that has not failed', async () => {
    await updateTo((source) => source);
    expect(await status()).toBe(200);
    expect((await verdict(BROKEN))?.body.restored).toBeUndefined();
    expect(await version()).toBe(NEXT);
  });
});

it('deletes the guard if the plugin and its state folder were deleted', async () => {
  await updateTo((source) => source);
  expect(existsSync(file(GUARD))).toBe(true);
  const names = (await readdir(file('wp-content'))).filter((name) => /^steward-/.test(name));
  for (const name of [...names, 'plugins/steward'])
    await rm(file(`wp-content/${name}`), { recursive: true });
  expect(await status()).toBe(200);
  expect(existsSync(file(GUARD))).toBe(false);
});
