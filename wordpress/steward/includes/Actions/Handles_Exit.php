<?php
/**
 * @package Steward
 */

namespace Steward\Actions;

use WP_Error;

defined( 'ABSPATH' ) || exit;

/** An action that can succeed even if the code of the plugin ends the request. */
interface Handles_Exit {

	/**
	 * Verifies the result after the plugin has ended the request.
	 *
	 * @param string      $plugin Plugin file.
	 * @param string|null $fatal  Fatal error that ended the request. Null: the plugin called exit.
	 * @return array|WP_Error Same as run().
	 */
	public function after_exit( string $plugin, ?string $fatal );
}
