<?php
/**
 * @package Steward
 */

namespace Steward\Actions;

use Steward\Connection;
use Steward\Rest\Api_Error;
use Steward\Watchdog\Call_Signature;
use WP_Error;
use WP_REST_Request;

defined( 'ABSPATH' ) || exit;

/** POST remote/proof: proves that the site with this site key controls this address, without sending the key. */
final class Prove_Address {

	/** @return array|WP_Error */
	public function handle( WP_REST_Request $request ) {
		$body      = json_decode( (string) $request->get_body(), true );
		$challenge = $body['challenge'] ?? null;
		if ( ! is_string( $challenge ) || ! preg_match( '/^[0-9a-f]{32,128}$/D', $challenge ) ) {
			return Api_Error::create( 'invalid_request' );
		}
		return [
			'success' => true,
			'proof'   => Call_Signature::compute_proof( $challenge, Connection::key() ),
		];
	}
}
