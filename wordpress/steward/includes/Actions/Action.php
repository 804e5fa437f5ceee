<?php
/**
 * @package Steward
 */

namespace Steward\Actions;

use WP_Error;

defined( 'ABSPATH' ) || exit;

/** Something that can be done to one plugin. */
interface Action {

	/** Whether it needs files to be changed. */
	public function changes_files(): bool;

	/**
	 * Does it, and looks whether it is done.
	 *
	 * @param string $plugin Its file; it is installed.
	 * @return array|WP_Error What else is to be said of it: `verified`, `warnings`, `new_plugin`; mostly nothing.
	 */
	public function run( string $plugin );
}
