import { existsSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writePlugin, writeTheme } from '@steward/testkit/wordpress/packages.ts';
import { afterEach, describe, expect, it } from 'vitest';
import { expectQuiet } from './support/debug-log.ts';
import { plugin, theme } from './support/update-items.ts';
import { useUpdatedSite } from './support/use-updated-site.ts';

const wordpress = useUpdatedSite();
const content = (...path: string[]) => join(wordpress.site.root, 'wp-content', ...path);

afterEach(async () => {
  expect(existsSync(content('upgrade')) ? await readdir(content('upgrade')) : []).toEqual([]);
  await expectQuiet(wordpress.site);
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
    const { plugins, themes } = await wordpress.readInstalled();
    expect([plugins['plain/plain.php'], themes.plain]).toEqual(['1.0', '2.0']);
    expect((await wordpress.update([plugin('plain/plain.php')])).results.themes).toEqual([]);
    expect((await wordpress.readInstalled()).plugins['plain/plain.php']).toBe('2.0');
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
    expect((await wordpress.readInstalled()).active).toEqual(['shop/store.php']);
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
        code: 'download_failed',
        name: 'premium',
        old_version: '1.0',
        new_version: '1.0',
        success: false,
        error: expect.stringMatching(/package/i),
      },
    ]);
    expect((await wordpress.readInstalled()).active).toEqual([file]);
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
