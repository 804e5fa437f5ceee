<?php
/**
 * @package Steward
 */

namespace Steward\Updating;

use const Steward\PLUGIN_FILE;

defined( 'ABSPATH' ) || exit;

/** The copy of the watchdog among the must-use plugins, which are loaded before a broken plugin can end the request. */
final class Watchdog_File {

	/** Before every update, and when this plugin was updated: the copy may be gone, or an older one. */
	public static function install(): void {
		$source = dirname( PLUGIN_FILE ) . '/watchdog/steward-watchdog.php';
		if ( is_file( self::path() ) && md5_file( self::path() ) === md5_file( $source ) ) {
			return;
		}
		$temporary = self::path() . '.new';
		if ( ! wp_mkdir_p( dirname( self::path() ) ) || ! @copy( $source, $temporary ) || ! @rename( $temporary, self::path() ) ) {
			error_log( 'Steward: the watchdog could not be installed as ' . self::path() );
		}
	}

	public static function remove(): void {
		if ( is_file( self::path() ) ) {
			@unlink( self::path() );
		}
	}

	private static function path(): string {
		return WPMU_PLUGIN_DIR . '/steward-watchdog.php';
	}
}
