<?php
/**
 * @package Steward
 */

namespace Steward\Admin;

defined( 'ABSPATH' ) || exit;

/** The panel from which this copy of the plugin was downloaded. Copies from other sources have none. */
final class Suggested_Panel {

	/** Returns the panel address, or an empty string. */
	public static function url(): string {
		$file = dirname( \Steward\PLUGIN_FILE ) . '/panel.php';
		$url  = is_file( $file ) ? include $file : '';
		return is_string( $url ) ? $url : '';
	}
}
