<?php
/**
 * @package Steward
 */

namespace Steward\Actions;

use WP_Error;

defined( 'ABSPATH' ) || exit;

/** An action on one plugin. */
interface Action {

	/** Whether the action changes files. */
	public function changes_files(): bool;

	/**
	 * Runs the action and verifies its result.
	 *
	 * @param string $plugin File of an installed plugin.
	 * @return array|WP_Error Additional response fields: `verified`, `warnings` and `new_plugin` (the new plugin file, if an
	 *                        update renamed it). Usually empty.
	 */
	public function run( string $plugin );
}
