import { existsSync } from 'node:fs';
import { chown, cp, mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pluginFiles } from '@steward/conformance/item-packages.ts';
import { run } from '@steward/testkit/command.ts';
import { describe, expect, it, onTestFinished } from 'vitest';
import { usePackageCalls } from './support/use-package-calls.ts';
import { useUpdatedSite } from './support/use-updated-site.ts';

// PHP runs as an unprivileged user, as on a real server.
const wordpress = useUpdatedSite({ user: 'www-data' });
const { install, publish } = usePackageCalls(wordpress);
const pluginFolder = (name: string) => join(wordpress.site.root, 'wp-content/plugins', name);
const MEGABYTE = 1024 ** 2;

/** Mounts a small file system that a test can fill. */
async function mountAt(folder: string, bytes: number) {
  await run('mount', ['-t', 'tmpfs', '-o', `size=${bytes},mode=777`, 'tmpfs', folder]);
  onTestFinished(async () => {
    await run('umount', ['-l', folder]);
  });
}

/** Moves wp-content/plugins to its own disk. */
async function movePluginsToOwnDisk(bytes: number) {
  const plugins = pluginFolder('');
  const aside = join(wordpress.site.folder, 'plugins');
  await cp(plugins, aside, { recursive: true });
  await mountAt(plugins, bytes);
  await cp(aside, plugins, { recursive: true });
  await rm(aside, { recursive: true });
  await wordpress.site.chownFiles();
}

describe('folder that PHP cannot change', () => {
  it('is not deleted, and its plugin stays active', async () => {
    const file = await wordpress.plugin('shop', { files: { 'inc/shop.php': '<?php' } });
    await chown(pluginFolder('shop/inc'), 0, 0);
    const { status, body } = await wordpress.act('delete', file);
    expect([status, body.code]).toEqual([500, 'action_failed']);
    expect(body.error).toMatch(/folder wp-content\/plugins\/shop\/inc: it belongs to root\./);
    const { plugins, active } = await wordpress.readInstalled();
    expect([plugins[file], active]).toEqual(['1.0', [file]]);
  });

  it('is not updated, and the error names it', async () => {
    const file = await wordpress.plugin('shop', { files: { 'inc/shop.php': '<?php' } });
    await chown(pluginFolder('shop/inc'), 0, 0);
    await wordpress.offerPlugin('shop');
    expect((await wordpress.act('update', file)).body.error).toMatch(
      /plugins\/shop\/inc: it belongs/,
    );
    await wordpress.site.chownFiles();
    expect((await wordpress.act('update', file)).status).toBe(200);
  });

  it('is named in the error when it is the upgrade folder', async () => {
    const upgrade = join(wordpress.site.root, 'wp-content/upgrade');
    await mkdir(upgrade, { recursive: true });
    const file = await wordpress.plugin('shop');
    await chown(upgrade, 0, 0);
    onTestFinished(() => wordpress.site.chownFiles());
    await wordpress.offerPlugin('shop');
    expect((await wordpress.act('update', file)).body.error).toMatch(/folder wp-content\/upgrade/);
  });
});

describe('folder of all plugins that PHP cannot change', () => {
  it('gets no new plugin, and the code names the reason', async () => {
    await chown(pluginFolder(''), 0, 0);
    onTestFinished(() => wordpress.site.chownFiles());
    const item = { type: 'plugin' as const, slug: 'fresh/fresh.php', version: '1.0' };
    const [result] = await install({ ...item, package: publish(pluginFiles('fresh', '1.0')) });
    expect(result).toMatchObject({ success: false, code: 'folder_not_writable' });
    expect(result?.error).toMatch(/folder wp-content\/plugins: it belongs to root\./);
  });
});

describe('disabled file changes', () => {
  for (const [what, constants, reason] of [
    ['by a constant', { DISALLOW_FILE_MODS: true }, /DISALLOW_FILE_MODS is set/],
    [
      'except by FTP',
      { FS_METHOD: 'ftpext' },
      /changes files with ftpext.*plugins belongs to www-data/,
    ],
  ] as const) {
    it(`${what} are reported with their reason`, async () => {
      const file = await wordpress.plugin('shop');
      await wordpress.site.setConstants(constants);
      onTestFinished(() => wordpress.site.setConstants({}));
      const { status, body } = await wordpress.act('update', file);
      expect([status, body.code]).toEqual([403, 'file_changes_disabled']);
      expect(body.error).toMatch(reason);
    });
  }

  it('by a plugin are reported with their reason', async () => {
    const file = await wordpress.plugin('shop');
    await wordpress.site.changeSettings({ fileChangesDisabled: true });
    onTestFinished(() => wordpress.site.changeSettings({ fileChangesDisabled: false }));
    expect((await wordpress.act('delete', file)).body.error).toMatch(/filter file_mod_allowed/);
  });
});

