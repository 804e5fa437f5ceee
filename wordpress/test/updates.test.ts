import { existsSync } from 'node:fs';
import { readdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { writePlugin } from '@steward/testkit/wordpress/packages.ts';
import { describe, expect, it } from 'vitest';
import { expectQuiet } from './support/debug-log.ts';
import { useUpdatedSite } from './support/use-updated-site.ts';

const wordpress = useUpdatedSite();

describe('broken package', () => {
  it('fails with its reason, and all other items are updated, active and reported', async () => {
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
    // WordPress reports only "incompatible"; the error must include the cause.
    expect(errors).toEqual([
      { type: 'plugin', slug: 'broken/broken.php', error: expect.stringMatching(/PCLZIP|zip/i) },
    ]);
    const { plugins, themes, active } = await wordpress.readInstalled();
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
    ['holds another version', { version: '1.5' }, /contains version 1\.5, not 2\.0/],
    ['holds another plugin', { file: 'other/other.php' }, /does not contain shop\/shop\.php/],
    ['is a file without a folder', { file: 'shop.php' }, /does not contain shop\/shop\.php/],
    ['needs a newer PHP', { requiresPhp: '99.0' }, /requires.* 99\.0/],
    ['needs a newer WordPress', { requiresWordPress: '99.0' }, /requires.* 99\.0/],
  ] as const) {
    it(`is refused before any change when it ${what}`, async () => {
      await wordpress.plugin('shop');
      await wordpress.offerPlugin('shop', offer);
      const { results } = await wordpress.update();
      expect(results.plugins).toEqual([
        {
          slug: 'shop/shop.php',
          name: 'shop',
          old_version: '1.0',
          new_version: '1.0',
          success: false,
          error: expect.stringMatching(reason),
          // The panel predicts unmet requirements from the same code.
          code: what.startsWith('needs') ? expect.stringMatching(/too_old$/) : 'package_rejected',
        },
      ]);
      expect(await readdir(join(wordpress.site.root, 'wp-content/plugins'))).toEqual(
        expect.not.arrayContaining(['other']),
      );
      await expectQuiet(wordpress.site);
    });
  }
});

describe('interference by other plugins', () => {
  for (const [what, hook, code] of [
    ['flush all buffers', 'upgrader_process_complete', "show_message( 'Caches cleared' );"],
    [
      'close all buffers',
      'upgrader_process_complete',
      'while ( ob_get_level() ) { ob_end_clean(); }',
    ],
    ['print before the work', 'init', "echo '<b>hi</b>';"],
    ['print after the response', 'shutdown', "echo '<!-- cached -->';"],
  ] as const) {
    it(`keeps the JSON valid when they ${what}`, async () => {
      await wordpress.mustUse(`add_action( '${hook}', function () { ${code} } );`);
      await wordpress.plugin('shop');
      await wordpress.offerPlugin('shop');
      expect((await wordpress.update()).success).toBe(true);
    });
  }

  it('keeps the JSON valid when they print while loading', async () => {
    await wordpress.plugin('aaa', { body: 'echo "\n<i>loaded</i>";' });
    expect(await wordpress.call('sync')).toEqual({ status: 200, body: { success: true } });
  });

  it('keeps the JSON valid when they print', async () => {
    await wordpress.mustUse(
      `add_action( 'upgrader_process_complete', function () { echo '<b>Done!</b>'; } );
      add_filter( 'upgrader_source_selection', function ( $s ) { ob_start(); echo 'open'; return $s; } );`,
    );
    await wordpress.plugin('shop');
    await wordpress.offerPlugin('shop');
    expect((await wordpress.update()).success).toBe(true);
    expect(await wordpress.site.debugLog()).toContain('<b>Done!</b>');
  });

  it('fails and rolls back only the item when they throw', async () => {
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
        error: 'I object. Rolled back to version 1.0.',
        rolled_back: true,
      }),
      expect.objectContaining({ slug: 'zebra/zebra.php', new_version: '2.0', success: true }),
    ]);
  });

  it('is undone when they deactivate the updated plugin', async () => {
    await wordpress.mustUse(
      `add_filter( 'upgrader_post_install', function ( $ok ) {
        deactivate_plugins( 'shop/shop.php', true );
        return $ok;
      } );`,
    );
    await wordpress.plugin('shop');
    await wordpress.offerPlugin('shop');
    expect((await wordpress.update()).success).toBe(true);
    expect((await wordpress.readInstalled()).active).toEqual(['shop/shop.php']);
  });

  it('does not change the updated items when they delete the list of updates', async () => {
    await wordpress.mustUse(
      `add_action( 'upgrader_process_complete', function () { delete_site_transient( 'update_plugins' ); } );`,
    );
    for (const name of ['alpha', 'beta', 'gamma']) {
      await wordpress.plugin(name);
      await wordpress.offerPlugin(name);
    }
    expect((await wordpress.update()).results.plugins).toHaveLength(3);
    expect(
      Object.values((await wordpress.readInstalled()).plugins).filter((v) => v === '2.0'),
    ).toHaveLength(3);
  });
});

