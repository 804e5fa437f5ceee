<?php
/**
 * @package Steward
 */

namespace Steward\Actions;

use Steward\Login\Allowed_Users;
use Steward\Login\Login_Receiver;
use Steward\Login\Login_Token;
use Steward\Rest\Api_Error;
use Steward\Watchdog\Call_Log;
use WP_Error;
use WP_REST_Request;

defined( 'ABSPATH' ) || exit;

/** POST remote/login: creates a token that logs a user of the panel in as one user of this site. */
final class Create_Login {

	private const MAX_ACTOR_LENGTH = 200;

	/** @return array|WP_Error */
	public function handle( WP_REST_Request $request ) {
		$body  = json_decode( (string) $request->get_body(), true );
		$user  = $body['user'] ?? null;
		$actor = is_string( $body['actor'] ?? null ) ? trim( sanitize_text_field( $body['actor'] ) ) : '';
		if ( ! is_int( $user ) || '' === $actor || mb_strlen( $actor ) > self::MAX_ACTOR_LENGTH ) {
			return Api_Error::create( 'invalid_request' );
		}
		$refusal = Allowed_Users::refusal_for( $user );
		if ( null !== $refusal ) {
			return Api_Error::create( $refusal );
		}
		// Without the site lock: a log-in changes no software, and an update can take minutes.
		$route = strtolower( untrailingslashit( $request->get_route() ) );
		$token = Call_Log::add( $route, (string) $request->get_body() ) ? Login_Token::create( $user, $actor ) : null;
		if ( null === $token ) {
			return Api_Error::create( 'internal_error', __( 'The log-in could not be stored. Check the database of the site.', 'steward' ) );
		}
		return [
			'success' => true,
			'login'   => mb_substr( get_userdata( $user )->user_login, 0, 200 ),
			'url'     => Login_Receiver::url(),
			'token'   => $token,
		];
	}
}
