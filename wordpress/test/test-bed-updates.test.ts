import { type Bed, openBed } from '@steward/testkit/wordpress/bed.ts';
import { writePlugin, writeTheme } from '@steward/testkit/wordpress/packages.ts';
import { PhpObject } from '@steward/testkit/wordpress/php-serialize.ts';
import type { WordPressSite } from '@steward/testkit/wordpress/site.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readNonCoreLines } from './support/debug-log.ts';

const TRANSIENTS = ['update_plugins', 'update_themes', 'update_core'];
const UPGRADE = `require_once ABSPATH . 'wp-admin/includes/admin.php';
require_once ABSPATH . 'wp-admin/includes/class-wp-upgrader.php';
$skin = new WP_Ajax_Upgrader_Skin();`;

async function readVersionOnPage(of: WordPressSite): Promise<string | undefined> {
  const page = await (await fetch(`${of.url}/`)).text();
  return /content="WordPress ([\d.]+)"/.exec(page)?.[1];
}

describe('updates', () => {
  let bed: Bed;
  let updated: WordPressSite;
  let untouched: WordPressSite;
  const startSeconds = Math.floor(Date.now() / 1000);

  beforeAll(async () => {
    bed = await openBed();
    untouched = await bed.createSite();
    await writePlugin(untouched, 'quiet', '1.0');
    updated = await bed.createSite();
    const { packages } = bed;
    for (const name of ['good', 'broken', 'garbled', 'quiet', 'newest'])
      await writePlugin(updated, name, '1.0');
    await writeTheme(updated, 'spare', '2.0');
    await updated.setCoreVersion('6.0');
    await updated.setActivePlugins(['good/good.php']);
    await updated.offer({
      plugins: {
        'good/good.php': { version: '1.1', package: await packages.plugin('good', '1.1') },
        'broken/broken.php': {
          version: '1.10',
          package: await packages.plugin('broken', '1.10', { corrupt: true }),
        },
        'garbled/garbled.php': {
          version: '1.1',
          package: await packages.plugin('garbled', '1.1', { corrupt: 'garbled' }),
        },
        'newest/newest.php': { version: '1.0', package: `${packages.url}/none.zip` },
        'absent/absent.php': { version: '1.0', package: `${packages.url}/none.zip` },
      },
      themes: { plain: { version: '1.2', package: await packages.theme('plain', '1.2') } },
      core: { version: '6.1', package: await packages.corePackage('6.1') },
    });
  });

  afterAll(() => bed?.stop());

  /** Reads the stored transients and replaces their time. */
  async function readTransients(of: WordPressSite) {
    const stored = [];
    for (const name of TRANSIENTS) {
      const value = await of.getOption(`_site_transient_${name}`);
      if (!(value instanceof PhpObject)) throw new Error(`${name} is not stored.`);
      expect(Number(value.properties.last_checked)).toBeGreaterThanOrEqual(startSeconds);
      stored.push({ ...value.properties, last_checked: 'now' });
    }
    return stored;
  }

  it('are found by WordPress and match the transients that the test bed stores', async () => {
    // WordPress stores the checked versions only the second time.
    await updated.runPhp('wp_update_plugins(); wp_update_themes(); wp_version_check();');
    await updated.runPhp('wp_update_plugins();');
    const found = await readTransients(updated);
    expect(found).toMatchObject([
      { response: { 'good/good.php': { properties: { new_version: '1.1' } } } },
      { response: { plain: { new_version: '1.2' } } },
      { updates: [{ properties: { response: 'upgrade', version: '6.1' } }] },
    ]);

    for (const name of TRANSIENTS) await updated.deleteOption(`_site_transient_${name}`);
    await updated.storeUpdateTransients();
    expect(await readTransients(updated)).toStrictEqual(found);
  });

  it('match the transients of the test bed when there are none', async () => {
    await untouched.runPhp('wp_update_plugins(); wp_update_themes(); wp_version_check();');
    await untouched.runPhp('wp_update_plugins();');
    const found = await readTransients(untouched);
    await untouched.storeUpdateTransients();
    expect(await readTransients(untouched)).toStrictEqual(found);
  });

  it('of a plugin are installed by WordPress', async () => {
    const printed = await updated.runPhp(`${UPGRADE}
      echo json_encode( ( new Plugin_Upgrader( $skin ) )->upgrade( 'good/good.php' ) );`);
    expect(printed).toBe('true');
    expect((await updated.installedPlugins())['good/good.php']).toBe('1.1');
  });

  it('from a broken package fail', async () => {
    // WordPress deletes the list of plugin updates after each update.
    const printed = await updated.runPhp(`${UPGRADE}
      wp_update_plugins();
      $result = ( new Plugin_Upgrader( $skin ) )->upgrade( 'broken/broken.php' );
      echo json_encode( array( $result, $skin->get_errors()->get_error_code() ) );`);
    expect(printed).toBe('[null,"incompatible_archive"]');
    expect((await updated.installedPlugins())['broken/broken.php']).toBe('1.0');
  });

  it('from a garbled package destroy the plugin, and WordPress reports success', async () => {
    const printed = await updated.runPhp(`${UPGRADE}
      wp_update_plugins();
      echo json_encode( ( new Plugin_Upgrader( $skin ) )->upgrade( 'garbled/garbled.php' ) );`);
    expect(printed).toBe('true');
    expect(await updated.installedPlugins()).not.toHaveProperty(['garbled/garbled.php']);
  });

  it('of a theme are installed by WordPress', async () => {
    const printed = await updated.runPhp(`${UPGRADE}
      echo json_encode( ( new Theme_Upgrader( $skin ) )->upgrade( 'plain' ) );`);
    expect(printed).toBe('true');
    expect(await updated.installedThemes()).toEqual({ plain: '1.2', spare: '2.0' });
  });

  it('of core are installed by WordPress, and the server runs the new files', async () => {
    expect(await readVersionOnPage(updated)).toBe('6.0');
    const printed = await updated.runPhp(`${UPGRADE}
      $update = find_core_update( '6.1', 'en_US' );
      echo json_encode( ( new Core_Upgrader( $skin ) )->upgrade( $update ) );`);
    expect(printed).toBe('"6.1"');
    expect(await updated.coreVersion()).toBe('6.1');
    await updated.clearOpcache();
    expect(await readVersionOnPage(updated)).toBe('6.1');
  });

  it('log no PHP warnings', async () => {
    for (const site of [updated, untouched]) {
      expect(await readNonCoreLines(site)).toEqual([]);
    }
  });
});
