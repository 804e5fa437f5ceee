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

	/** Whether the tables of a site are those of an older core; read past all caches. */
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
