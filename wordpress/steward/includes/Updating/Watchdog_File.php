<?php
/**
 * @package Steward
 */

namespace Steward\Updating;

use Steward\Self_Update\Update_Guard;
use Steward\Watchdog\Files;
use const Steward\PLUGIN_FILE;

defined( 'ABSPATH' ) || exit;

/** The must-use plugin file. It loads the watchdog before a broken plugin can end the request. */
final class Watchdog_File {

	/** Writes the file if it is missing or contains an old path. Runs before every update. */
	public static function install(): void {
		if ( is_file( self::path() ) && file_get_contents( self::path() ) === self::content() ) {
			return;
		}
		// A web server would deliver this file as text, and it contains a path of the site.
		$temporary = dirname( self::path() ) . '/.steward-' . bin2hex( random_bytes( 16 ) );
		if ( ! wp_mkdir_p( dirname( self::path() ) ) || ! @file_put_contents( $temporary, self::content() ) || ! @rename( $temporary, self::path() ) ) {
			error_log( 'Steward: could not install the watchdog as ' . self::path() );
		}
		// After a move of the folders, the health check must not run the compiled file with the old path. The class is missing
		// while the files of this plugin are incomplete.
		class_exists( Files::class, false ) && Files::invalidate_opcache_file( self::path() );
	}

	public static function remove(): void {
		Update_Guard::remove();
		if ( is_file( self::path() ) ) {
			@unlink( self::path() );
		}
	}

	private static function path(): string {
		return WPMU_PLUGIN_DIR . '/steward-watchdog.php';
	}

	private static function content(): string {
		$start = var_export( dirname( PLUGIN_FILE ) . '/watchdog/start.php', true );
		return <<<PHP
			<?php
			/**
			 * Plugin Name: Steward Watchdog
			 * Description: Restores the previous version of a plugin or theme after an interrupted update. Steward installs and removes this file.
			 * License:     GPL-2.0-or-later
			 */
			defined( 'ABSPATH' ) || exit;
			is_file( $start ) && require_once $start;

			PHP;
	}
}
