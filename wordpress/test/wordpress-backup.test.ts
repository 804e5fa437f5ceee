import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { useLicensedSite } from './support/use-licensed-site.ts';

const wordpress = useLicensedSite();

/**
 * Since 6.3 WordPress backs up the old version itself, right after the filter in which Steward does, and restores its
 * backup at the end of a failed request. Debian has 6.1, so the test patches that step into it.
 */
async function patchLikeWordPress63(): Promise<void> {
  const file = join(wordpress.site.root, 'wp-admin/includes/class-wp-upgrader.php');
  const source = await readFile(file, 'utf8');
  const filter = source.indexOf("apply_filters( 'upgrader_source_selection'");
  const at = source.indexOf('}', source.indexOf('return $source;', filter)) + 1;
  const step = `
		if ( ! empty( $args['hook_extra']['temp_backup'] ) ) {
			[ 'slug' => $slug, 'src' => $src, 'dir' => $dir ] = $args['hook_extra']['temp_backup'];
			$backup = WP_CONTENT_DIR . "/upgrade-temp-backup/$dir/$slug";
			wp_mkdir_p( dirname( $backup ) );
			add_action( 'shutdown', function () use ( $src, $slug, $backup, $wp_filesystem ) {
				$wp_filesystem->delete( "$src/$slug", true );
				rename( $backup, "$src/$slug" );
			} );
			if ( ! @rename( "$src/$slug", $backup ) ) {
				wp_mkdir_p( $backup );
				return new WP_Error( 'fs_temp_backup_move', 'Could not move the old version to the upgrade-temp-backup directory.' );
			}
		}`;
  const options = `\n		if ( isset( $options['hook_extra']['plugin'] ) ) { $options['hook_extra']['temp_backup'] = array( 'slug' => dirname( $options['hook_extra']['plugin'] ), 'src' => WP_PLUGIN_DIR, 'dir' => 'plugins' ); }`;
  const patched = `${source.slice(0, at)}${step}${source.slice(at)}`.replace(
    '$options = wp_parse_args( $options, $defaults );',
    (line) => line + options,
  );
  await writeFile(file, patched);
  await wordpress.site.clearOpcache();
}

describe('WordPress with its own backup', () => {
  it('leaves backup and restore to Steward', async () => {
    await patchLikeWordPress63();
    await wordpress.plugin('shop');
    await wordpress.offerPlugin('shop');
    expect((await wordpress.update()).success).toBe(true);
    expect((await wordpress.readInstalled()).plugins['shop/shop.php']).toBe('2.0');
    await wordpress.plugin('deadly');
    await wordpress.offerPlugin('deadly', { body: 'no_such_function();' });
    expect((await wordpress.update()).success).toBe(false);
    expect((await wordpress.readInstalled()).plugins['deadly/deadly.php']).toBe('1.0');
  });
});
