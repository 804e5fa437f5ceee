import { existsSync } from 'node:fs';
import { readdir, symlink, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { writePlugin } from '../test-bed/packages.ts';
import { expectQuiet } from './support/debug-log.ts';
import { useLicensedSite } from './support/use-licensed-site.ts';

const FATAL = 'this_function_does_not_exist();';
const wordpress = useLicensedSite();

const status = async (path: string) => (await fetch(wordpress.site.url + path)).status;

/** What must be true after every update, however it went. */
afterEach(async () => {
  const { root, getOption } = wordpress.site;
  expect(existsSync(join(root, '.maintenance'))).toBe(false);
  expect(await getOption('steward.lock')).toBeUndefined();
  expect(await getOption('auto_updater.lock')).toBeUndefined();
  const kept = (await readdir(await wordpress.stateFolder())).toSorted();
  expect(kept).toEqual(['.htaccess', 'index.php', 'lock']);
  expect(await status('/')).toBe(200);
});

describe('a package that is broken', () => {
  it('fails alone, with the reason, and all else is updated, active and reported', async () => {
    for (const name of ['alpha', 'broken', 'omega']) {
      await wordpress.plugin(name);
      await wordpress.offerPlugin(name, { corrupt: name === 'broken' });
    }
    await wordpress.offerTheme('plain');
    const before = (await wordpress.site.lastReport()).at;
    const { success, results, errors } = await wordpress.update();
    expect(success).toBe(false);
    expect(results.plugins.map(({ slug, new_version }) => [slug, new_version])).toEqual([
      ['alpha/alpha.php', '2.0'],
      ['broken/broken.php', '1.0'],
      ['omega/omega.php', '2.0'],
    ]);
    // WordPress says only that it is incompatible; why, stands beside it.
    expect(errors).toEqual([
      { type: 'plugin', slug: 'broken/broken.php', error: expect.stringMatching(/PCLZIP|zip/i) },
    ]);
    const { plugins, themes, active } = await wordpress.look();
    expect(plugins).toMatchObject({ 'alpha/alpha.php': '2.0', 'broken/broken.php': '1.0' });
    expect(themes.plain).toBe('2.0');
    expect(active).toEqual(['alpha/alpha.php', 'broken/broken.php', 'omega/omega.php']);
    const { inventory, at } = await wordpress.site.lastReport();
    expect(at).toBeGreaterThan(before);
    expect(
      inventory?.plugins.map(({ plugin, version, new_version }) => [plugin, version, new_version]),
    ).toEqual(
      expect.arrayContaining([
        ['alpha/alpha.php', '2.0', undefined],
        ['broken/broken.php', '1.0', '2.0'],
      ]),
    );
    await expectQuiet(wordpress.site);
  });

  for (const [what, offer, reason] of [
    ['unpacks to files that are empty', { corrupt: 'garbled' }, /does not contain|could not/],
    ['holds another version', { version: '1.5' }, /holds version 1\.5 instead of 2\.0/],
    ['holds another plugin', { file: 'other/other.php' }, /does not contain shop\/shop\.php/],
    ['is a file without a folder', { file: 'shop.php' }, /does not contain shop\/shop\.php/],
    ['needs a newer PHP', { requiresPhp: '99.0' }, /requires PHP 99\.0/],
    ['needs a newer WordPress', { requiresWordPress: '99.0' }, /requires WordPress 99\.0/],
  ] as const) {
    it(`is refused before anything is replaced when it ${what}`, async () => {
      await wordpress.plugin('shop');
      await wordpress.offerPlugin('shop', offer);
      const { results } = await wordpress.update();
      expect(results.plugins).toEqual([
        {
          slug: 'shop/shop.php',
          new_version: '1.0',
          success: false,
          error: expect.stringMatching(reason),
        },
      ]);
      expect(await readdir(join(wordpress.site.root, 'wp-content/plugins'))).toEqual(
        expect.not.arrayContaining(['other']),
      );
      await expectQuiet(wordpress.site);
    });
  }
});

describe('a new version that is a fatal error', () => {
  it('is taken back with its reason, and the site answers as before', async () => {
    await wordpress.plugin('alpha');
    await wordpress.offerPlugin('alpha');
    await wordpress.plugin('deadly', { body: "define( 'DEADLY', 1 );" });
    await wordpress.offerPlugin('deadly', { body: FATAL });
    const { success, results } = await wordpress.update();
    expect(success).toBe(false);
    expect(results.plugins).toEqual([
      { slug: 'alpha/alpha.php', new_version: '2.0', success: true },
      {
        slug: 'deadly/deadly.php',
        new_version: '1.0',
        success: false,
        error: expect.stringMatching(
          /2\.0 breaks the site: .*this_function_does_not_exist.* Version 1\.0 was put back/,
        ),
      },
    ]);
    const { plugins, active } = await wordpress.look();
    expect(plugins['deadly/deadly.php']).toBe('1.0');
    expect(active).toContain('deadly/deadly.php');
    expect(await status('/wp-login.php')).toBe(200);
    expect((await wordpress.call('sync')).status).toBe(200);
  });

  it('is found out also when it dies only in the admin area', async () => {
    const file = await wordpress.plugin('deadly');
    await wordpress.offerPlugin('deadly', { body: `if ( is_admin() ) { ${FATAL} }` });
    const answer = await wordpress.act('update', file);
    expect(answer).toMatchObject({ status: 500, body: { code: 'action_failed' } });
    expect(await status('/wp-login.php')).toBe(200);
    expect((await wordpress.look()).plugins[file]).toBe('1.0');
  });

  it('is found out also when it cannot even be compiled', async () => {
    const file = await wordpress.plugin('deadly');
    await wordpress.offerPlugin('deadly', { body: 'function {' });
    expect((await wordpress.act('update', file)).body.error).toMatch(/syntax error/);
    expect((await wordpress.look()).plugins[file]).toBe('1.0');
  });

  it('is no fault of a plugin that is not active', async () => {
    const file = await wordpress.plugin('deadly', { active: false });
    await wordpress.offerPlugin('deadly', { body: FATAL });
    expect((await wordpress.act('update', file)).status).toBe(200);
    expect((await wordpress.look()).plugins[file]).toBe('2.0');
  });

  for (const [where, body] of [
    [
      'the REST API, through which it could no longer be mended',
      "add_action( 'rest_api_init', 'no_such_function' );",
    ],
    ['admin pages', "add_action( 'admin_init', 'no_such_function' );"],
  ] as const) {
    it(`is found out in ${where}`, async () => {
      const file = await wordpress.plugin('deadly');
      await wordpress.offerPlugin('deadly', { body });
      expect((await wordpress.act('update', file)).body.error).toMatch(/no_such_function/);
      expect((await wordpress.call('sync')).status).toBe(200);
    });
  }

  it('is found out also when the home page leads elsewhere', async () => {
    await wordpress.mustUse(
      `add_action( 'template_redirect', function () {
        if ( '/' === strtok( $_SERVER['REQUEST_URI'], '?' ) ) { wp_redirect( wp_login_url() ); exit; }
      }, 1 );`,
    );
    const file = await wordpress.plugin('deadly');
    await wordpress.offerPlugin('deadly', {
      body: `if ( ! is_admin() ) { add_action( 'wp', function () { ${FATAL} } ); }`,
    });
    expect((await wordpress.act('update', file)).body.error).toMatch(/this_function_does_not/);
  });

  it('is as bad when it does not die but hangs', async () => {
    await wordpress.mustUse(
      "add_filter( 'steward_health_check_timeout', function () { return 1; } );",
    );
    const file = await wordpress.plugin('slow');
    await wordpress.offerPlugin('slow', {
      body: 'if ( isset( $_GET["wp_scrape_key"] ) ) { sleep( 2 ); }',
    });
    expect((await wordpress.act('update', file)).body.error).toMatch(/no longer answer/);
    expect((await wordpress.look()).plugins[file]).toBe('1.0');
  });

  it('is taken back for a theme too', async () => {
    await wordpress.theme('plain', { body: '' });
    await wordpress.offerTheme('plain', { body: FATAL });
    const { results } = await wordpress.update();
    expect(results.themes).toEqual([
      {
        slug: 'plain',
        new_version: '1.0',
        success: false,
        error: expect.stringContaining('this_function_does_not_exist'),
      },
    ]);
    expect((await wordpress.look()).themes.plain).toBe('1.0');
  });

  it('is found out also when the request cannot make PHP forget what it has compiled', async () => {
    // As in a request that began while the whole cache was about to be emptied.
    await wordpress.mustUse(
      `ini_set( 'opcache.revalidate_freq', '4' );
      if ( strpos( $_SERVER['REQUEST_URI'], 'remote/update' ) ) { ini_set( 'opcache.enable', '0' ); }`,
    );
    await wordpress.theme('plain', { body: '' });
    // PHP keeps no file that is younger than two seconds.
    const functions = join(wordpress.site.root, 'wp-content/themes/plain/functions.php');
    await utimes(functions, new Date('2024-01-01'), new Date('2024-01-01'));
    await wordpress.offerTheme('plain', { body: FATAL });
    const { results } = await wordpress.update();
    expect(results.themes[0]?.error).toContain('this_function_does_not_exist');
    expect((await wordpress.look()).themes.plain).toBe('1.0');
    expect(await status('/')).toBe(200);
  });

  it('is not blamed on an update when the site was broken before, or cannot be asked', async () => {
    const file = await wordpress.plugin('shop');
    await wordpress.offerPlugin('shop');
    const hidden = await wordpress.mustUse(
      `add_filter( 'pre_http_request', function ( $answer, $request, $url ) {
        return strpos( $url, 'wp_scrape_key' ) ? new WP_Error( 'no', 'No loopback here.' ) : $answer;
      }, 20, 3 );`,
    );
    expect((await wordpress.act('update', file)).status).toBe(200);
    await hidden.remove();
    expect((await wordpress.look()).plugins[file]).toBe('2.0');
  });
});

describe('what other plugins do meanwhile', () => {
  for (const [what, hook, code] of [
    ['flush all buffers', 'upgrader_process_complete', "show_message( 'Caches cleared' );"],
    [
      'close all buffers',
      'upgrader_process_complete',
      'while ( ob_get_level() ) { ob_end_clean(); }',
    ],
    ['print before the work', 'init', "echo '<b>hi</b>';"],
    ['print after the answer', 'shutdown', "echo '<!-- cached -->';"],
  ] as const) {
    it(`does not get into the JSON when they ${what}`, async () => {
      await wordpress.mustUse(`add_action( '${hook}', function () { ${code} } );`);
      await wordpress.plugin('shop');
      await wordpress.offerPlugin('shop');
      expect((await wordpress.update()).success).toBe(true);
    });
  }

  it('does not get into the JSON when they print while they are loaded', async () => {
    await wordpress.plugin('aaa', { body: 'echo "\n<i>loaded</i>";' });
    expect(await wordpress.call('sync')).toEqual({ status: 200, body: { success: true } });
  });

  it('does not get into the JSON when they print', async () => {
    await wordpress.mustUse(
      `add_action( 'upgrader_process_complete', function () { echo '<b>Done!</b>'; } );
      add_filter( 'upgrader_source_selection', function ( $s ) { ob_start(); echo 'open'; return $s; } );`,
    );
    await wordpress.plugin('shop');
    await wordpress.offerPlugin('shop');
    expect((await wordpress.update()).success).toBe(true);
    expect(await wordpress.site.debugLog()).toContain('<b>Done!</b>');
  });

  it('fails the item, not the request, when they throw, and the old version is back', async () => {
    await wordpress.mustUse(
      `add_filter( 'upgrader_post_install', function ( $ok, $extra ) {
        if ( 'shop/shop.php' === ( $extra['plugin'] ?? '' ) ) { throw new Exception( 'I object.' ); }
        return $ok;
      }, 10, 2 );`,
    );
    await wordpress.plugin('shop');
    await wordpress.offerPlugin('shop');
    await wordpress.plugin('zebra');
    await wordpress.offerPlugin('zebra');
    const { results } = await wordpress.update();
    expect(results.plugins).toEqual([
      expect.objectContaining({
        slug: 'shop/shop.php',
        new_version: '1.0',
        error: 'I object. Version 1.0 was put back.',
      }),
      { slug: 'zebra/zebra.php', new_version: '2.0', success: true },
    ]);
  });

  it('is made good when they deactivate what is being updated', async () => {
    await wordpress.mustUse(
      `add_filter( 'upgrader_post_install', function ( $ok ) {
        deactivate_plugins( 'shop/shop.php', true );
        return $ok;
      } );`,
    );
    await wordpress.plugin('shop');
    await wordpress.offerPlugin('shop');
    expect((await wordpress.update()).success).toBe(true);
    expect((await wordpress.look()).active).toEqual(['shop/shop.php']);
  });

  it('does not change what is updated when they wipe the list of updates', async () => {
    await wordpress.mustUse(
      `add_action( 'upgrader_process_complete', function () { delete_site_transient( 'update_plugins' ); } );`,
    );
    for (const name of ['alpha', 'beta', 'gamma']) {
      await wordpress.plugin(name);
      await wordpress.offerPlugin(name);
    }
    expect((await wordpress.update()).results.plugins).toHaveLength(3);
    expect(Object.values((await wordpress.look()).plugins).filter((v) => v === '2.0')).toHaveLength(
      3,
    );
  });
});

describe('what is pending', () => {
  it('is one version, however many zeros it is written with', async () => {
    const file = await wordpress.plugin('shop');
    await wordpress.offerPlugin('shop', { version: '2.0.0' });
    expect((await wordpress.act('update', file)).status).toBe(200);
    expect((await wordpress.update()).results.plugins).toEqual([]);
  });

  it('is nothing that is installed already, whatever the list says', async () => {
    await wordpress.plugin('shop');
    await wordpress.offerPlugin('shop');
    await writePlugin(wordpress.site, 'shop', '2.0');
    expect((await wordpress.update()).results.plugins).toEqual([]);
    await expectQuiet(wordpress.site);
  });

  it('is asked anew for a single plugin, and a list that cannot be had is no "up to date"', async () => {
    const file = await wordpress.plugin('shop');
    await wordpress.mustUse(
      `add_filter( 'pre_http_request', function ( $answer, $request, $url ) {
        return strpos( $url, 'api.wordpress.org' ) ? new WP_Error( 'no', 'Not reachable.' ) : $answer;
      }, 20, 3 );`,
    );
    const answer = await wordpress.act('update', file);
    expect(answer.status).toBe(500);
    expect(answer.body.error).toMatch(/could not find out/);
    expect((await wordpress.call('sync')).body.error).toMatch(/could not look for updates/);
  });
});

describe('where a plugin lies', () => {
  it('matters: a single file would be moved into a folder, and is left to people', async () => {
    const file = await wordpress.plugin('hello', { file: 'hello.php' });
    const address = await wordpress.bed.packages.plugin('hello-dolly', '2.0');
    await wordpress.site.offer({ plugins: { [file]: { version: '2.0', package: address } } });
    await wordpress.site.storeUpdateTransients();
    expect((await wordpress.act('update', file)).body.error).toMatch(/single file/);
    expect((await wordpress.look()).plugins).toMatchObject({ [file]: '1.0' });
  });

  it('is not touched when it is a link to elsewhere', async () => {
    const elsewhere = join(wordpress.site.folder, 'elsewhere');
    await writePlugin({ root: elsewhere }, 'linked', '1.0');
    await symlink(
      join(elsewhere, 'wp-content/plugins/linked'),
      join(wordpress.site.root, 'wp-content/plugins/linked'),
    );
    await wordpress.site.setActivePlugins(['linked/linked.php', 'steward/steward.php']);
    await wordpress.offerPlugin('linked');
    expect((await wordpress.update()).results.plugins).toEqual([
      expect.objectContaining({ new_version: '1.0', error: expect.stringContaining('link') }),
    ]);
    expect((await wordpress.act('delete', 'linked/linked.php')).body.error).toContain('link');
    expect(existsSync(join(elsewhere, 'wp-content/plugins/linked/linked.php'))).toBe(true);
    await expectQuiet(wordpress.site);
  });
});
