<?php
/**
 * @package Steward
 */

namespace Steward\Self_Update;

use Steward\Watchdog\Files;
use const Steward\PLUGIN_FILE;
use const Steward\VERSION;

defined( 'ABSPATH' ) || exit;

/** The installed Steward plugin. During a self-update, the files on disk differ from the running code. */
final class Own_Plugin {

	const SLUG = 'steward';

	/** Returns the plugin file, such as steward/steward.php. */
	public static function file(): string {
		return plugin_basename( PLUGIN_FILE );
	}

	public static function folder(): string {
		return WP_PLUGIN_DIR . '/' . dirname( self::file() );
	}

	/** Returns the version on disk. */
	public static function version(): string {
		clearstatcache( true );
		$headers = is_file( PLUGIN_FILE ) ? get_file_data( PLUGIN_FILE, [ 'version' => 'Version' ] ) : [];
		return ( $headers['version'] ?? '' ) ?: VERSION;
	}

	/** Loads all classes. Call this before the files are replaced: the running code must not load files of another version. */
	public static function load_all_classes(): void {
		$folder = dirname( PLUGIN_FILE ) . '/includes/';
		foreach ( Files::list_files( $folder ) as $file ) {
			$name = substr( str_replace( '\\', '/', $file ), strlen( $folder ) );
			// Files with classes start with a capital letter.
			if ( preg_match( '~(^|/)[A-Z]\w*\.php$~D', $name ) ) {
				class_exists( 'Steward\\' . str_replace( '/', '\\', substr( $name, 0, -4 ) ) );
			}
		}
	}
}