describe('pending update', () => {
  it('treats versions with different trailing zeros as equal', async () => {
    const file = await wordpress.plugin('shop');
    await wordpress.offerPlugin('shop', { version: '2.0.0' });
    expect((await wordpress.act('update', file)).status).toBe(200);
    expect((await wordpress.update()).results.plugins).toEqual([]);
  });

  it('is ignored when the version is already installed', async () => {
    await wordpress.plugin('shop');
    await wordpress.offerPlugin('shop');
    await writePlugin(wordpress.site, 'shop', '2.0');
    expect((await wordpress.update()).results.plugins).toEqual([]);
    await expectQuiet(wordpress.site);
  });

  it('is fetched again for a plugin action, which fails when the list is unavailable', async () => {
    const file = await wordpress.plugin('shop');
    await wordpress.mustUse(
      `add_filter( 'pre_http_request', function ( $response, $request, $url ) {
        return strpos( $url, 'api.wordpress.org' ) ? new WP_Error( 'no', 'Not reachable.' ) : $response;
      }, 20, 3 );`,
    );
    const response = await wordpress.act('update', file);
    expect(response.status).toBe(500);
    expect(response.body.error).toMatch(/could not check whether a newer version/);
    expect((await wordpress.call('sync')).body.error).toMatch(/could not check for updates/);
  });
});

describe('package that cannot be downloaded', () => {
  it('leaves the plugin unchanged, and the code names the reason', async () => {
    const file = await wordpress.plugin('shop');
    await wordpress.offerPlugin('shop');
    // The update server of a premium plugin offers no package without a license.
    await wordpress.mustUse(
      `add_filter( 'site_transient_update_plugins', function ( $list ) {
        if ( isset( $list->response['${file}'] ) ) { $list->response['${file}']->package = ''; }
        return $list;
      } );`,
    );
    const [result] = (await wordpress.update()).results.plugins;
    expect(result).toMatchObject({ new_version: '1.0', success: false, code: 'download_failed' });
    await wordpress.mustUse(
      `add_filter( 'upgrader_pre_download', function () {
        return new WP_Error( 'license_expired', 'The license has expired.' );
      } );`,
    );
    const [vetoed] = (await wordpress.update()).results.plugins;
    expect(vetoed).toMatchObject({ code: 'not_started', error: 'The license has expired.' });
    expect((await wordpress.readInstalled()).plugins[file]).toBe('1.0');
    await expectQuiet(wordpress.site);
  });
});

describe('plugin folder that is a symbolic link', () => {
  it('is neither updated nor deleted', async () => {
    const elsewhere = join(wordpress.site.folder, 'elsewhere');
    await writePlugin({ root: elsewhere }, 'linked', '1.0');
    await symlink(
      join(elsewhere, 'wp-content/plugins/linked'),
      join(wordpress.site.root, 'wp-content/plugins/linked'),
    );
    await wordpress.site.setActivePlugins(['linked/linked.php', 'steward/steward.php']);
    await wordpress.offerPlugin('linked');
    expect((await wordpress.update()).results.plugins).toEqual([
      expect.objectContaining({
        new_version: '1.0',
        error: expect.stringContaining('link'),
        code: 'linked_folder',
      }),
    ]);
    expect((await wordpress.act('delete', 'linked/linked.php')).body.error).toContain('link');
    expect(existsSync(join(elsewhere, 'wp-content/plugins/linked/linked.php'))).toBe(true);
    await expectQuiet(wordpress.site);
  });
});
