<?php
/**
 * @package Steward
 */

namespace Steward\Test;

use Steward\Watchdog\Files;
use Steward\Watchdog\State;

/** The folder of a site, without WordPress. All tests of a run share it, because its path is a constant. */
final class Site_Folder {

	public static function create(): string {
		$folder = sys_get_temp_dir() . '/steward-phpunit-' . bin2hex( random_bytes( 8 ) );
		mkdir( $folder );
		register_shutdown_function(
			static function () use ( $folder ): void {
				Files::delete( $folder );
			}
		);
		return (string) realpath( $folder );
	}

	/** Deletes the files of the test before. */
	public static function reset(): void {
		Files::delete( WP_CONTENT_DIR );
		Files::delete( ini_get( 'error_log' ) );
		mkdir( WP_PLUGIN_DIR, 0777, true );
		mkdir( State::folder() );
	}

	/**
	 * Creates the folder of a plugin and its main file.
	 *
	 * @return string The folder.
	 */
	public static function add_plugin( string $folder, string $version ): string {
		mkdir( $folder );
		file_put_contents( $folder . '/plugin.php', $version );
		return $folder;
	}

	/** Returns the version in the main file, or null if there is no plugin. */
	public static function read_version( string $folder ): ?string {
		return is_file( $folder . '/plugin.php' ) ? file_get_contents( $folder . '/plugin.php' ) : null;
	}

	public static function read_log(): string {
		return is_file( ini_get( 'error_log' ) ) ? file_get_contents( ini_get( 'error_log' ) ) : '';
	}
}
