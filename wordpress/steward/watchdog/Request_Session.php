<?php
/**
 * @package Steward
 */

namespace Steward\Watchdog;

use WP_Session_Tokens;

defined( 'ABSPATH' ) || exit;

/** A session for one request. It is never stored. */
final class Request_Session extends WP_Session_Tokens {

	protected function get_sessions() {
		return [];
	}

	protected function get_session( $verifier ) {
		return [ 'expiration' => time() + MINUTE_IN_SECONDS ];
	}

	protected function update_session( $verifier, $session = null ) {}

	protected function destroy_other_sessions( $verifier ) {}

	protected function destroy_all_sessions() {}

	public static function drop_sessions() {}
}
