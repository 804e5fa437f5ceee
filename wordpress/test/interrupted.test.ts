import { existsSync } from 'node:fs';
import { readdir, unlink, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { SERVICE_KEY_HEADER } from '@steward/contract';
import { createSiteClient } from '@steward/panel/site-client/index.ts';
import { describe, expect, it } from 'vitest';
import { useLicensedSite } from './support/use-licensed-site.ts';

const FATAL = 'this_function_does_not_exist();';
const KILL = 'posix_kill( getmypid(), SIGKILL );';
const wordpress = useLicensedSite();

const page = async (path = '/') => (await fetch(wordpress.site.url + path)).status;

/** A bulk update in a process of its own: the process that is killed must not be the web server's first. */
async function updateThatDies() {
  const before = await loggedCalls();
  const update = wordpress.site.runPhp(`
    $request = new WP_REST_Request( 'POST', '/service/v1/remote/update' );
    $request->set_header( '${SERVICE_KEY_HEADER}', '${wordpress.site.key}' );
    echo wp_json_encode( rest_do_request( $request )->get_data() );
  `);
  await expect(update).rejects.toThrow();
  // The call is in the log before anything is touched.
  expect(await loggedCalls()).toBe(before + 1);
}

const loggedCalls = async () =>
  (await wordpress.site.query("SELECT 1 FROM wp_options WHERE option_name LIKE 'steward_call_%'"))
    .length;

async function expectAllAsBefore() {
  const { plugins, active } = await wordpress.look();
  expect([plugins['shop/shop.php'], active]).toEqual(['1.0', ['shop/shop.php']]);
  expect(existsSync(join(wordpress.site.root, '.maintenance'))).toBe(false);
  expect(existsSync(join(await wordpress.stateFolder(), 'in-flight.json'))).toBe(false);
}

describe('an update that is killed', () => {
  // Each hook is a moment: nothing replaced yet; old version away; new one in place; new one not yet looked at.
  for (const [moment, hook] of [
    ['before anything is replaced', 'upgrader_pre_install'],
    ['while the old version is away', 'upgrader_clear_destination'],
    ['when the new version is in place', 'upgrader_post_install'],
  ] as const) {
    for (const [kind, body] of [
      ['good', ''],
      ['fatal', FATAL],
    ] as const) {
      it(`${moment} (${kind}) is undone by the next visitor, and the next update works`, async () => {
        await wordpress.plugin('shop');
        await wordpress.offerPlugin('shop', { body });
        const killer = await wordpress.mustUse(`add_filter( '${hook}', function () { ${KILL} } );`);
        await updateThatDies();
        await killer.remove();
        await wordpress.site.clearOpcache();
        expect(await page()).toBe(200);
        await expectAllAsBefore();

        await wordpress.offerPlugin('shop');
        expect((await wordpress.update()).success).toBe(true);
        expect((await wordpress.look()).plugins['shop/shop.php']).toBe('2.0');
        expect(
          (await readdir(await wordpress.stateFolder())).filter((name) =>
            /^(previous|broken|done)/.test(name),
          ),
        ).toEqual([]);
      });
    }
  }

  it('is undone by the next call of the panel where the watchdog is missing', async () => {
    await wordpress.plugin('shop');
    await wordpress.offerPlugin('shop');
    const killer = await wordpress.mustUse(
      `add_filter( 'upgrader_post_install', function () {
        unlink( WPMU_PLUGIN_DIR . '/steward-watchdog.php' );
        unlink( ABSPATH . '.maintenance' );
        ${KILL}
      } );`,
    );
    await updateThatDies();
    await killer.remove();
    await wordpress.site.clearOpcache();
    expect((await wordpress.call('sync')).status).toBe(200);
    await expectAllAsBefore();
  });

  it('says so in the log', async () => {
    await wordpress.plugin('shop');
    await wordpress.offerPlugin('shop');
    const killer = await wordpress.mustUse(
      `add_filter( 'upgrader_post_install', function () { ${KILL} } );`,
    );
    await updateThatDies();
    await killer.remove();
    await wordpress.site.clearOpcache();
    await page();
    // Before WordPress knows of its debug.log, so it is PHP's own.
    expect(await wordpress.site.serverLog()).toMatch(/update of shop\/shop\.php was interrupted/);
  });
});

describe('an update that dies of a fatal error or an exit', () => {
  for (const [what, code, reason] of [
    [
      'a fatal error nobody can catch',
      'ini_set( "memory_limit", "300M" ); str_repeat( "x", 1 << 30 );',
      /memory/,
    ],
    ['a plugin that exits', 'echo "<h1>Bye</h1>"; exit;', /ended the request/],
  ] as const) {
    it(`answers with JSON, leaves the old version in place and the lock free: ${what}`, async () => {
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
      await expectAllAsBefore();
      expect((await wordpress.update()).success).toBe(true);
    });
  }
});

describe('a lock that was left behind', () => {
  const now = () => String(Math.floor(Date.now() / 1000));
  const sync = async () => (await wordpress.call('sync')).status;

  it('is taken over at once when its holder died on this machine', async () => {
    await wordpress.site.setOption('steward_lock_holder', hostname());
    await wordpress.site.setOption('steward.lock', now());
    await wordpress.site.setOption('auto_updater.lock', now());
    expect(await sync()).toBe(200);
    expect(await wordpress.site.getOption('steward.lock')).toBeUndefined();
  });

  it('counts for a quarter of an hour when it was taken on another machine', async () => {
    await wordpress.site.setOption('steward_lock_holder', 'another-web-server');
    await wordpress.site.setOption('steward.lock', now());
    expect(await sync()).toBe(409);
    await wordpress.site.setOption('steward.lock', String(Number(now()) - 16 * 60));
    expect(await sync()).toBe(200);
  });

  it('is respected when WordPress itself updates in the background', async () => {
    await wordpress.site.setOption('auto_updater.lock', now());
    expect(await sync()).toBe(409);
    expect(await wordpress.site.getOption('auto_updater.lock')).toBeDefined();
    await wordpress.site.deleteOption('auto_updater.lock');
    expect(await sync()).toBe(200);
  });
});

describe('one writer', () => {
  it('holds where files cannot be locked', async () => {
    await wordpress.mustUse(
      'namespace Steward\\Updating; function flock( $f, $o, &$w = null ) { $w = 0; return false; }',
    );
    await wordpress.plugin('shop');
    await wordpress.offerPlugin('shop');
    await wordpress.site.behave({ updateMs: 1500 });
    const first = wordpress.update();
    await expect.poll(() => wordpress.site.getOption('steward.lock')).toBeDefined();
    expect((await wordpress.call('update')).status).toBe(409);
    expect((await first).success).toBe(true);
    await wordpress.site.behave({ updateMs: 0 });
  });

  it('is over with the request, though a program it started goes on', async () => {
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
  it('that somebody left behind long ago is over', async () => {
    const file = join(wordpress.site.root, '.maintenance');
    await writeFile(file, '<?php $upgrading = 1;');
    expect((await wordpress.call('sync')).status).toBe(200);
    expect(existsSync(file)).toBe(false);
  });

  it('is told to the panel so that it may ask again: nothing was begun', async () => {
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

  it('lasts for the swap alone, not for the download', async () => {
    await wordpress.plugin('shop');
    await wordpress.offerPlugin('shop');
    await wordpress.site.behave({ updateMs: 1500 });
    const update = wordpress.update();
    await expect.poll(() => wordpress.site.getOption('steward.lock')).toBeDefined();
    expect(await page()).toBe(200);
    expect((await update).success).toBe(true);
    await wordpress.site.behave({ updateMs: 0 });
  });
});
