import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writePlugin } from '@steward/testkit/wordpress/packages.ts';
import { describe, expect, it } from 'vitest';
import { expectQuiet } from './support/debug-log.ts';
import { useLicensedSite } from './support/use-licensed-site.ts';

const FATAL = 'this_function_does_not_exist();';
const wordpress = useLicensedSite();

const page = async () => (await fetch(wordpress.site.url)).status;

async function expectFailure(action: string, file: string, reason: RegExp) {
  const { status, body } = await wordpress.act(action, file);
  expect([status, body.code]).toEqual([500, 'action_failed']);
  expect(body.error).toMatch(reason);
  expect(await page()).toBe(200);
}

describe('activate', () => {
  for (const [what, options, reason] of [
    ['WordPress refuses it', { requiresPhp: '99.0' }, /99\.0/],
    ['a required plugin is missing', { requires: 'parent, other' }, /parent, other/],
    ['it throws', { body: 'throw new Exception( "Not today." );' }, /Not today/],
    ['it has a fatal error', { body: FATAL }, /this_function_does_not_exist/],
    ['it cannot be compiled', { body: 'function {' }, /syntax error/],
    [
      'it has an uncatchable fatal error',
      { body: 'function wp_head() {}' },
      /redeclare (function )?wp_head/,
    ],
    [
      'it breaks all later pages',
      { body: `add_action( 'init', function () { ${FATAL} } );` },
      /breaks the site: .*this_function_does_not_exist/,
    ],
    ['it ends the request', { body: 'exit;' }, /ended the request/],
  ] as const) {
    it(`fails and leaves the plugin inactive when ${what}`, async () => {
      const file = await wordpress.plugin('shop', { active: false, ...options });
      await expectFailure('activate', file, reason);
      expect((await wordpress.readInstalled()).active).toEqual([]);
    });
  }

  it('activates a plugin whose required plugin is active', async () => {
    await wordpress.plugin('parent');
    const file = await wordpress.plugin('child', { active: false, requires: 'parent' });
    expect((await wordpress.act('activate', file)).status).toBe(200);
    expect((await wordpress.readInstalled()).active).toEqual([
      'child/child.php',
      'parent/parent.php',
    ]);
    await expectQuiet(wordpress.site);
  });

  it('runs the activation hook once', async () => {
    const file = await wordpress.plugin('shop', {
      active: false,
      body: `register_activation_hook( __FILE__, function () {
        update_option( 'shop_activations', 1 + (int) get_option( 'shop_activations' ) );
      } );`,
    });
    await wordpress.act('activate', file);
    await wordpress.act('activate', file);
    expect(await wordpress.site.getOption('shop_activations')).toBe('1');
  });
});

describe('deactivate', () => {
  it('is rolled back when the site does not work without the plugin', async () => {
    await wordpress.plugin('library', { body: 'function library() {}' });
    await wordpress.plugin('shop', { body: "add_action( 'init', function () { library(); } );" });
    const file = 'library/library.php';
    await expectFailure('deactivate', file, /does not work without this plugin: .*library/);
    await expectFailure('delete', file, /does not work without this plugin/);
    expect((await wordpress.readInstalled()).active).toContain(file);
    expect((await wordpress.readInstalled()).plugins[file]).toBe('1.0');
  });
});

describe('delete', () => {
  it('runs uninstall.php and removes the folder', async () => {
    const file = await wordpress.plugin('shop');
    const folder = join(wordpress.site.root, 'wp-content/plugins/shop');
    await writeFile(join(folder, 'uninstall.php'), "<?php update_option( 'shop_gone', 'yes' );");
    expect((await wordpress.act('delete', file)).status).toBe(200);
    expect(existsSync(folder)).toBe(false);
    expect(await wordpress.site.getOption('shop_gone')).toBe('yes');
    await expectQuiet(wordpress.site);
  });

  it('refuses to delete a folder that contains another plugin', async () => {
    await wordpress.plugin('shop');
    await wordpress.plugin('extra', { file: 'shop/extra.php' });
    await expectFailure('delete', 'shop/shop.php', /extra/);
    expect((await wordpress.readInstalled()).active).toEqual(['shop/extra.php', 'shop/shop.php']);
    expect((await wordpress.act('deactivate', 'shop/extra.php')).status).toBe(200);
    await expectFailure('delete', 'shop/shop.php', /extra/);
  });
});

describe('file that is not a plugin', () => {
  it('is not found: must-use plugin, drop-in, file without a header', async () => {
    const content = join(wordpress.site.root, 'wp-content');
    await writeFile(join(content, 'maintenance.php'), '<?php // Drop-in.');
    await writePlugin(wordpress.site, 'shop', '1.0');
    await writeFile(join(content, 'plugins/shop/helper.php'), '<?php // No header.');
    for (const plugin of [
      'test-bed.php',
      'maintenance.php',
      'shop/helper.php',
      'steward-watchdog.php',
    ]) {
      const { status, body } = await wordpress.act('delete', plugin);
      expect([plugin, status, body.code]).toEqual([plugin, 404, 'plugin_not_found']);
    }
    expect(existsSync(join(content, 'mu-plugins/test-bed.php'))).toBe(true);
  });
});

describe('site with disabled file changes', () => {
  for (const [what, constants] of [
    ['by DISALLOW_FILE_MODS', { DISALLOW_FILE_MODS: true }],
    ['without FTP credentials', { FS_METHOD: 'ftpext' }],
  ] as const) {
    it(`refuses updates and deletions ${what}, but activates and deactivates plugins`, async () => {
      const file = await wordpress.plugin('shop');
      await wordpress.site.setConstants(constants);
      for (const action of ['update', 'delete']) {
        expect((await wordpress.act(action, file)).body.code).toBe('file_changes_disabled');
      }
      expect((await wordpress.call('update')).body.code).toBe('file_changes_disabled');
      expect((await wordpress.act('deactivate', file)).status).toBe(200);
      expect((await wordpress.act('activate', file)).status).toBe(200);
      await wordpress.site.setConstants({});
      await expectQuiet(wordpress.site);
    });
  }
});
