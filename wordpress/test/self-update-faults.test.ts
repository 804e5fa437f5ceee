import { existsSync } from 'node:fs';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SERVICE_KEY_HEADER } from '@steward/contract';
import { type Bed, openBed } from '@steward/testkit/wordpress/bed.ts';
import { STEWARD } from '@steward/testkit/wordpress/installed-steward.ts';
import {
  type LicensingPanel,
  startPanelWithoutWorker,
} from '@steward/testkit/wordpress/licensed-site.ts';
import type { WordPressSite } from '@steward/testkit/wordpress/site.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import {
  callSite,
  copyPlugin,
  createOldSite,
  OLD_VERSION,
  openAdmin,
  removeCopies,
  selfUpdate,
  startStubPanel,
} from './support/own-plugin.ts';

const NEXT = '0.2.0';
const HEADER = `<?php
/**
 * Plugin Name: Steward
 * Version:     ${NEXT}
 */
`;
const KILL = 'posix_kill( getmypid(), SIGKILL );';

let bed: Bed;
let panel: LicensingPanel;
let stub: Awaited<ReturnType<typeof startStubPanel>>;
let site: WordPressSite;
let admin: Awaited<ReturnType<typeof openAdmin>>;
let oldPlugin: string;
beforeAll(async () => {
  [bed, panel, stub] = await Promise.all([openBed(), startPanelWithoutWorker(), startStubPanel()]);
  site = await createOldSite(bed, panel);
  oldPlugin = await copyPlugin(OLD_VERSION);
  await stub.connect(site);
  admin = await openAdmin(site);
}, 180_000);
afterAll(async () => {
  await bed?.stop();
  await panel?.stop();
  await stub?.stop();
  await removeCopies();
});

const file = (path: string) => join(site.root, path);
const GUARD = 'wp-content/mu-plugins/steward-guard.php';
const version = async () => (await site.installedPlugins())[STEWARD];
const status = async (path = '/') => (await fetch(site.url + path)).status;

beforeEach(async () => {
  await stub.connect(site);
  await rm(file(GUARD), { force: true });
  await rm(file('wp-content/mu-plugins/a-test.php'), { force: true });
  await site.unpackPlugin(oldPlugin);
  await site.setActivePlugins([STEWARD]);
  await site.setOption('steward_accept_unsigned', '');
});

/** The old version runs, and the panel can still call the site. */
async function expectOldVersion() {
  expect([await status(), await version()]).toEqual([200, OLD_VERSION]);
  expect(await site.activePlugins()).toContain(STEWARD);
  expect(existsSync(file('.maintenance'))).toBe(false);
  expect(await status('/wp-json/service/v1/remote/sync')).toBe(401);
}

/** Everything that protected an update is gone. */
async function expectNoLeftovers() {
  const state = (await readdir(file('wp-content'))).find((name) =>
    /^steward-[0-9a-f]{32}$/.test(name),
  );
  const names = await readdir(file(`wp-content/${state}`));
  expect(names.filter((name) => /^(previous|broken|own-update\.php|in-flight)/.test(name))).toEqual(
    [],
  );
  expect(existsSync(file(GUARD))).toBe(false);
}

