import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { type Bed, openBed } from '@steward/testkit/wordpress/bed.ts';
import { STEWARD } from '@steward/testkit/wordpress/installed-steward.ts';
import {
  type LicensingPanel,
  startPanelWithoutWorker,
} from '@steward/testkit/wordpress/licensed-site.ts';
import { writePlugin } from '@steward/testkit/wordpress/packages.ts';
import type { WordPressSite } from '@steward/testkit/wordpress/site.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  callSite,
  copyPlugin,
  createOldSite,
  openAdmin,
  removeCopies,
  selfUpdate,
  startStubPanel,
} from './support/own-plugin.ts';

/** The last build whose state folder had a computed name. */
const OLDER = join(import.meta.dirname, 'releases/steward-before-random-state.zip');
const OLDER_VERSION = '0.1.0';
const NEXT = '0.2.0';
const SHOP = 'shop/shop.php';
const GUARD = 'wp-content/mu-plugins/steward-guard.php';

let bed: Bed;
let panel: LicensingPanel;
let stub: Awaited<ReturnType<typeof startStubPanel>>;
let site: WordPressSite;
let newer: string;
beforeAll(async () => {
  [bed, panel, stub] = await Promise.all([openBed(), startPanelWithoutWorker(), startStubPanel()]);
  site = await createOldSite(bed, panel, { plugin: OLDER });
  newer = await copyPlugin(NEXT);
  await stub.connect(site);
}, 180_000);
afterAll(async () => {
  await bed?.stop();
  await panel?.stop();
  await stub?.stop();
  await removeCopies();
});

const file = (path: string) => join(site.root, path);
const content = (path: string) => join(site.root, 'wp-content', path);
const version = async () => (await site.installedPlugins())[STEWARD];
const status = async () => (await fetch(site.url)).status;
const call = (path: string, fields: object = {}) =>
  callSite(site, stub.sign, `remote/${path}`, fields);

/** A call of the panel that takes the lock and changes nothing. */
async function callWithLock() {
  const { status, body } = await call('update', {
    items: [{ type: 'plugin', slug: 'gone/gone.php' }],
  });
  expect([status, body.results]).toMatchObject([200, { plugins: [{ code: 'item_not_found' }] }]);
}

/** The state folders, and the file with their name. */
async function stateFiles() {
  const names = (await readdir(content(''))).filter((name) => /^steward-(?!saved-)/.test(name));
  return names
    .map((name) => {
      if (/^steward-[0-9a-f]{16}$/.test(name)) return 'computed';
      return /^steward-[0-9a-f]{32}$/.test(name) ? 'random' : name;
    })
    .toSorted();
}
const stateFolder = async (length: 16 | 32) => {
  const names = await readdir(content(''));
  return content(
    names.find((name) => new RegExp(`^steward-[0-9a-f]{${length}}$`).test(name)) ?? 'none',
  );
};
const MOVED = ['random', 'steward-state.php'];

async function installOlder() {
  await rm(content('plugins/steward'), { recursive: true });
  await site.unpackPlugin(OLDER);
}

async function updateShop() {
  await writePlugin(site, 'shop', '1.0');
  await site.clearOpcache();
  const offered = { version: '2.0', package: await bed.packages.plugin('shop', '2.0') };
  await site.offer({ plugins: { [SHOP]: offered } });
  await site.storeUpdateTransients();
  const { body } = await call('update', { items: [{ type: 'plugin', slug: SHOP }] });
  expect(body.results).toMatchObject({
    plugins: [{ slug: SHOP, new_version: '2.0', success: true }],
  });
}

/** Each test starts with the older version, which has run an update. */
beforeEach(async () => {
  for (const name of await readdir(content(''))) {
    if (/^steward-(?!saved-)/.test(name)) await rm(content(name), { recursive: true });
  }
  await rm(file(GUARD), { force: true });
  await installOlder();
  await site.setActivePlugins([STEWARD]);
  await updateShop();
  expect(await stateFiles()).toEqual(['computed']);
});

