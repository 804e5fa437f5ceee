<?php
/**
 * @package Steward
 */

namespace Steward\Updating;

defined( 'ABSPATH' ) || exit;

/** The core files on disk. The running request may still use the old core. */
final class Installed_Core {

	public static function version(): string {
		return self::read( 'wp_version' );
	}

	/** Whether the tables of a site belong to an older core. Reads the database directly to bypass caches. */
	public static function needs_database_upgrade( int $site ): bool {
		global $wpdb;
		$options = $wpdb->get_blog_prefix( $site ) . 'options';
		$version = $wpdb->get_var( "SELECT option_value FROM {$options} WHERE option_name = 'db_version'" ); // phpcs:ignore WordPress.DB
		return (int) $version < (int) self::read( 'wp_db_version' );
	}

	private static function read( string $name ): string {
		clearstatcache( true );
		$source = (string) file_get_contents( ABSPATH . WPINC . '/version.php' );
		return preg_match( '/^\$' . $name . '\s*=\s*[\'"]?([^\'";]+)/m', $source, $match ) ? $match[1] : '';
	}
}
