import { existsSync } from 'node:fs';
import { readdir, unlink, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { SERVICE_KEY_HEADER } from '@steward/contract';
import { createSiteClient } from '@steward/panel/site-client';
import { describe, expect, it } from 'vitest';
import { useLicensedSite } from './support/use-licensed-site.ts';

const FATAL = 'this_function_does_not_exist();';
const KILL = 'posix_kill( getmypid(), SIGKILL );';
const wordpress = useLicensedSite();

const page = async (path = '/') => (await fetch(wordpress.site.url + path)).status;

/** Runs the bulk update in a separate process, so that the kill does not hit the web server. */
async function runKilledUpdate() {
  const before = await countLoggedCalls();
  const update = wordpress.site.runPhp(`
    $request = new WP_REST_Request( 'POST', '/service/v1/remote/update' );
    $request->set_header( '${SERVICE_KEY_HEADER}', '${wordpress.site.key}' );
    echo wp_json_encode( rest_do_request( $request )->get_data() );
  `);
  await expect(update).rejects.toThrow();
  // The site logs the call before it changes anything.
  expect(await countLoggedCalls()).toBe(before + 1);
}

const countLoggedCalls = async () =>
  (await wordpress.site.query("SELECT 1 FROM wp_options WHERE option_name LIKE 'steward_call_%'"))
    .length;

async function expectRolledBack() {
  const { plugins, active } = await wordpress.readInstalled();
  expect([plugins['shop/shop.php'], active]).toEqual(['1.0', ['shop/shop.php']]);
  expect(existsSync(join(wordpress.site.root, '.maintenance'))).toBe(false);
  expect(existsSync(join(await wordpress.stateFolder(), 'in-flight.php'))).toBe(false);
}

describe('killed update', () => {
  // Each hook is a stage: nothing replaced; old version moved away; new version in place but not verified.
  for (const [moment, hook] of [
    ['before anything is replaced', 'upgrader_pre_install'],
    ['after the old version was moved away', 'upgrader_clear_destination'],
    ['after the new version is in place', 'upgrader_post_install'],
  ] as const) {
    for (const [kind, body] of [
      ['good', ''],
      ['fatal', FATAL],
    ] as const) {
      it(`${moment} (${kind}) is rolled back by the next request, and the next update works`, async () => {
        await wordpress.plugin('shop');
        await wordpress.offerPlugin('shop', { body });
        const killer = await wordpress.mustUse(`add_filter( '${hook}', function () { ${KILL} } );`);
        await runKilledUpdate();
        await killer.remove();
        await wordpress.site.clearOpcache();
        expect(await page()).toBe(200);
        await expectRolledBack();

        await wordpress.offerPlugin('shop');
        expect((await wordpress.update()).success).toBe(true);
        expect((await wordpress.readInstalled()).plugins['shop/shop.php']).toBe('2.0');
        expect(
          (await readdir(await wordpress.stateFolder())).filter((name) =>
            /^(previous|broken|done)/.test(name),
          ),
        ).toEqual([]);
      });
    }
  }

  it('is rolled back by the next call of the panel when the watchdog is missing', async () => {
    await wordpress.plugin('shop');
    await wordpress.offerPlugin('shop');
    const killer = await wordpress.mustUse(
      `add_filter( 'upgrader_post_install', function () {
        unlink( WPMU_PLUGIN_DIR . '/steward-watchdog.php' );
        unlink( ABSPATH . '.maintenance' );
        ${KILL}
      } );`,
    );
    await runKilledUpdate();
    await killer.remove();
    await wordpress.site.clearOpcache();
    expect((await wordpress.call('sync')).status).toBe(200);
    await expectRolledBack();
  });

  it('is logged', async () => {
    await wordpress.plugin('shop');
    await wordpress.offerPlugin('shop');
    const killer = await wordpress.mustUse(
      `add_filter( 'upgrader_post_install', function () { ${KILL} } );`,
    );
    await runKilledUpdate();
    await killer.remove();
    await wordpress.site.clearOpcache();
    await page();
    // The watchdog runs before WordPress enables debug.log, so the message is in PHP's log.
    expect(await wordpress.site.serverLog()).toMatch(/update of shop\/shop\.php was interrupted/);
  });
});

describe('update that ends with a fatal error or exit', () => {
  for (const [what, code, reason] of [
    [
      'an uncatchable fatal error',
      'ini_set( "memory_limit", "300M" ); str_repeat( "x", 1 << 30 );',
      /memory/,
    ],
    ['a plugin that exits', 'echo "<h1>Bye</h1>"; exit;', /ended the request/],
  ] as const) {
    it(`responds with JSON, rolls back and releases the lock: ${what}`, async () => {
      await wordpress.plugin('shop');
      await wordpress.offerPlugin('shop');
      const deadly = await wordpress.mustUse(
        `add_filter( 'upgrader_post_install', function () { ${code} } );`,
      );
      const { status, body } = await wordpress.call('update');
      expect([status, body.success, body.code]).toEqual([500, false, 'action_failed']);
      expect(body.error).toMatch(reason);
      await deadly.remove();
      await wordpress.site.clearOpcache();
      await expectRolledBack();
      expect((await wordpress.update()).success).toBe(true);
    });
  }
});

describe('writer lock', () => {
  const now = () => String(Math.floor(Date.now() / 1000));
  const sync = async () => (await wordpress.call('sync')).status;

  it('is taken over at once when its process on this host is dead', async () => {
    await wordpress.site.setOption('steward_lock_holder', hostname());
    await wordpress.site.setOption('steward.lock', now());
    await wordpress.site.setOption('auto_updater.lock', now());
    expect(await sync()).toBe(200);
    expect(await wordpress.site.getOption('steward.lock')).toBeUndefined();
  });

  it('is valid for 15 minutes when another host holds it', async () => {
    await wordpress.site.setOption('steward_lock_holder', 'another-web-server');
    await wordpress.site.setOption('steward.lock', now());
    expect(await sync()).toBe(409);
    await wordpress.site.setOption('steward.lock', String(Number(now()) - 16 * 60));
    expect(await sync()).toBe(200);
  });

  it('is respected when WordPress runs automatic updates', async () => {
    await wordpress.site.setOption('auto_updater.lock', now());
    expect(await sync()).toBe(409);
    expect(await wordpress.site.getOption('auto_updater.lock')).toBeDefined();
    await wordpress.site.deleteOption('auto_updater.lock');
    expect(await sync()).toBe(200);
  });
});

describe('one writer per site', () => {
  it('is enforced where flock does not work', async () => {
    await wordpress.mustUse(
      'namespace Steward\\Updating; function flock( $f, $o, &$w = null ) { $w = 0; return false; }',
    );
    await wordpress.plugin('shop');
    await wordpress.offerPlugin('shop');
    await wordpress.site.changeSettings({ updateMs: 1500 });
    const first = wordpress.update();
    await expect.poll(() => wordpress.site.getOption('steward.lock')).toBeDefined();
    expect((await wordpress.call('update')).status).toBe(409);
    expect((await first).success).toBe(true);
    await wordpress.site.changeSettings({ updateMs: 0 });
  });

  it('releases the lock with the request, even if a child process keeps running', async () => {
    await wordpress.mustUse(
      `add_action( 'upgrader_process_complete', function () { exec( 'sleep 5 > /dev/null 2>&1 &' ); } );`,
    );
    await wordpress.plugin('shop');
    await wordpress.offerPlugin('shop');
    expect((await wordpress.update()).success).toBe(true);
    expect((await wordpress.call('sync')).status).toBe(200);
  });
});

describe('maintenance mode', () => {
  it('is removed when it is stale', async () => {
    const file = join(wordpress.site.root, '.maintenance');
    await writeFile(file, '<?php $upgrading = 1;');
    expect((await wordpress.call('sync')).status).toBe(200);
    expect(existsSync(file)).toBe(false);
  });

  it('is reported as busy, so that the panel retries', async () => {
    const file = join(wordpress.site.root, '.maintenance');
    await writeFile(file, '<?php $upgrading = time();');
    const timeouts = { connectSeconds: 10, actionSeconds: 60, updateSeconds: 60 };
    const signer = { sign: async () => [], nonceFor: () => '0'.repeat(32) };
    const client = createSiteClient({ allowPrivateSites: true, timeouts, signer });
    const { url: siteUrl, key: serviceKey } = wordpress.site;
    try {
      expect(await client.bulkUpdate({ siteUrl, endpointUrl: null, serviceKey })).toMatchObject({
        kind: 'busy',
        httpStatus: 503,
      });
    } finally {
      await unlink(file);
      await client.close();
    }
  });

  it('covers only the swap, not the download', async () => {
    await wordpress.plugin('shop');
    await wordpress.offerPlugin('shop');
    await wordpress.site.changeSettings({ updateMs: 1500 });
    const update = wordpress.update();
    await expect.poll(() => wordpress.site.getOption('steward.lock')).toBeDefined();
    expect(await page()).toBe(200);
    expect((await update).success).toBe(true);
    await wordpress.site.changeSettings({ updateMs: 0 });
  });
});
