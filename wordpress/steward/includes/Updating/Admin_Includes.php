<?php
/**
 * @package Steward
 */

namespace Steward\Updating;

defined( 'ABSPATH' ) || exit;

/** Loads the files of wp-admin/includes that updates need. REST requests and WP-Cron do not load them. */
final class Admin_Includes {

	private const FILES = [ 'file', 'misc', 'plugin', 'theme', 'update', 'class-wp-upgrader' ];

	public static function load(): void {
		require_once __DIR__ . '/set-time-limit.php';
		foreach ( self::FILES as $file ) {
			require_once ABSPATH . 'wp-admin/includes/' . $file . '.php';
		}
	}
}
