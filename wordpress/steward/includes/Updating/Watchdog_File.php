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

	/** Writes the file again if it was written by an older version, or for another folder of this plugin. */
	public static function replace_outdated(): void {
		if ( ! defined( 'STEWARD_WATCHDOG' ) || self::start_file() !== STEWARD_WATCHDOG ) {
			self::install();
		}
	}

	/** Writes the file if it is missing or has other content. Runs before every update. */
	public static function install(): void {
		if ( is_file( self::path() ) && file_get_contents( self::path() ) === self::content() ) {
			return;
		}
		// A web server would deliver this file as text.
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

	/** Returns the file that starts the watchdog, below the folder of all plugins. */
	private static function start_file(): string {
		return dirname( plugin_basename( PLUGIN_FILE ) ) . '/watchdog/start.php';
	}

	/**
	 * The path is derived when the file runs. A full path would load the files of another site in a copy of this site, and
	 * those of an earlier release where each release has a folder.
	 */
	private static function content(): string {
		$start = var_export( self::start_file(), true );
		return <<<PHP
			<?php
			/**
			 * Plugin Name: Steward Watchdog
			 * Description: Restores the previous version of a plugin or theme after an interrupted update, and reports fatal errors. Steward installs and removes this file.
			 * License:     GPL-2.0-or-later
			 */
			defined( 'ABSPATH' ) || exit;
			define( 'STEWARD_WATCHDOG', $start );
			is_file( WP_PLUGIN_DIR . '/' . STEWARD_WATCHDOG ) && require_once WP_PLUGIN_DIR . '/' . STEWARD_WATCHDOG;

			PHP;
	}
}
