import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from '@steward/testkit/command.ts';
import { type Bed, openBed } from '@steward/testkit/wordpress/bed.ts';
import { SECOND_SITE } from '@steward/testkit/wordpress/network.ts';
import { writePlugin } from '@steward/testkit/wordpress/packages.ts';
import { PhpObject } from '@steward/testkit/wordpress/php-serialize.ts';
import type { WordPressSite } from '@steward/testkit/wordpress/site.ts';
import { ADMIN, DEFAULT_THEME } from '@steward/testkit/wordpress/template.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readNonCoreLines } from './support/debug-log.ts';

let bed: Bed;
let site: WordPressSite;

beforeAll(async () => {
  bed = await openBed();
  site = await bed.createSite();
});
afterAll(() => bed?.stop());

async function logIn(to: WordPressSite): Promise<Response> {
  return fetch(`${to.url}/wp-login.php`, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams({ log: ADMIN.user, pwd: ADMIN.password }),
  });
}

describe('site', () => {
  it('serves a page of its theme', async () => {
    const response = await fetch(`${site.url}/`);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toContain('text/html');
    expect(await response.text()).toContain('<p>Test bed</p>');
  });

  it('runs on the first PHP in PATH', async () => {
    const show = 'echo PHP_VERSION;';
    await writeFile(join(site.root, 'php-version.php'), `<?php ${show}`);
    const served = await (await fetch(`${site.url}/php-version.php`)).text();
    expect(served).toBe(await run('php', ['-r', show]));
  });

  it('contains only WordPress, without other software of this machine', async () => {
    expect(await site.installedPlugins()).toEqual({});
    expect(await site.installedThemes()).toEqual({ [DEFAULT_THEME.slug]: DEFAULT_THEME.version });
  });

  it('serves /wp-json/, including paths with a dot', async () => {
    const index = await fetch(`${site.url}/wp-json/`);
    expect(await index.json()).toMatchObject({ name: 'Test bed', url: site.url });
    const unknown = await fetch(`${site.url}/wp-json/no/such.route`);
    expect(unknown.status).toBe(404);
    expect(await unknown.json()).toMatchObject({ code: 'rest_no_route' });
  });

  it('signs the administrator in', async () => {
    const response = await logIn(site);
    expect(response.status).toBe(302);
    expect(response.headers.get('location')).toBe(`${site.url}/wp-admin/`);
    const cookie = response.headers
      .getSetCookie()
      .map((line) => line.split(';')[0])
      .join('; ');
    const plugins = await fetch(`${site.url}/wp-admin/plugins.php`, { headers: { cookie } });
    expect(plugins.status).toBe(200);
    expect(await plugins.text()).toContain('</html>');
  });

  it('has its own files and database', async () => {
    const other = await bed.createSite();
    await other.setOption('blogname', 'Another');
    await writePlugin(other, 'only-there', '1.0');
    expect(await (await fetch(`${other.url}/`)).text()).toContain('<p>Another</p>');
    expect(await site.getOption('blogname')).toBe('Test bed');
    expect(await site.installedPlugins()).toEqual({});
    expect(await other.installedPlugins()).toEqual({ 'only-there/only-there.php': '1.0' });
    await other.stop();
    await expect(fetch(other.url)).rejects.toThrow();
    expect(existsSync(join(other.root, 'wp-content'))).toBe(false);
  });

  it('takes over the web server of a stopped site, but nothing else', async () => {
    const stopped = await bed.createSite();
    await writePlugin(stopped, 'old', '1.0', { body: "echo 'old plugin';" });
    await stopped.setActivePlugins(['old/old.php']);
    expect(await (await fetch(stopped.url)).text()).toContain('old plugin');
    await stopped.setConstants({ OLD: true });
    await stopped.stop();
    const next = await bed.createSite();
    expect([next.root, next.url === stopped.url]).toEqual([stopped.root, false]);
    expect(await next.runPhpInServer("echo defined( 'OLD' ) ? 'old' : 'new';")).toBe('new');
    expect(await (await fetch(next.url)).text()).not.toContain('old plugin');
    expect([await next.installedPlugins(), await next.activePlugins()]).toEqual([{}, []]);
    expect(await readNonCoreLines(next)).toEqual([]);
    await next.stop();
  });

  it('does not take over a WordPress that a test has changed', async () => {
    const changed = await bed.createSite();
    await changed.setCoreVersion('6.0');
    await changed.stop();
    expect(existsSync(changed.folder)).toBe(false);
    const next = await bed.createSite();
    expect(await next.coreVersion()).not.toBe('6.0');
    await next.stop();
  });

  it('serves concurrent requests, including loopback requests', async () => {
    await writePlugin(site, 'loop', '1.0', {
      body: `if ( isset( $_GET['loop'] ) ) {
        add_action( 'init', static function () {
          echo wp_remote_retrieve_response_code( wp_remote_get( home_url( '/' ) ) ); exit;
        } );
      }`,
    });
    await site.setActivePlugins(['loop/loop.php']);
    expect(await site.activePlugins()).toEqual(['loop/loop.php']);
    const responses = await Promise.all(
      Array.from({ length: 4 }, async () => (await fetch(`${site.url}/?loop`)).text()),
    );
    expect(responses).toEqual(['200', '200', '200', '200']);
    await site.setActivePlugins([]);
  });

  it('connects only to loopback', async () => {
    const printed = await site.runPhp(
      `echo wp_remote_get( 'https://example.org/' )->get_error_message();`,
    );
    expect(printed).toBe('The test bed blocks network access: https://example.org/');
  });

  it('applies changed constants from the next request on', async () => {
    const show = `echo json_encode( array( FS_METHOD, defined( 'WP_DEBUG' ), defined( 'MINE' ) ) );`;
    await site.setConstants({ FS_METHOD: 'ftpext', MINE: 1 });
    expect(await site.runPhp(show)).toBe('["ftpext",true,true]');
    await site.setConstants({});
    expect(await site.runPhp(show)).toBe('["direct",true,false]');
  });

  it('stores options as WordPress does', async () => {
    const value = { list: ['a\tb\n\\', 1, true], object: new PhpObject({ ö: null }) };
    await site.setOption('mine', value);
    expect(await site.getOption('mine')).toStrictEqual(value);
    expect(await site.runPhp(`echo json_encode( get_option( 'mine' ) );`)).toBe(
      JSON.stringify({ list: value.list, object: { ö: null } }).replaceAll('ö', '\\u00f6'),
    );
    await site.runPhp(`update_option( 'mine', array( 'from' => 'PHP' ) );`);
    expect(await site.getOption('mine')).toEqual({ from: 'PHP' });
    await site.deleteOption('mine');
    expect(await site.getOption('mine')).toBeUndefined();
  });

  it('disables file changes on request', async () => {
    const show = `echo json_encode( wp_is_file_mod_allowed( 'anything' ) );`;
    await site.changeSettings({ fileChangesDisabled: true });
    expect(await site.runPhp(show)).toBe('false');
    await site.changeSettings({ fileChangesDisabled: false });
    expect(await site.runPhp(show)).toBe('true');
  });

  it('reports PHP errors', async () => {
    await expect(site.runPhp('no_such_function();')).rejects.toThrow('no_such_function');
    await site.clearDebugLog();
    expect(await site.debugLog()).toBe('');
  });
});

