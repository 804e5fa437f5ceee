import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { buildPluginZip } from '@steward/wordpress/scripts/plugin-zip.ts';
import type { WordPressSite } from './site.ts';

export const STEWARD = 'steward/steward.php';
/** For `clearOpcache`, in tests that do not change the files of the Steward plugin. */
export const UNCHANGED_STEWARD = { keep: '/plugins/steward/' };

/** Builds the release zip of the Steward plugin, unpacks it and activates it as WordPress does. */
export async function installSteward(site: WordPressSite, networkWide = false): Promise<void> {
  const zip = join(site.folder, 'steward.zip');
  await buildPluginZip(zip);
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
