<?php
/**
 * @package Steward
 */

namespace Steward\Updating;

defined( 'ABSPATH' ) || exit;

/** What WordPress loads only for its admin pages, and updates need. */
final class Wordpress_Admin {

	private const FILES = [ 'file', 'misc', 'plugin', 'theme', 'update', 'class-wp-upgrader' ];

	public static function load(): void {
		foreach ( self::FILES as $file ) {
			require_once ABSPATH . 'wp-admin/includes/' . $file . '.php';
		}
	}

	/** Whether files may be changed, and can be without asking anybody for a password. */
	public static function allows_file_changes(): bool {
		self::load();
		return wp_is_file_mod_allowed( 'steward_remote' )
			&& 'direct' === get_filesystem_method( [], WP_PLUGIN_DIR )
			&& WP_Filesystem();
	}
}
