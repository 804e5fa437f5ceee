import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { plugin, theme } from './support/update-items.ts';
import { useUpdatedSite } from './support/use-updated-site.ts';

const FATAL = 'this_function_does_not_exist();';
const wordpress = useUpdatedSite();
const plugins = () => join(wordpress.site.root, 'wp-content/plugins');

describe('package with another version than offered', () => {
  it('is installed when it is newer', async () => {
    await wordpress.plugin('shop');
    await wordpress.offerPlugin('shop', { version: '2.1' });
    const { results } = await wordpress.update();
    expect(results.plugins).toMatchObject([
      { slug: 'shop/shop.php', old_version: '1.0', new_version: '2.1', success: true },
    ]);
  });

  it('is refused before any change when the call named the version', async () => {
    const file = await wordpress.plugin('shop');
    await wordpress.offerPlugin('shop', { version: '2.1' });
    await wordpress.offerTheme('plain', { version: '2.1' });
    const { results } = await wordpress.update([plugin(file, '2.0'), theme('plain', '2.0')]);
    for (const result of [results.plugins[0], results.themes[0]]) {
      expect(result).toMatchObject({
        old_version: '1.0',
        new_version: '1.0',
        success: false,
        code: 'offer_changed',
        error: 'The package contains version 2.1, not 2.0. No changes were made.',
      });
      expect(result).not.toHaveProperty('rolled_back');
    }
  });

  it('is installed under another spelling of the named version', async () => {
    const file = await wordpress.plugin('shop');
    await wordpress.offerPlugin('shop', { version: '2.0.0' });
    const { results } = await wordpress.update([plugin(file, '2.0')]);
    expect(results.plugins).toMatchObject([{ new_version: '2.0.0', success: true }]);
  });
});

describe('refused package', () => {
  it('leaves no unpacked files', async () => {
    const file = await wordpress.plugin('shop');
    await wordpress.offerPlugin('shop', { requiresPhp: '99.0' });
    expect((await wordpress.act('update', file)).body.error).toMatch(/requires.* 99\.0/);
    const upgrade = join(wordpress.site.root, 'wp-content/upgrade');
    expect(existsSync(upgrade) ? await readdir(upgrade) : []).toEqual([]);
  });

  it('names the required plugins that are not active', async () => {
    await wordpress.plugin('library', { active: false });
    const file = await wordpress.plugin('shop');
    await wordpress.offerPlugin('shop', { requires: 'library, other' });
    expect((await wordpress.act('update', file)).body.error).toMatch(
      /requires plugins that are not active: library, other\./,
    );
    expect((await wordpress.readInstalled()).plugins[file]).toBe('1.0');
  });
});

