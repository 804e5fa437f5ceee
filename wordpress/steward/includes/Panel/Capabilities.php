<?php
/**
 * @package Steward
 */

namespace Steward\Panel;

use Steward\Connection;
use WP_REST_Request;

defined( 'ABSPATH' ) || exit;

/** Extensions of the protocol: one is used only when both sides have named it. */
final class Capabilities {

	/** Results say also whether the site was seen working, what a plugin complained of, and where it has gone. */
	const RESULT_DETAILS = 'result_details';

	/** The panel looks at a site that cannot look at itself, and orders what is broken to be put back. */
	const OUTSIDE_LOOK = 'outside_look';

	/** The panel calls the site when it is asked to, and says whether it came through. */
	const PROBE = 'probe';

	/** This site has a key of its own, which opens nothing else. */
	const SITE_KEY = 'site_key';

	/** The panel signs its calls, and this site takes no others. */
	const SIGNED_CALLS = 'signed_calls';

	/** This site logs the calls that it obeys, and reports the log. */
	const CALL_LOG = 'call_log';

	private const DETAILS = [ 'verified', 'warnings', 'new_plugin', 'old_version' ];

	/** @return string[] */
	public static function of_this_plugin(): array {
		$words = [ self::RESULT_DETAILS, self::OUTSIDE_LOOK, self::PROBE ];
		// WordPress brings it where PHP has it not; a host can have disabled it all the same.
		if ( function_exists( 'sodium_crypto_sign_verify_detached' ) ) {
			array_push( $words, self::SITE_KEY, self::SIGNED_CALLS, self::CALL_LOG );
		}
		return (array) apply_filters( 'steward_capabilities', $words );
	}

	/** What is left of a result for a panel that does not know of details. */
	public static function without_unknown_details( array $result ): array {
		return self::panel_has( self::RESULT_DETAILS ) ? $result : array_diff_key( $result, array_flip( self::DETAILS ) );
	}

	public static function panel_has( string $capability ): bool {
		return in_array( $capability, Connection::state()['panel_capabilities'], true );
	}

	/** Whether the panel has said with this call that it looks at the site before and after. */
	public static function panel_looks( WP_REST_Request $request ): bool {
		$body = json_decode( $request->get_body(), true );
		return is_array( $body ) && true === ( $body['outside_look'] ?? false );
	}

	/** @param array $answer Of the panel. */
	public static function remember( array $answer ): void {
		$named = array_values( array_filter( (array) ( $answer['capabilities'] ?? [] ), 'is_string' ) );
		Connection::change_state( [ 'panel_capabilities' => $named ] );
	}
}