describe('an update from the older version', () => {
  it('by remote/self-update works, and the next call moves the folder and restores an old saved version', async () => {
    await stub.offer(newer, NEXT);
    const { body } = await selfUpdate(site, stub.sign);
    expect(body.results.plugins).toMatchObject([{ success: true, new_version: NEXT }]);
    expect(body.results.plugins[0]?.verified).not.toBe(false);
    expect(await stateFiles()).toEqual(['computed']);
    const restored = await call('restore', {
      items: [{ type: 'plugin', slug: SHOP, version: '1.0' }],
    });
    expect(restored.body.results).toMatchObject({
      plugins: [{ new_version: '1.0', success: true }],
    });
    expect((await site.installedPlugins())[SHOP]).toBe('1.0');
    expect(await stateFiles()).toEqual(MOVED);
    expect(await readdir(await stateFolder(32))).toEqual(
      expect.arrayContaining(['.htaccess', 'index.php', 'lock']),
    );
  });

  it('is rolled back to the older version if the new one fails, and the older version works on', async () => {
    const broken = {
      'steward.php':
        '<?php\n/**\n * Plugin Name: Steward\n * Version: 0.2.0\n */\nno_such_function();',
    };
    await stub.offer(await copyPlugin(NEXT, broken), NEXT);
    const { body } = await selfUpdate(site, stub.sign);
    expect(body.results.plugins).toMatchObject([{ success: false, rolled_back: true }]);
    expect([await status(), await version()]).toEqual([200, OLDER_VERSION]);
    await updateShop();
    expect(await stateFiles()).toEqual(['computed']);
  });

  it('by WordPress keeps the folder during the probation, and the guard of the older version can restore it', async () => {
    await stub.offer(newer, NEXT);
    const admin = await openAdmin(site);
    await admin.checkForUpdates();
    expect(await admin.updateByAjax()).toMatch(/"success":true/);
    expect([await status(), await version()]).toEqual([200, NEXT]);
    await callWithLock();
    expect(await stateFiles()).toEqual(['computed']);
    await writeFile(content('plugins/steward/steward.php'), '<?php no_such_function();');
    await site.clearOpcache();
    await expect.poll(status, { timeout: 20_000 }).toBe(200);
    expect(await version()).toBe(OLDER_VERSION);
    await updateShop();
  });

  it('by WordPress moves the folder after the probation', async () => {
    await stub.offer(newer, NEXT);
    const admin = await openAdmin(site);
    await admin.checkForUpdates();
    expect(await admin.updateByAjax()).toMatch(/"success":true/);
    await site.runPhp(`
      $record = Steward\\Watchdog\\State::read( 'own-update.json' );
      Steward\\Watchdog\\State::write( 'own-update.json', [ 'started' => time() - 601 ] + $record );`);
    // The first request ends the probation, the second one removes the guard.
    expect([await status(), await status()]).toEqual([200, 200]);
    expect(existsSync(file(GUARD))).toBe(false);
    await callWithLock();
    expect(await stateFiles()).toEqual(MOVED);
    expect((await readdir(content('plugins'))).filter((name) => name.startsWith('.'))).toEqual([]);
  });
});

