import { existsSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { UpdateItem } from '@steward/contract';
import { STEWARD } from '@steward/testkit/wordpress/installed-steward.ts';
import { writePlugin, writeTheme } from '@steward/testkit/wordpress/packages.ts';
import { afterEach, describe, expect, it } from 'vitest';
import { expectQuiet } from './support/debug-log.ts';
import { useUpdatedSite } from './support/use-updated-site.ts';

const FATAL = 'this_function_does_not_exist();';
const wordpress = useUpdatedSite();
const content = (...path: string[]) => join(wordpress.site.root, 'wp-content', ...path);
const plugin = (slug: string, version?: string): UpdateItem => ({
  type: 'plugin',
  slug,
  ...(version && { version }),
});
const theme = (slug: string, version?: string): UpdateItem => ({
  ...plugin(slug, version),
  type: 'theme',
});

afterEach(async () => {
  expect(existsSync(content('upgrade')) ? await readdir(content('upgrade')) : []).toEqual([]);
  await expectQuiet(wordpress.site);
});

describe('requested items', () => {
  it('are updated in the order plugins, themes, core; other updates stay pending', async () => {
    for (const name of ['alpha', 'omega', 'zebra']) {
      await wordpress.plugin(name);
      await wordpress.offerPlugin(name);
    }
    await wordpress.offerTheme('plain');
    const core = await wordpress.site.coreVersion();
    const { success, results, errors } = await wordpress.update([
      { type: 'core', slug: 'core' },
      theme('plain', '2.0'),
      plugin('omega/omega.php', '2.0'),
      plugin('alpha/alpha.php'),
    ]);
    expect([success, errors]).toEqual([true, []]);
    const updated = { old_version: '1.0', new_version: '2.0', success: true };
    expect(results).toEqual({
      plugins: [
        { slug: 'omega/omega.php', name: 'omega', ...updated },
        { slug: 'alpha/alpha.php', name: 'alpha', ...updated },
      ],
      themes: [{ slug: 'plain', name: 'plain', ...updated }],
      core: { old_version: core, new_version: core, success: true },
    });
    expect((await wordpress.look()).plugins['zebra/zebra.php']).toBe('1.0');
    const { inventory } = await wordpress.site.lastReport();
    expect(inventory?.plugins).toContainEqual(
      expect.objectContaining({ plugin: 'zebra/zebra.php', version: '1.0', new_version: '2.0' }),
    );
  });

  it('are rolled back when they break the site, and the result contains it', async () => {
    const file = await wordpress.plugin('shop');
    await wordpress.offerPlugin('shop', { body: FATAL });
    const { success, results, errors } = await wordpress.update([plugin(file, '2.0')]);
    expect(success).toBe(false);
    expect(results.plugins).toEqual([
      {
        slug: file,
        name: 'shop',
        old_version: '1.0',
        new_version: '1.0',
        success: false,
        error: expect.stringMatching(/breaks the site.* Rolled back to version 1\.0\.$/),
        rolled_back: true,
      },
    ]);
    expect(errors).toEqual([{ type: 'plugin', slug: file, error: results.plugins[0]?.error }]);
    expect((await wordpress.look()).active).toEqual([file]);
    // The fatal errors of the new version are expected.
    await wordpress.site.clearDebugLog();
  });

  it('are refused one by one, and the others are updated', async () => {
    const file = await wordpress.plugin('shop');
    await wordpress.offerPlugin('shop');
    const changed = await wordpress.plugin('changed');
    await wordpress.offerPlugin('changed');
    const unlisted = await wordpress.plugin('unlisted');
    const { success, results, errors } = await wordpress.update([
      plugin(changed, '1.5'),
      plugin('gone/gone.php', '2.0'),
      plugin(STEWARD),
      plugin(unlisted, '2.0'),
      plugin(file, '2.0'),
      theme('gone'),
      { type: 'core', slug: 'core', version: '99.0' },
    ]);
    expect(success).toBe(false);
    expect(results.plugins.map(({ slug, code, new_version }) => [slug, code, new_version])).toEqual(
      [
        [changed, 'offer_changed', '1.0'],
        ['gone/gone.php', 'item_not_found', ''],
        [STEWARD, 'management_plugin', '0.1.0'],
        [unlisted, 'offer_changed', '1.0'],
        [file, undefined, '2.0'],
      ],
    );
    expect(results.plugins[0]?.error).toContain('now offers version 2.0, not 1.5');
    expect(results.plugins[3]?.error).toContain('no longer offers version 2.0');
    expect(results.themes).toMatchObject([{ slug: 'gone', code: 'item_not_found' }]);
    const core = await wordpress.site.coreVersion();
    expect(results.core).toEqual({
      old_version: core,
      new_version: core,
      success: false,
      code: 'offer_changed',
    });
    expect(errors.map(({ type, slug }) => [type, slug])).toEqual([
      ['plugin', changed],
      ['plugin', 'gone/gone.php'],
      ['plugin', STEWARD],
      ['plugin', unlisted],
      ['theme', 'gone'],
      ['core', null],
    ]);
  });

  it('are described in full, also for a panel that gets no details of other updates', async () => {
    await wordpress.site.connect({ panelCapabilities: [] });
    await wordpress.plugin('alpha');
    const file = await wordpress.plugin('shop');
    for (const name of ['alpha', 'shop']) await wordpress.offerPlugin(name);
    expect((await wordpress.update([plugin(file)])).results.plugins).toEqual([
      { slug: file, name: 'shop', old_version: '1.0', new_version: '2.0', success: true },
    ]);
    await wordpress.site.connect({ panelCapabilities: [] });
    expect((await wordpress.update()).results.plugins).toEqual([
      { slug: 'alpha/alpha.php', new_version: '2.0', success: true },
    ]);
    await wordpress.site.connect();
  });

  it('succeed without a change when the version is installed under another spelling', async () => {
    const file = await wordpress.plugin('shop');
    const { success, results } = await wordpress.update([plugin(file, '1.0.0')]);
    expect([success, results.plugins[0]?.new_version]).toEqual([true, '1.0']);
  });
});

describe('unusual items', () => {
  it('update nothing when the plugin was deleted after the update check', async () => {
    const file = await wordpress.plugin('shop');
    await wordpress.offerPlugin('shop');
    await rm(content('plugins/shop'), { recursive: true });
    const { results } = await wordpress.update([plugin(file, '2.0')]);
    expect(results.plugins).toMatchObject([{ code: 'item_not_found', new_version: '' }]);
    expect(existsSync(content('plugins/shop'))).toBe(false);
  });

  it('update the plugin or the theme of the same name, not both', async () => {
    await wordpress.plugin('plain', { file: 'plain/plain.php' });
    await wordpress.offerPlugin('plain');
    await wordpress.offerTheme('plain');
    expect((await wordpress.update([theme('plain')])).success).toBe(true);
    const { plugins, themes } = await wordpress.look();
    expect([plugins['plain/plain.php'], themes.plain]).toEqual(['1.0', '2.0']);
    expect((await wordpress.update([plugin('plain/plain.php')])).results.themes).toEqual([]);
    expect((await wordpress.look()).plugins['plain/plain.php']).toBe('2.0');
  });

  it('distinguish upper and lower case', async () => {
    await wordpress.plugin('shop');
    await wordpress.offerPlugin('shop');
    const { results } = await wordpress.update([
      plugin('SHOP/shop.php'),
      plugin('shop/shop.php'),
      plugin('shop/Shop.php'),
    ]);
    expect(results.plugins.map(({ success, code }) => code ?? success)).toEqual([
      'item_not_found',
      true,
      'item_not_found',
    ]);
  });

  it('update a theme whose folder is a number or in another folder', async () => {
    for (const slug of ['2026', 'bundle/child']) {
      await writeTheme(wordpress.site, slug, '1.0');
    }
    await wordpress.site.clearOpcache();
    await wordpress.offerTheme('2026');
    const { success, results } = await wordpress.update([
      theme('2026', '2.0'),
      theme('bundle/child'),
    ]);
    expect(results.themes.map(({ slug, new_version }) => [slug, new_version])).toEqual([
      ['2026', '2.0'],
      ['bundle/child', '1.0'],
    ]);
    expect(success).toBe(true);
  });

  it('update a plugin with letters outside ASCII and with markup in its name', async () => {
    const file = await wordpress.plugin('läden', { file: 'läden/läden.php' });
    await wordpress.offerPlugin('shop', { file, offeredAs: file });
    const { success, results } = await wordpress.update([plugin(file, '2.0'), plugin('店/店.php')]);
    expect(success).toBe(false);
    expect(results.plugins).toMatchObject([
      { slug: file, name: 'läden', new_version: '2.0', success: true },
      { slug: '店/店.php', code: 'item_not_found' },
    ]);
    await writePlugin(wordpress.site, '<b onload=x>Bold</b> & plain', '1.0', {
      file: 'bold/bold.php',
    });
    await wordpress.site.clearOpcache();
    const [bold] = (await wordpress.update([plugin('bold/bold.php')])).results.plugins;
    expect(bold?.name).not.toContain('<');
  });

  it('return the new file of a plugin that the update renames; the old one is then not found', async () => {
    const file = await wordpress.plugin('shop');
    await wordpress.offerPlugin('shop', { file: 'shop/store.php' });
    const { success, results } = await wordpress.update([plugin(file, '2.0')]);
    expect([success, results.plugins]).toEqual([
      true,
      [
        {
          slug: file,
          name: 'shop',
          old_version: '1.0',
          new_version: '2.0',
          success: true,
          new_plugin: 'shop/store.php',
        },
      ],
    ]);
    expect((await wordpress.look()).active).toEqual(['shop/store.php']);
    const again = await wordpress.update([plugin(file, '2.0'), plugin('shop/store.php', '2.0')]);
    expect(again.results.plugins.map(({ success, code }) => code ?? success)).toEqual([
      'item_not_found',
      true,
    ]);
  });

  it('fail without a change when the update has no package', async () => {
    const file = await wordpress.plugin('premium');
    await wordpress.site.offer({ plugins: { [file]: { version: '2.0', package: '' } } });
    await wordpress.site.storeUpdateTransients();
    const { results } = await wordpress.update([plugin(file, '2.0')]);
    expect(results.plugins).toEqual([
      {
        slug: file,
        name: 'premium',
        old_version: '1.0',
        new_version: '1.0',
        success: false,
        error: expect.stringMatching(/package/i),
      },
    ]);
    expect((await wordpress.look()).active).toEqual([file]);
  });

  it('update both plugins of one folder', async () => {
    const file = await wordpress.plugin('suite');
    const extra = 'suite/extra.php';
    const both = (version: string) => ({
      files: { 'extra.php': `<?php\n/**\n * Plugin Name: Extra\n * Version: ${version}\n */\n` },
    });
    await wordpress.plugin('suite', both('1.0'));
    await wordpress.offerPlugin('suite', both('2.0'));
    await wordpress.offerPlugin('suite', { ...both('2.0'), offeredAs: extra });
    const { success, results } = await wordpress.update([
      plugin(extra, '2.0'),
      plugin(file, '2.0'),
    ]);
    expect(success).toBe(true);
    expect(results.plugins.map(({ slug, new_version }) => [slug, new_version])).toEqual([
      [extra, '2.0'],
      [file, '2.0'],
    ]);
  });

  it('get a response for 200 items with long names, of which one is installed', async () => {
    const file = await wordpress.plugin('shop');
    await wordpress.offerPlugin('shop');
    const missing = Array.from({ length: 199 }, (_, i) => plugin(`${'x'.repeat(200)}-${i}/é.php`));
    const { results } = await wordpress.update([...missing, plugin(file)]);
    expect(results.plugins).toHaveLength(200);
    expect(results.plugins.at(-1)).toMatchObject({ slug: file, success: true });
  });
});

describe('invalid lists', () => {
  it('are refused before the site lock, also if the JSON has another content type', async () => {
    const file = await wordpress.plugin('shop');
    await wordpress.offerPlugin('shop');
    const send = async (body: string) => {
      const response = await fetch(`${wordpress.site.url}/wp-json/service/v1/remote/update`, {
        method: 'POST',
        headers: { 'X-Service-Key': wordpress.site.key, 'content-type': 'text/plain' },
        body,
      });
      return [response.status, ((await response.json()) as { code?: string }).code];
    };
    const deep = `{"items":${'['.repeat(600)}${']'.repeat(600)}}`;
    for (const body of [
      '{"items":[{"type":"plugin"',
      deep,
      '{"items":{"0":{}}}',
      '{"items":null}',
    ]) {
      expect([body.slice(0, 20), ...(await send(body))]).toEqual([
        body.slice(0, 20),
        400,
        'invalid_items',
      ]);
    }
    expect((await wordpress.look()).plugins[file]).toBe('1.0');
    const items = JSON.stringify({ items: [plugin(file, '2.0')] });
    expect(await send(items)).toEqual([200, undefined]);
    expect((await wordpress.look()).plugins[file]).toBe('2.0');
  });

  it('name the item', async () => {
    const items = [plugin('shop/shop.php'), plugin('../../wp-config.php')];
    const { status, body } = await wordpress.call('update', { items });
    expect([status, body.code]).toEqual([400, 'invalid_items']);
    expect(body.error).toMatch(/^Item 2 \(plugin \.\.\/\.\.\/wp-config\.php\) is not valid: /);
  });
});
