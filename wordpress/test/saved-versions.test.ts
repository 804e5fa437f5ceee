import { existsSync } from 'node:fs';
import { appendFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BulkUpdateResponse, RestoreItem } from '@steward/contract';
import type { PluginOptions } from '@steward/testkit/wordpress/fixtures.ts';
import { describe, expect, it, onTestFinished } from 'vitest';
import { usePackageCalls } from './support/use-package-calls.ts';
import { useUpdatedSite } from './support/use-updated-site.ts';

const FATAL = 'this_function_does_not_exist();';
const SHOP = 'shop/shop.php';
const wordpress = useUpdatedSite();
const { callSigned, runKilled } = usePackageCalls(wordpress);

const content = (path = '') => join(wordpress.site.root, 'wp-content', path);
const plugin = (slug: string, version: string): RestoreItem => ({ type: 'plugin', slug, version });

async function update(version: string, options: PluginOptions & { offeredAs?: string } = {}) {
  const { offeredAs = SHOP, ...more } = options;
  const packageUrl = await wordpress.bed.packages.plugin('shop', version, more);
  await wordpress.site.offer({ plugins: { [offeredAs]: { version, package: packageUrl } } });
  await wordpress.site.storeUpdateTransients();
  const { results, errors } = await wordpress.update([{ type: 'plugin', slug: offeredAs }]);
  expect(errors).toEqual([]);
  return results.plugins[0];
}

async function restore(...items: RestoreItem[]) {
  const { status, body } = await wordpress.call('restore', { items });
  expect(status).toBe(200);
  return (body as unknown as BulkUpdateResponse).results;
}

async function savedFolder(): Promise<string> {
  const name = (await readdir(content())).find((each) => each.startsWith('steward-saved-'));
  return content(name ?? 'none');
}

/** The descriptions of the saved versions, oldest first. */
async function savedVersions() {
  const folder = await savedFolder();
  const names = (await readdir(folder)).filter((name) => /^\d{16}-/.test(name)).toSorted();
  return Promise.all(
    names.map(async (name) => {
      const path = join(folder, name);
      const { of, version } = JSON.parse(await readFile(join(path, 'version.json'), 'utf8'));
      return { of, version, path };
    }),
  );
}
const versions = async () => (await savedVersions()).map(({ version }) => version);

async function reported(slug: string) {
  const { inventory } = await wordpress.site.lastReport();
  return inventory?.plugins.find((item) => item.plugin === slug);
}

describe('saved versions', () => {
  it('are the newest two of a plugin', async () => {
    await wordpress.plugin('shop');
    for (const version of ['2.0', '3.0', '4.0']) await update(version);
    expect(await versions()).toEqual(['2.0', '3.0']);
    expect(await reported(SHOP)).toMatchObject({ version: '4.0', saved_versions: ['3.0', '2.0'] });
  });

  it('are in a folder whose name cannot be guessed and whose files are not listed', async () => {
    await wordpress.plugin('shop', { files: { 'secret.txt': 'secret' } });
    await update('2.0');
    const folder = await savedFolder();
    expect(folder).toMatch(/\/steward-saved-[0-9a-f]{32}$/);
    for (const name of ['.htaccess', 'web.config', 'index.php']) {
      expect([name, existsSync(join(folder, name))]).toEqual([name, true]);
    }
    for (const path of ['steward-saved', 'steward-saved/secret.txt', 'upgrade/secret.txt', '']) {
      const response = await fetch(`${wordpress.site.url}/wp-content/${path}`);
      expect(await response.text()).not.toContain('secret');
    }
    const listing = await fetch(`${wordpress.site.url}/wp-content/${folder.split('/').at(-1)}/`);
    expect(await listing.text()).toBe('');
  });

  it('stay within the total size; the oldest are deleted first, and a larger one is not kept', async () => {
    const limit = await wordpress.mustUse(
      "add_filter( 'steward_saved_versions_bytes', function () { return 5000; } );",
    );
    await wordpress.plugin('shop', { files: { 'data.txt': 'x'.repeat(3000) } });
    await update('2.0', { files: { 'data.txt': 'x'.repeat(3000) } });
    expect(await versions()).toEqual(['1.0']);
    await update('3.0', { files: { 'data.txt': 'x'.repeat(6000) } });
    expect(await versions()).toEqual(['2.0']);
    await update('4.0');
    expect(await versions()).toEqual(['2.0']);
    await limit.remove();
  });

  it('are deleted with their plugin', async () => {
    await wordpress.plugin('shop');
    await update('2.0');
    expect((await wordpress.act('delete', SHOP)).status).toBe(200);
    expect(await versions()).toEqual([]);
  });

  it('never break an update', async () => {
    await wordpress.plugin('shop');
    await update('2.0');
    const folder = await savedFolder();
    await rm(folder, { recursive: true });
    await writeFile(folder, 'not a folder');
    expect(await update('3.0')).toMatchObject({ success: true, new_version: '3.0' });
    await rm(folder);
  });

  it('that are incomplete after a kill are deleted by the next call', async () => {
    await wordpress.plugin('shop');
    await update('2.0');
    const incomplete = join(await savedFolder(), '0000000000000001-killed');
    await mkdir(join(incomplete, 'files'), { recursive: true });
    await wordpress.site.chownFiles();
    expect((await wordpress.call('sync')).status).toBe(200);
    expect([existsSync(incomplete), await versions()]).toEqual([false, ['1.0']]);
  });
});