describe('the folder of the older version', () => {
  beforeEach(() => site.unpackPlugin(newer));

  it('is moved by a check-in, with the facts that outlive an update', async () => {
    const facts = {
      'own-failed.json': { version: '0.1.9' },
      'last-verdict.json': { call: 'c', restored: true },
    };
    for (const [name, fact] of Object.entries(facts)) {
      await writeFile(join(await stateFolder(16), name), JSON.stringify(fact));
    }
    await site.runPhp("do_action( 'steward_check_in' );");
    expect(await stateFiles()).toEqual(MOVED);
    for (const [name, fact] of Object.entries(facts)) {
      expect(
        JSON.parse(
          await site.runPhp(`echo json_encode( Steward\\Watchdog\\State::read( '${name}' ) );`),
        ),
      ).toEqual(fact);
    }
    const names = await readdir(await stateFolder(32));
    expect(names.filter((name) => name.endsWith('.json'))).toEqual([]);
  });

  it('stays while an update is in progress', async () => {
    const folder = await stateFolder(16);
    const path = content('plugins/gone');
    const item = { label: 'gone', path, new_path: path, backup: join(folder, 'previous-1') };
    const awaited = {
      call: 'c'.repeat(32),
      at: Math.floor(Date.now() / 1000),
      ticket: '',
      awaited: [item.backup],
    };
    const journal = { started: awaited.at, host: hostname(), items: [item], ...awaited };
    await writeFile(join(folder, 'in-flight.json'), JSON.stringify(journal));
    await site.runPhp("do_action( 'steward_check_in' );");
    expect(await stateFiles()).toEqual(['computed']);
    await rm(join(folder, 'in-flight.json'));
  });

  it('stays while another request holds its lock', async () => {
    const folder = await stateFolder(16);
    const printed = await site.runPhp(`
      $lock = fopen( '${folder}/lock', 'c' );
      flock( $lock, LOCK_EX );
      do_action( 'steward_check_in' );
      echo file_exists( '${folder}/lock' ) ? 'kept' : 'moved';
      flock( $lock, LOCK_UN );
      $lock = fopen( '${folder}/own-update.lock', 'c' );
      flock( $lock, LOCK_EX );
      do_action( 'steward_check_in' );
      echo file_exists( '${folder}/lock' ) ? 'kept' : 'moved';`);
    expect(printed).toBe('keptkept');
    await callWithLock();
    expect(await stateFiles()).toEqual(MOVED);
  });

  // The steps of a move: store the name, convert the data files, delete an older target, rename.
  for (const [step, kill] of [
    ['after the name was stored', async () => {}],
    [
      'after the data files were converted',
      async (folder: string) => {
        await writeFile(join(folder, 'own-failed.php'), '<?php exit; ?>\n{"version":"0.1.9"}');
        await rm(join(folder, 'own-failed.json'));
      },
    ],
    [
      'while an older target was deleted',
      async () => mkdir(content(`steward-${'a'.repeat(32)}/broken-1`), { recursive: true }),
    ],
  ] as const) {
    it(`is moved by the next call when a move was killed ${step}`, async () => {
      const folder = await stateFolder(16);
      await writeFile(join(folder, 'own-failed.json'), '{"version":"0.1.9"}');
      await writeFile(content('steward-state.php'), `<?php\nexit; // ${'a'.repeat(32)}\n`);
      await kill(folder);
      expect(await status()).toBe(200);
      await callWithLock();
      expect(await stateFiles()).toEqual(MOVED);
      const failed = join(content(`steward-${'a'.repeat(32)}`), 'own-failed.php');
      expect(await readFile(failed, 'utf8')).toContain('0.1.9');
    });
  }
});

describe('the older version, installed again by hand', () => {
  beforeEach(async () => {
    await site.unpackPlugin(newer);
    await callWithLock();
    expect(await stateFiles()).toEqual(MOVED);
    await installOlder();
    await updateShop();
    expect(await stateFiles()).toEqual(['computed', ...MOVED]);
  });

  it('is updated with one lock and one journal, and leaves one folder', async () => {
    await stub.offer(newer, NEXT);
    const { body } = await selfUpdate(site, stub.sign);
    expect(body.results.plugins).toMatchObject([{ success: true, new_version: NEXT }]);
    await updateShop();
    expect(await stateFiles()).toEqual(MOVED);
  });

  it('does not lose the journal of an update that the newer version could not finish', async () => {
    const folder = await stateFolder(32);
    const backup = join(folder, 'previous-1');
    const path = content('plugins/shop');
    await cp(path, backup, { recursive: true });
    await rename(path, `${path}-half`);
    const item = { label: SHOP, path, new_path: path, backup };
    const journal = { started: 1, host: hostname(), items: [item] };
    await writeFile(join(folder, 'in-flight.php'), `<?php exit; ?>\n${JSON.stringify(journal)}`);
    await site.unpackPlugin(newer);
    await callWithLock();
    expect([await status(), await stateFiles()]).toEqual([200, MOVED]);
    expect(existsSync(join(path, 'shop.php'))).toBe(true);
    expect(existsSync(join(folder, 'in-flight.php'))).toBe(false);
    await rm(`${path}-half`, { recursive: true });
  });
});
