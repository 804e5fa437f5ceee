<?php
/**
 * @package Steward
 */

namespace Steward\Actions;

use WP_Error;

defined( 'ABSPATH' ) || exit;

/** An action in which a plugin may end the request, and be done all the same. */
interface Ends_Early {

	/**
	 * Looks whether it is done, at the end of such a request.
	 *
	 * @param string      $plugin Its file.
	 * @param string|null $fatal  The fatal error that ended the request; null: the plugin did, by exit.
	 * @return array|WP_Error As from run().
	 */
	public function after_exit( string $plugin, ?string $fatal );
}