describe('restored version', () => {
  it('that breaks the site is rolled back, and stays saved', async () => {
    await wordpress.plugin('shop');
    await update('2.0');
    const [saved] = await savedVersions();
    await appendFile(join(saved?.path ?? '', 'files/shop/shop.php'), FATAL);
    const { plugins } = await restore(plugin(SHOP, '1.0'));
    expect(plugins).toMatchObject([
      { success: false, old_version: '2.0', new_version: '2.0', rolled_back: true },
    ]);
    expect(plugins[0]?.error).toMatch(/Version 1\.0 breaks the site: .* Rolled back to version 2/);
    expect((await wordpress.readInstalled()).active).toEqual([SHOP]);
    expect(await versions()).toEqual(['1.0']);
    expect(await wordpress.status('/')).toBe(200);
  });

  it('has the old main file of the plugin, which stays active', async () => {
    await wordpress.plugin('shop');
    await update('2.0', { file: 'shop/store.php' });
    expect(await reported('shop/store.php')).toMatchObject({ saved_versions: ['1.0'] });
    const { plugins } = await restore(plugin('shop/store.php', '1.0'));
    expect(plugins).toMatchObject([{ success: true, new_version: '1.0', new_plugin: SHOP }]);
    expect((await wordpress.readInstalled()).active).toEqual([SHOP]);
    expect(await reported(SHOP)).toMatchObject({ version: '1.0', saved_versions: ['2.0'] });
  });

  it('is a single file again, and then a folder again', async () => {
    await wordpress.plugin('shop', { file: 'shop.php' });
    await update('2.0', { offeredAs: 'shop.php' });
    expect((await restore(plugin(SHOP, '1.0'))).plugins).toMatchObject([
      { success: true, new_version: '1.0', new_plugin: 'shop.php' },
    ]);
    expect(await wordpress.readInstalled()).toMatchObject({ active: ['shop.php'] });
    expect(existsSync(content('plugins/shop'))).toBe(false);
    expect((await restore(plugin('shop.php', '2.0'))).plugins).toMatchObject([
      { success: true, new_version: '2.0', new_plugin: SHOP },
    ]);
    expect((await wordpress.readInstalled()).active).toEqual([SHOP]);
    expect(existsSync(content('plugins/shop.php'))).toBe(false);
  });

  it('is not installed if it needs plugins that are not active', async () => {
    await wordpress.plugin('shop', { requires: 'library' });
    await update('2.0');
    const { plugins } = await restore(plugin(SHOP, '1.0'));
    expect(plugins[0]).toMatchObject({ success: false, new_version: '2.0' });
    expect(plugins[0]?.error).toMatch(/not active: library/);
  });

  it('is kept or rolled back by the panel if the site cannot open its pages', async () => {
    await wordpress.plugin('shop');
    await update('2.0');
    onTestFinished(() => wordpress.site.configureServer(''));
    await wordpress.site.configureServer('if ($http_user_agent ~ "^Steward;") { return 444; }');
    const items = [plugin(SHOP, '1.0')];
    const refused = await wordpress.call('restore', { items });
    expect([refused.status, refused.body.code]).toEqual([409, 'outside_look_needed']);
    for (const [verdict, version, saved] of [
      ['broken', '2.0', ['1.0']],
      ['healthy', '1.0', ['2.0']],
    ] as const) {
      const { status, body } = await wordpress.call('restore', { items, outside_look: true });
      expect([status, body.success]).toEqual([200, true]);
      const { call } = body.awaiting_verdict as { call: string };
      expect((await callSigned('verdict', { call, verdict })).status).toBe(200);
      expect((await wordpress.readInstalled()).plugins[SHOP]).toBe(version);
      expect((await wordpress.call('sync')).status).toBe(200);
      expect(await versions()).toEqual(saved);
    }
  });
});

describe('killed restore', () => {
  it('is rolled back by the next request, and the next one works', async () => {
    await wordpress.plugin('shop');
    await update('2.0');
    // WordPress reads the version of the restored files before the first health check.
    const killer = await wordpress.mustUse(
      `add_filter( 'extra_plugin_headers', function ( $headers ) {
        $file = (string) @file_get_contents( WP_PLUGIN_DIR . '/shop/shop.php' );
        strpos( $file, 'Version: 1.0' ) && posix_kill( getmypid(), SIGKILL );
        return $headers;
      } );`,
    );
    await runKilled('restore', [plugin(SHOP, '1.0')]);
    await killer.remove();
    await wordpress.site.clearOpcache();
    expect(await wordpress.status('/')).toBe(200);
    const { plugins, active } = await wordpress.readInstalled();
    expect([plugins[SHOP], active, await versions()]).toEqual(['2.0', [SHOP], ['1.0']]);
    expect((await restore(plugin(SHOP, '1.0'))).plugins).toMatchObject([{ success: true }]);
    expect(await versions()).toEqual(['2.0']);
  });
});