describe('a package that is refused', () => {
  const otherSignature = Buffer.alloc(64, 1).toString('base64');
  for (const [what, offer, reason] of [
    [
      'with the signature of another key',
      async () => stub.offer(await copyPlugin(NEXT), NEXT, { signature: otherSignature }),
      /signature .* is not from the connected panel/,
    ],
    [
      'that differs from the signed hash',
      async () => stub.offer(await copyPlugin(NEXT), NEXT, { sha256: '0'.repeat(64) }),
      /not the one that the panel has signed/,
    ],
    [
      'with another version inside',
      async () => stub.offer(await copyPlugin('0.1.5'), NEXT),
      /package contains version 0\.1\.5, not 0\.2\.0/,
    ],
    [
      'that is older than the installed version',
      async () => stub.offer(await copyPlugin('0.0.1'), '0.0.1'),
      /(older|not newer) than the installed version/,
    ],
  ] as const) {
    it(`${what}: remote/self-update changes nothing`, async () => {
      await offer();
      const { status: code, body } = await selfUpdate(site, stub.sign);
      expect([code, body.success]).toEqual([200, false]);
      expect(body.results.plugins).toMatchObject([
        {
          ...{ slug: STEWARD, success: false, code: 'package_rejected' },
          ...{ old_version: OLD_VERSION, new_version: OLD_VERSION },
        },
      ]);
      expect(body.results.plugins[0]?.error).toMatch(reason);
      await expectOldVersion();
      await expectNoLeftovers();
    });

    it(`${what}: the update screen changes nothing`, async () => {
      // The offer is replaced after the update check.
      await stub.offer(await copyPlugin(NEXT), NEXT);
      expect(await admin.checkForUpdates()).toContain('new version of Steward available');
      await offer();
      const response = await admin.updateByAjax();
      expect(response).toMatch(/"success":false/);
      await expectOldVersion();
      await expectNoLeftovers();
    });
  }

  it('from another address than the panel: the update screen changes nothing', async () => {
    await stub.offer(await copyPlugin(NEXT), NEXT);
    await admin.checkForUpdates();
    await site.setOption('service_panel_url', panel.url);
    // WordPress 7.1 checks for updates again, and then has no offer.
    const REFUSED = /not from the panel of this site|is at the latest version/;
    expect(await admin.updateByAjax()).toMatch(REFUSED);
    await expectOldVersion();
  });
});

/** Whether WordPress would install this version in the background. */
const installsInBackground = (offered: string) =>
  site.runPhp(`
    $offer = (object) [ 'plugin' => '${STEWARD}', 'new_version' => '${offered}' ];
    echo apply_filters( 'auto_update_plugin', true, $offer ) ? 'yes' : 'no';`);

const BROKEN = {
  'whose main file ends with a fatal error': {
    'steward.php': `${HEADER}this_function_does_not_exist();`,
  },
  'whose watchdog does not compile': { 'watchdog/load.php': '<?php this is no PHP' },
};

describe('a new version', () => {
  for (const [what, files] of Object.entries(BROKEN)) {
    it(`${what} is rolled back by remote/self-update`, async () => {
      await stub.offer(await copyPlugin(NEXT, files), NEXT);
      const { body } = await selfUpdate(site, stub.sign);
      expect(body.results.plugins).toMatchObject([
        { success: false, rolled_back: true, old_version: OLD_VERSION, new_version: OLD_VERSION },
      ]);
      await expectOldVersion();
      await expectNoLeftovers();
    });

    for (const way of ['updateByAjax', 'updateOnScreen'] as const) {
      it(`${what} is rolled back after the update screen (${way}), by the first request that fails`, async () => {
        await stub.offer(await copyPlugin(NEXT, files), NEXT);
        await admin.checkForUpdates();
        await admin[way]();
        await site.clearOpcache();
        await expect.poll(() => status(), { timeout: 20_000 }).toBe(200);
        await expectOldVersion();
        await expectNoLeftovers();
        expect(await installsInBackground(NEXT)).toBe('no');
        expect(await installsInBackground('0.2.1')).toBe('yes');
      });
    }
  }

  it('that no longer responds to the panel is rolled back by remote/self-update', async () => {
    await stub.offer(await copyPlugin(NEXT, { 'steward.php': HEADER }), NEXT);
    const { body } = await selfUpdate(site, stub.sign);
    expect(body.results.plugins).toMatchObject([
      { success: false, rolled_back: true, error: expect.stringMatching(/does not respond/) },
    ]);
    await expectOldVersion();
  });

  it('that works stays, and its predecessor is deleted after the probation', async () => {
    await stub.offer(await copyPlugin(NEXT), NEXT);
    await admin.checkForUpdates();
    expect(await admin.updateByAjax()).toMatch(/"success":true/);
    expect([await status(), await version()]).toEqual([200, NEXT]);
    expect(existsSync(file(GUARD))).toBe(true);
    await site.runPhp(`
      $record = Steward\\Watchdog\\State::read( 'own-update.json' );
      Steward\\Watchdog\\State::write( 'own-update.json', [ 'started' => time() - 601 ] + $record );`);
    expect(await status()).toBe(200);
    expect(await status()).toBe(200);
    await expectNoLeftovers();
    expect(await version()).toBe(NEXT);
  });
});

