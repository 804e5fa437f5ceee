import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createPluginZip } from '@steward/panel/wordpress-plugin';
import type { WordPressSite } from './site.ts';

export const STEWARD = 'steward/steward.php';
/** For `clearOpcache`, in tests that do not change the files of the Steward plugin. */
export const UNCHANGED_STEWARD = { keep: '/plugins/steward/' };

/** The release zip of the Steward plugin, built once per process. */
let builtZip: Promise<Buffer> | undefined;

/** Unpacks the release zip of the Steward plugin and activates it as WordPress does. */
export async function installSteward(site: WordPressSite, networkWide = false): Promise<void> {
  const zip = join(site.folder, 'steward.zip');
  builtZip ??= createPluginZip();
  await writeFile(zip, await builtZip);
  await site.unpackPlugin(zip);
  await rm(zip);
  await activateSteward(site, networkWide);
}

export async function activateSteward(site: WordPressSite, networkWide = false): Promise<void> {
  const printed = await site.runPhpInServer(`
    require_once ABSPATH . 'wp-admin/includes/plugin.php';
    $result = activate_plugin( '${STEWARD}', '', ${networkWide} );
    echo is_wp_error( $result ) ? $result->get_error_message() : 'activated';
  `);
  if (printed !== 'activated') throw new Error(`Could not activate the plugin: ${printed}`);
}