describe('plugins on their own disk', () => {
  it('are updated and rolled back without leftovers', async () => {
    await movePluginsToOwnDisk(20 * MEGABYTE);
    const file = await wordpress.plugin('shop');
    await wordpress.offerPlugin('shop', { body: 'no_such_function();' });
    expect((await wordpress.act('update', file)).body.error).toMatch(/Rolled back to version 1\.0/);
    await wordpress.offerPlugin('shop');
    expect((await wordpress.act('update', file)).status).toBe(200);
    expect((await wordpress.readInstalled()).plugins[file]).toBe('2.0');
    expect((await readdir(pluginFolder(''))).toSorted()).toEqual(['shop', 'steward']);
  });

  it('are unchanged when the disk has no space for the new version', async () => {
    await movePluginsToOwnDisk(6 * MEGABYTE);
    const file = await wordpress.plugin('shop');
    await wordpress.offerPlugin('shop', { files: { 'big.txt': createNoise(8 * MEGABYTE) } });
    expect((await wordpress.act('update', file)).body.error).toMatch(
      /disk space in wp-content\/plugins: 9\.0 MB is needed, but only [345]\.\d MB is free/,
    );
    expect((await wordpress.readInstalled()).plugins[file]).toBe('1.0');
  });

  it('get no new plugin when the disk has no space for it', async () => {
    await movePluginsToOwnDisk(6 * MEGABYTE);
    const files = [
      ...pluginFiles('fresh', '1.0'),
      { name: 'fresh/big.txt', content: createNoise(8 * MEGABYTE) },
    ];
    const item = { type: 'plugin' as const, slug: 'fresh/fresh.php', version: '1.0' };
    const [result] = await install({ ...item, package: publish(files) });
    expect(result).toMatchObject({ success: false, new_version: '', code: 'disk_full' });
    expect(result?.error).toMatch(/disk space in wp-content\/plugins/);
    expect((await readdir(pluginFolder(''))).toSorted()).toEqual(['steward']);
  });

  it('are rolled back when the disk fills during the copy', async () => {
    await movePluginsToOwnDisk(20 * MEGABYTE);
    const file = await wordpress.plugin('shop');
    await wordpress.offerPlugin('shop', { files: { 'big.txt': createNoise(4 * MEGABYTE) } });
    // Another file fills the disk at that moment.
    await wordpress.mustUse(
      `add_filter( 'upgrader_clear_destination', function ( $result ) {
        @file_put_contents( WP_PLUGIN_DIR . '/other.log', str_repeat( 'x', 17 * MB_IN_BYTES ) );
        return $result;
      } );`,
    );
    expect((await wordpress.act('update', file)).body.error).toMatch(
      /Not enough disk space.* Rolled back to version 1\.0/,
    );
    const { plugins, active } = await wordpress.readInstalled();
    expect([plugins[file], active]).toEqual(['1.0', [file]]);
    await rm(pluginFolder('other.log'));
  });
});

describe('full temporary folder', () => {
  it('is named in the error instead of a broken package', async () => {
    const temporary = join(wordpress.site.folder, 'temporary');
    await mkdir(temporary, { recursive: true });
    await mountAt(temporary, 2 * MEGABYTE);
    await wordpress.site.setConstants({ WP_TEMP_DIR: temporary });
    onTestFinished(() => wordpress.site.setConstants({}));
    const file = await wordpress.plugin('shop', {
      files: { 'big.txt': createNoise(4 * MEGABYTE) },
    });
    await wordpress.offerPlugin('shop', { files: { 'big.txt': createNoise(4 * MEGABYTE) } });
    const { error } = (await wordpress.act('update', file)).body;
    expect(error).toMatch(/temporary: 3\.0 MB is needed, but only 2\.0 MB is free/);
    expect((await wordpress.readInstalled()).plugins[file]).toBe('1.0');
  });
});

describe('previous version that can be neither saved nor deleted', () => {
  it('is reported, and the update succeeds', async () => {
    await wordpress.plugin('shop', { files: { 'inc/shop.php': '<?php' } });
    await wordpress.offerPlugin('shop');
    await wordpress.mustUse(
      `add_action( 'upgrader_process_complete', function () {
        foreach ( glob( WP_CONTENT_DIR . '/steward-*/previous-*/inc' ) as $folder ) { chmod( $folder, 0555 ); }
        foreach ( glob( WP_CONTENT_DIR . '/steward-saved-*' ) as $folder ) { chmod( $folder, 0555 ); }
      } );`,
    );
    const { success, results, errors } = await wordpress.update();
    expect([success, results.plugins[0]?.new_version]).toEqual([true, '2.0']);
    expect(errors).toContainEqual({
      type: 'system',
      slug: null,
      error: expect.stringMatching(/previous version could not be deleted\. Delete .*\/previous-/),
    });
    const folder = await wordpress.stateFolder();
    const [left] = (await readdir(folder)).filter((name) => name.startsWith('previous-'));
    expect(existsSync(join(folder, left ?? '', 'inc/shop.php'))).toBe(true);
    await rm(join(folder, left ?? 'none'), { recursive: true });
  });
});

/** Random text, which does not compress well. */
function createNoise(length: number): string {
  const letters = Array.from({ length }, () => String.fromCharCode(33 + Math.random() * 90));
  return letters.join('');
}
