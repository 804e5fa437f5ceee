<?php
/**
 * @package Steward
 */

namespace Steward\Updating;

defined( 'ABSPATH' ) || exit;

/** The core as it lies on disk; the running request may still be the old one. */
final class Installed_Core {

	public static function version(): string {
		return self::read( 'wp_version' );
	}

	/** Whether the database is that of an older core. */
	public static function needs_database_upgrade(): bool {
		global $wpdb;
		$version = $wpdb->get_var( "SELECT option_value FROM {$wpdb->options} WHERE option_name = 'db_version'" );
		return (int) $version < (int) self::read( 'wp_db_version' );
	}

	private static function read( string $name ): string {
		clearstatcache( true );
		$source = (string) file_get_contents( ABSPATH . WPINC . '/version.php' );
		return preg_match( '/^\$' . $name . '\s*=\s*[\'"]?([^\'";]+)/m', $source, $match ) ? $match[1] : '';
	}
}
