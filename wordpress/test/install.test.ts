import { existsSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pluginFile, pluginFiles, themeFiles } from '@steward/conformance/item-packages.ts';
import type { ZipEntry } from '@steward/conformance/zip.ts';
import { describe, expect, it } from 'vitest';
import { usePackageCalls } from './support/use-package-calls.ts';
import { useUpdatedSite } from './support/use-updated-site.ts';

const KILL = 'posix_kill( getmypid(), SIGKILL );';
const wordpress = useUpdatedSite();
const { publish, install, callSigned, runKilled } = usePackageCalls(wordpress);

const content = (path = '') => join(wordpress.site.root, 'wp-content', path);
const plugin = (name: string, version: string, files: ZipEntry[] = pluginFiles(name, version)) => ({
  type: 'plugin' as const,
  slug: `${name}/${name}.php`,
  version,
  package: publish(files),
});
const withHeader = (header: string): ZipEntry[] => [
  {
    name: 'fresh/fresh.php',
    content: pluginFile('fresh', '1.0').replace(' */', ` * ${header}\n */`),
  },
];

describe('package', () => {
  it('with a fatal error is installed, because nothing runs it', async () => {
    const files = pluginFiles('fresh', '1.0');
    const fatal = { name: 'fresh/fresh.php', content: `${pluginFile('fresh', '1.0')}no_such();` };
    expect(await install(plugin('fresh', '1.0', [fatal, ...files.slice(1)]))).toMatchObject([
      { success: true, new_version: '1.0' },
    ]);
    expect((await wordpress.readInstalled()).active).toEqual([]);
    const activated = await wordpress.act('activate', 'fresh/fresh.php');
    expect([activated.status, activated.body.code]).toEqual([500, 'action_failed']);
  });

  it('that needs a newer PHP or WordPress is rejected with the reason', async () => {
    for (const [header, reason] of [
      ['Requires PHP: 99.0', /PHP/],
      ['Requires at least: 99.0', /WordPress/],
    ] as const) {
      const [result] = await install(plugin('fresh', '1.0', withHeader(header)));
      expect(result).toMatchObject({ success: false, code: 'package_rejected' });
      expect(result?.error).toMatch(reason);
    }
    expect(existsSync(content('plugins/fresh'))).toBe(false);
  });

  it('with files next to its folder is rejected, and nothing of it stays', async () => {
    const files = [...pluginFiles('fresh', '1.0'), { name: 'readme.txt', content: 'x' }];
    expect(await install(plugin('fresh', '1.0', files))).toMatchObject([
      { success: false, code: 'package_rejected' },
    ]);
    expect(await readdir(content('plugins'))).toEqual(['steward']);
    expect(await readdir(content('upgrade'))).toEqual([]);
  });

  it('is refused if its folder exists without a plugin', async () => {
    await mkdir(content('plugins/fresh'), { recursive: true });
    await writeFile(content('plugins/fresh/notes.txt'), 'notes');
    await wordpress.site.chownFiles();
    const [result] = await install(plugin('fresh', '1.0'));
    expect(result).toMatchObject({ success: false, code: 'already_installed' });
    expect(result?.error).toMatch(/folder fresh already exists/);
    expect(await readdir(content('plugins/fresh'))).toEqual(['notes.txt']);
  });

  it('is refused if its folder contains another plugin, also with the same version', async () => {
    await install(plugin('fresh', '1.0'));
    for (const version of ['1.0', '0.9']) {
      const files = [{ name: 'fresh/main.php', content: pluginFile('main', version) }];
      const item = { ...plugin('fresh', version, files), slug: 'fresh/main.php' };
      const [result] = await install(item);
      expect(result).toEqual({
        slug: 'fresh/main.php',
        new_version: '',
        success: false,
        error:
          'The folder fresh contains another plugin: fresh/fresh.php, version 1.0. Delete it before you install this one.',
        code: 'already_installed',
      });
    }
    expect(existsSync(content('plugins/fresh/main.php'))).toBe(false);
  });

  it('of a child theme does not bring its parent', async () => {
    const [style, ...others] = themeFiles('child', '1.0');
    const withParent = String(style?.content).replace('*/', 'Template: twentyten\n*/');
    const files = [{ name: 'child/style.css', content: withParent }, ...others];
    const item = {
      type: 'theme' as const,
      slug: 'child',
      version: '1.0',
      package: publish(files),
    };
    expect(await install(item)).toMatchObject([{ success: true, new_version: '1.0' }]);
    expect((await wordpress.readInstalled()).themes).toEqual({ plain: '1.0', child: '1.0' });
  });

  it('that another plugin rejects leaves nothing behind', async () => {
    await wordpress.mustUse(
      `add_filter( 'upgrader_source_selection', function ( $source ) {
        return new WP_Error( 'policy', 'Not on this site.' );
      } );`,
    );
    expect(await install(plugin('fresh', '1.0'))).toMatchObject([
      { success: false, code: 'package_rejected', error: 'Not on this site.' },
    ]);
    expect(await readdir(content('plugins'))).toEqual(['steward']);
    expect(await readdir(content('upgrade'))).toEqual([]);
  });

  it('whose installation ends the request leaves nothing behind', async () => {
    await wordpress.mustUse("add_filter( 'upgrader_post_install', function () { exit; } );");
    const { status, body } = await callSigned('install', { items: [plugin('fresh', '1.0')] });
    expect([status, body]).toMatchObject([500, { success: false, code: 'action_failed' }]);
    expect(await readdir(content('plugins'))).toEqual(['steward']);
  });

  it('works if PHP has no zip extension, and is checked all the same', async () => {
    await wordpress.mustUse("add_filter( 'unzip_file_use_ziparchive', '__return_false' );");
    const bad = { content: 'x' };
    for (const more of [
      { ...bad, name: '../climbed.php' },
      { ...bad, name: '/climbed.php' },
      { ...bad, name: 'fresh\\..\\climbed.php' },
      { name: 'fresh/zeros.txt', content: Buffer.alloc(40_000_000) },
    ]) {
      const [result] = await install(
        plugin('fresh', '1.0', [...pluginFiles('fresh', '1.0'), more]),
      );
      expect([more.name, result?.code]).toEqual([more.name, 'package_rejected']);
    }
    expect(existsSync(content('climbed.php'))).toBe(false);
    expect(await install(plugin('fresh', '1.0'))).toMatchObject([{ success: true }]);
  });
});

