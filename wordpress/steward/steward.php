<?php
/**
 * Plugin Name:       Steward
 * Description:       Connects this site to your Steward panel for licensing and verified remote updates.
 * Version:           0.1.0
 * Update URI:        https://steward.invalid/wordpress-plugin
 * Requires at least: 5.9
 * Requires PHP:      7.4
 * Author:            Steward
 * License:           GPL-2.0-or-later
 * License URI:       https://www.gnu.org/licenses/gpl-2.0.html
 * Text Domain:       steward
 * Domain Path:       /languages
 *
 * @package Steward
 */

namespace Steward;

defined( 'ABSPATH' ) || exit;

const VERSION     = '0.1.0';
const PLUGIN_FILE = __FILE__;

// Steward\Rest\Remote_Routes is in includes/Rest/Remote_Routes.php.
spl_autoload_register(
	static function ( string $class_name ): void {
		if ( 0 === strpos( $class_name, __NAMESPACE__ . '\\' ) ) {
			$path = __DIR__ . '/includes/' . str_replace( '\\', '/', substr( $class_name, strlen( __NAMESPACE__ ) + 1 ) ) . '.php';
			if ( is_file( $path ) ) {
				require_once $path;
			}
		}
	}
);

// The must-use plugin has loaded the watchdog, unless its file is missing.
if ( ! class_exists( Watchdog\State::class, false ) ) {
	require_once __DIR__ . '/watchdog/start.php';
	Updating\Watchdog_File::install();
} elseif ( ! defined( 'STEWARD_WATCHDOG' ) || basename( __DIR__ ) . '/watchdog/start.php' !== STEWARD_WATCHDOG ) {
	Updating\Watchdog_File::replace_outdated();
}

// Do not add hooks while WordPress deletes this plugin: hooks would load files that are already deleted.
if ( ! defined( 'WP_UNINSTALL_PLUGIN' ) ) {
	Plugin::start();
}