// Before the killed updates: without the state folder, the lock that they leave in the database would last.
describe('a site that cannot write to its state folder', () => {
  it('names the folder instead of another update, and changes nothing', async () => {
    const folder = await site.runPhp('echo Steward\\Watchdog\\State::folder();');
    await rm(folder, { recursive: true, force: true });
    // PHP cannot create a folder with the name of a file, also as root.
    await writeFile(folder, '');
    onTestFinished(() => rm(folder, { force: true }));
    await stub.offer(await copyPlugin(NEXT), NEXT);
    const { status: code, body } = await selfUpdate(site, stub.sign);
    expect([code, body.success]).toEqual([200, false]);
    expect(body.results.plugins).toMatchObject([
      { code: 'folder_not_writable', error: expect.stringContaining('folder wp-content') },
    ]);
    await expectOldVersion();
  });
});

describe('a killed update', () => {
  const kill = (hook: string) =>
    writeFile(
      file('wp-content/mu-plugins/a-test.php'),
      `<?php add_filter( '${hook}', function () { ${KILL} } );`,
    );
  const revive = async () => {
    await rm(file('wp-content/mu-plugins/a-test.php'));
    await site.clearOpcache();
  };

  for (const [moment, hook] of [
    ['after the old version was moved away', 'upgrader_clear_destination'],
    ['after the new version is in place', 'upgrader_post_install'],
  ] as const) {
    for (const [what, files] of [['that works', {}], ...Object.entries(BROKEN)] as const) {
      it(`of remote/self-update ${moment}, to a version ${what}, is undone by the next request`, async () => {
        await stub.offer(await copyPlugin(NEXT, files as Record<string, string>), NEXT);
        await site.setOption('steward_accept_unsigned', '1');
        await kill(hook);
        const update = site.runPhp(`
          $request = new WP_REST_Request( 'POST', '/service/v1/remote/self-update' );
          $request->set_header( '${SERVICE_KEY_HEADER}', get_option( 'service_license_key' ) );
          echo wp_json_encode( rest_do_request( $request )->get_data() );`);
        await expect(update).rejects.toThrow();
        await revive();
        await expectOldVersion();
        expect(await status()).toBe(200);
        await expectNoLeftovers();
      });
    }

    it(`of WordPress ${moment} is undone by the next request`, async () => {
      await stub.offer(await copyPlugin(NEXT), NEXT);
      await admin.checkForUpdates();
      await kill(hook);
      const update = site.runPhp(`
        require_once ABSPATH . 'wp-admin/includes/admin.php';
        require_once ABSPATH . 'wp-admin/includes/class-wp-upgrader.php';
        ( new Plugin_Upgrader( new Automatic_Upgrader_Skin() ) )->upgrade( '${STEWARD}' );`);
      await expect(update).rejects.toThrow();
      await revive();
      await expectOldVersion();
      expect(await status()).toBe(200);
      await expectNoLeftovers();
    });
  }
});

describe('a site that cannot open its own pages', () => {
  beforeEach(async () => {
    await site.configureServer('if ($http_user_agent ~ "^Steward;") { return 444; }');
  });
  afterAll(() => site?.configureServer(''));

  /** Updates as the panel does: opens the home page after the update and sends the verdict. */
  async function updateWithOutsideLook() {
    expect((await selfUpdate(site, stub.sign)).body).toMatchObject({ code: 'outside_look_needed' });
    const { body } = await selfUpdate(site, stub.sign, { outside_look: true });
    expect(body.results.plugins).toMatchObject([{ success: true, verified: false }]);
    const { call, ticket } = body.awaiting_verdict ?? { call: '', ticket: '' };
    const isHealthy = (await status(`/?steward_check=${ticket}`)) === 200;
    const verdict = { call, verdict: isHealthy ? 'healthy' : 'broken' };
    return callSite(site, stub.sign, 'remote/verdict', verdict);
  }

  it('keeps a version that works', async () => {
    await stub.offer(await copyPlugin(NEXT), NEXT);
    expect((await updateWithOutsideLook()).body).toEqual({ success: true, restored: false });
    expect([await status(), await version()]).toEqual([200, NEXT]);
    await status();
    await expectNoLeftovers();
  });

  for (const [what, files] of Object.entries(BROKEN)) {
    it(`rolls back a version ${what}`, async () => {
      await stub.offer(await copyPlugin(NEXT, files), NEXT);
      expect((await updateWithOutsideLook()).body).toEqual({ success: true, restored: true });
      await expectOldVersion();
      await expectNoLeftovers();
    });
  }
});