describe('public directory', () => {
  const list = async (versions: string[], host?: string) => {
    const links: [string, string][] = [];
    for (const version of versions) {
      const url = await wordpress.bed.packages.plugin('listed', version);
      links.push([version, host ? url.replace('127.0.0.1', host) : url]);
    }
    const [version = '', download_link = ''] = links.at(-1) ?? [];
    const listed = { name: 'Listed', version, download_link, versions: Object.fromEntries(links) };
    await wordpress.site.changeSettings({ directory: { plugins: { listed }, themes: {} } });
  };
  const item = (version: string) => ({ type: 'plugin' as const, slug: 'listed', version });

  it('installs an older version', async () => {
    await list(['1.0', '1.1', '2.0']);
    expect(await install(item('1.1'))).toMatchObject([
      { success: true, new_version: '1.1', new_plugin: 'listed/listed.php' },
    ]);
  });

  it('installs a theme', async () => {
    const download_link = await wordpress.bed.packages.theme('listed', '1.0');
    const listed = { name: 'Listed', version: '1.0', download_link };
    await wordpress.site.changeSettings({ directory: { plugins: {}, themes: { listed } } });
    expect(await install({ type: 'theme', slug: 'listed', version: '1.0' })).toMatchObject([
      { slug: 'listed', success: true, new_version: '1.0' },
    ]);
  });

  it('is not used if its link leads to another server', async () => {
    await list(['1.0'], 'localhost');
    const [result] = await install(item('1.0'));
    expect(result).toMatchObject({ success: false, code: 'package_rejected' });
    expect(result?.error).toMatch(/localhost/);
  });

  it('that is not reachable is not reported as an unknown plugin', async () => {
    await wordpress.mustUse(
      `add_filter( 'pre_http_request', function ( $response, $request, $url ) {
        return strpos( $url, '/info/' ) ? new WP_Error( 'http', 'Connection refused' ) : $response;
      }, 20, 3 );`,
    );
    const [result] = await install(item('1.0'));
    expect(result).toMatchObject({ success: false });
    expect(result).not.toHaveProperty('code');
  });
});

describe('killed installation', () => {
  // Each hook is a stage: unpacked, but not in place; in place, but not verified; only partly in place.
  for (const [moment, hook, more] of [
    ['before the files are in place', 'upgrader_pre_install', ''],
    ['after the files are in place', 'upgrader_post_install', ''],
    [
      'while the files are copied',
      'upgrader_post_install',
      "unlink( WP_PLUGIN_DIR . '/fresh/fresh.php' );",
    ],
  ] as const) {
    it(`${moment} leaves nothing behind, and the next one works`, async () => {
      const killer = await wordpress.mustUse(
        `add_filter( '${hook}', function () { ${more} ${KILL} } );`,
      );
      await runKilled('install', [plugin('fresh', '1.0')]);
      await killer.remove();
      await wordpress.site.clearOpcache();
      expect(await wordpress.status('/')).toBe(200);
      expect(await readdir(content('plugins'))).toEqual(['steward']);

      expect(await install(plugin('fresh', '1.0'))).toMatchObject([{ success: true }]);
      expect((await wordpress.readInstalled()).plugins['fresh/fresh.php']).toBe('1.0');
      expect(await readdir(content('upgrade'))).toEqual([]);
    });
  }
});