describe('plugin', () => {
  it('can be installed from a folder or a zip', async () => {
    await bed.packages.plugin('zipped', '3.0');
    await site.unpackPlugin(join(bed.packages.folder, 'plugin-zipped-3.0.zip'));
    const other = await bed.createSite();
    await other.unpackPlugin(join(site.root, 'wp-content/plugins/zipped'));
    expect(await other.installedPlugins()).toEqual({ 'zipped/zipped.php': '3.0' });
    await other.stop();
  });
});

describe('site with plain permalinks', () => {
  it('serves rest_route', async () => {
    const plain = await bed.createSite({ permalinks: 'plain' });
    const response = await fetch(`${plain.url}/?rest_route=/`);
    expect(await response.json()).toMatchObject({ url: plain.url });
    expect(await plain.runPhp(`echo rest_url();`)).toBe(`${plain.url}/index.php?rest_route=/`);
    await plain.stop();
  });
});

describe('site in a subdirectory', () => {
  it('serves its pages there', async () => {
    const shop = await bed.createSite({ path: '/shop' });
    expect(shop.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/shop$/);
    expect((await fetch(`${shop.url}/`)).status).toBe(200);
    const index = await fetch(`${shop.url}/wp-json/`);
    expect(await index.json()).toMatchObject({ url: shop.url });
    expect((await logIn(shop)).headers.get('location')).toBe(`${shop.url}/wp-admin/`);
    await shop.stop();
  });
});

describe('multisite network', () => {
  it('has two sites that share plugins and updates', async () => {
    const network = await bed.createSite({ multisite: true });
    const second = `${network.url}/${SECOND_SITE}`;
    for (const [url, name] of [
      [network.url, 'Test bed'],
      [second, 'Second'],
    ]) {
      expect(await (await fetch(`${url}/`)).text()).toContain(`<p>${name}</p>`);
      expect(await (await fetch(`${url}/wp-json/`)).json()).toMatchObject({ url });
      const admin = await fetch(`${url}/wp-admin/`, { redirect: 'manual' });
      expect(admin.headers.get('location')).toContain(`${url}/wp-login.php`);
    }
    await writePlugin(network, 'good', '1.0');
    await network.offer({
      plugins: { 'good/good.php': { version: '1.1', package: `${bed.packages.url}/none.zip` } },
    });
    await network.storeUpdateTransients();
    const show = `echo json_encode( get_site_transient( 'update_plugins' )->response );`;
    expect(JSON.parse(await network.runPhp(show))).toMatchObject({
      'good/good.php': { new_version: '1.1' },
    });
    expect(await network.runPhp(`echo get_site_option( 'active_sitewide_plugins' ) ? 1 : 0;`)).toBe(
      '0',
    );
    await network.stop();
  });
});

describe('default theme', () => {
  it('is active on every new site', async () => {
    expect(await site.getOption('stylesheet')).toBe(DEFAULT_THEME.slug);
    expect(await site.installedThemes()).toEqual({ [DEFAULT_THEME.slug]: DEFAULT_THEME.version });
  });
});

describe('debug.log', () => {
  it('contains only deprecations of WordPress core', async () => {
    expect(await readNonCoreLines(site)).toEqual([]);
  });
});