describe('plugin whose new version renames its main file', () => {
  const renamed = { file: 'shop/store.php' };

  it('is active under the new name, which the response contains', async () => {
    const file = await wordpress.plugin('shop');
    await wordpress.offerPlugin('shop', renamed);
    expect((await wordpress.act('update', file)).body).toEqual({
      success: true,
      action: 'update',
      plugin: file,
      new_plugin: 'shop/store.php',
      checked: { pages_planned: 7, pages_compared: 7 },
    });
    const { plugins, active } = await wordpress.readInstalled();
    expect([plugins, active]).toEqual([
      expect.objectContaining({ 'shop/store.php': '2.0' }),
      ['shop/store.php'],
    ]);
  });

  it('is updated when both versions define the same functions', async () => {
    const body = "function shop_greets() {} class Shop {} add_action( 'init', 'shop_greets' );";
    const file = await wordpress.plugin('shop', { body });
    await wordpress.plugin('other');
    await wordpress.offerPlugin('shop', { ...renamed, body });
    await wordpress.offerPlugin('other');
    expect((await wordpress.update()).success).toBe(true);
    expect((await wordpress.readInstalled()).active).toEqual(['other/other.php', 'shop/store.php']);
    expect((await wordpress.readInstalled()).plugins[file]).toBeUndefined();
  });

  it('is active under its old name after a killed update', async () => {
    const file = await wordpress.plugin('shop');
    await wordpress.offerPlugin('shop', renamed);
    const killer = await wordpress.mustUse(
      `add_filter( 'steward_health_check_timeout', function ( $seconds ) {
        static $checks = 0;
        if ( 4 === ++$checks ) { posix_kill( getmypid(), 9 ); }
        return $seconds;
      } );`,
    );
    const killed = await fetch(`${wordpress.site.url}/wp-json/service/v1/remote/update`, {
      method: 'POST',
      headers: { 'x-service-key': wordpress.site.key },
    });
    expect(killed.status).toBe(502);
    await killer.remove();
    await wordpress.site.clearOpcache();
    expect(await wordpress.status('/')).toBe(200);
    const { plugins, active } = await wordpress.readInstalled();
    expect([plugins[file], plugins['shop/store.php'], active]).toEqual(['1.0', undefined, [file]]);
    await wordpress.call('sync');
  });

  it('stays inactive', async () => {
    await wordpress.plugin('shop', { active: false });
    await wordpress.offerPlugin('shop', renamed);
    expect((await wordpress.update()).results.plugins).toMatchObject([
      { slug: 'shop/shop.php', new_version: '2.0', success: true, new_plugin: 'shop/store.php' },
    ]);
    expect((await wordpress.readInstalled()).active).toEqual([]);
  });

  it('is active under its old name after a roll-back', async () => {
    const file = await wordpress.plugin('shop');
    await wordpress.offerPlugin('shop', { ...renamed, body: FATAL });
    expect((await wordpress.act('update', file)).body.error).toMatch(/this_function.* Rolled back/);
    const { plugins, active } = await wordpress.readInstalled();
    expect([plugins[file], plugins['shop/store.php'], active]).toEqual(['1.0', undefined, [file]]);
  });

  it('is refused when the package contains several plugins', async () => {
    const file = await wordpress.plugin('shop');
    const header = '<?php\n/** Plugin Name: Other */\n';
    await wordpress.offerPlugin('shop', { ...renamed, files: { 'other.php': header } });
    expect((await wordpress.act('update', file)).body.error).toMatch(
      /does not contain shop\/shop\.php/,
    );
  });
});

describe('single-file plugin', () => {
  const addSingleFile = async () => wordpress.plugin('hello', { file: 'hello.php' });
  const offer = (body = '') =>
    wordpress.offerPlugin('hello', { file: 'hello/hello.php', offeredAs: 'hello.php', body });

  it('is updated into a folder, as in WordPress, and stays active', async () => {
    const file = await addSingleFile();
    await offer();
    expect((await wordpress.update()).results.plugins).toMatchObject([
      { slug: file, new_version: '2.0', success: true, new_plugin: 'hello/hello.php' },
    ]);
    const { plugins: installed, active } = await wordpress.readInstalled();
    expect([installed[file], installed['hello/hello.php'], active]).toEqual([
      undefined,
      '2.0',
      ['hello/hello.php'],
    ]);
    expect(await readdir(plugins())).not.toContain('hello.php');
  });

  it('is a single file again after a roll-back', async () => {
    const file = await addSingleFile();
    await offer(FATAL);
    expect((await wordpress.act('update', file)).body.error).toMatch(/Rolled back to version 1\.0/);
    expect((await readdir(plugins())).toSorted()).toEqual(['hello.php', 'steward']);
    expect((await wordpress.readInstalled()).active).toEqual([file]);
  });

  it('does not overwrite an existing folder', async () => {
    await wordpress.plugin('hello', { active: false });
    const file = await addSingleFile();
    await offer();
    expect((await wordpress.act('update', file)).body.error).toMatch(
      /folder hello, which already exists/,
    );
    expect((await wordpress.readInstalled()).plugins).toMatchObject({
      'hello.php': '1.0',
      'hello/hello.php': '1.0',
    });
  });
});
