<?php
/**
 * @package Steward
 */

namespace Steward\Rest;

use Steward\Actions\Bulk_Update;
use Steward\Actions\Check_License;
use Steward\Actions\Plugin_Action;
use Steward\Actions\Prove_Address;
use Steward\Actions\Sync_Site;
use Steward\Connection;
use Steward\Watchdog\Call_Signature;
use Throwable;
use WP_Error;
use WP_HTTP_Response;
use WP_REST_Request;
use WP_REST_Response;
use WP_REST_Server;

defined( 'ABSPATH' ) || exit;

/** The endpoints that the panel calls: who may, in which order that is found out, and how answers look. */
final class Remote_Routes {

	const NAMESPACE = 'service/v1';

	private const KEY_HEADER       = 'X-Service-Key';
	private const BODY_LIMIT_BYTES = 64 * 1024;

	/** @var WP_REST_Request|null */
	private $checked_request = null;

	/** @var true|WP_Error|null Whether that one is let in. */
	private $access = null;

	public function register(): void {
		if ( Rest_Address::is_asked_for( '/' . self::NAMESPACE . '/remote/' ) ) {
			( new Output_Guard() )->begin();
		}
		add_action( 'rest_api_init', [ $this, 'register_routes' ] );
		add_filter( 'rest_authentication_errors', [ $this, 'let_the_panel_in' ], PHP_INT_MAX );
		add_filter( 'rest_pre_dispatch', [ $this, 'guard' ], PHP_INT_MAX, 3 );
		add_filter( 'rest_post_dispatch', [ $this, 'in_our_words' ], 10, 3 );
	}

	public function register_routes(): void {
		foreach ( $this->handlers() as $path => $handler ) {
			register_rest_route(
				self::NAMESPACE,
				$path,
				[
					'methods'             => WP_REST_Server::CREATABLE,
					'permission_callback' => [ $this, 'check_access' ],
					'callback'            => static function ( WP_REST_Request $request ) use ( $handler ) {
						return self::answer( $handler, $request );
					},
				]
			);
		}
	}

	/** @return array<string, callable(WP_REST_Request): (array|WP_Error)> */
	private function handlers(): array {
		return [
			'/remote/update'        => [ new Bulk_Update(), 'handle' ],
			'/remote/plugin-action' => [ new Plugin_Action(), 'handle' ],
			'/remote/sync'          => [ new Sync_Site(), 'handle' ],
		] + $this->signed_handlers();
	}

	/** Calls without a key: their signature alone lets them in, whether Remote is on or not. */
	private function signed_handlers(): array {
		return [
			'/remote/proof' => [ new Prove_Address(), 'handle' ],
			'/remote/check' => [ new Check_License(), 'handle' ],
		];
	}

	/**
	 * Plugins that close the REST API to visitors must not close it to the panel, which is no user. Only our own routes
	 * are exempt, and they ask for the key themselves.
	 *
	 * @param WP_Error|null|true $errors What others think.
	 */
	public function let_the_panel_in( $errors ) {
		return $this->is_ours( self::asked_route() ) ? true : $errors;
	}

	/** That the HTTP request itself is for. */
	private static function asked_route(): string {
		$route = $GLOBALS['wp']->query_vars['rest_route'] ?? '';
		return is_string( $route ) ? strtolower( untrailingslashit( $route ) ) : '';
	}

	/**
	 * Runs before WordPress reads the body: the key comes first, whatever else is wrong with a request.
	 *
	 * @param mixed           $result  An answer that somebody else gave already.
	 * @param WP_REST_Server  $server  Which routes there are.
	 * @param WP_REST_Request $request The request.
	 */
	public function guard( $result, $server, WP_REST_Request $request ) {
		if ( ! $this->is_ours( $request->get_route() ) ) {
			return $result;
		}
		$refusal = $this->refusal_of( $request );
		if ( null !== $refusal ) {
			// Within batch/v1 WordPress takes an error here for a response, and dies.
			return rest_convert_error_to_response( $refusal );
		}
		// Some plugins take away all routes that they do not know.
		$route   = strtolower( untrailingslashit( $request->get_route() ) );
		$is_gone = WP_REST_Server::CREATABLE === $request->get_method() && ! isset( $server->get_routes()[ $route ] );
		if ( $is_gone ) {
			return self::answer( $this->handlers()[ self::path_of( $route ) ], $request );
		}
		return is_wp_error( $result ) ? null : $result;
	}

	private function refusal_of( WP_REST_Request $request ): ?WP_Error {
		$access = $this->check_access( $request );
		if ( is_wp_error( $access ) ) {
			return $access;
		}
		if ( 0 === strpos( self::asked_route(), '/batch/' ) ) {
			return Refusal::because( 'invalid_request', __( 'This endpoint cannot be called within a batch. Call it directly.', 'steward' ) );
		}
		return strlen( $request->get_body() ) > self::BODY_LIMIT_BYTES ? Refusal::because( 'request_too_large' ) : null;
	}

	/** @return true|WP_Error */
	public function check_access( WP_REST_Request $request ) {
		// WordPress asks twice, and a nonce is taken once.
		if ( $request !== $this->checked_request ) {
			$this->checked_request = $request;
			$this->access          = $this->access_of( $request );
		}
		return $this->access;
	}

	/**
	 * The key first, then the signature, then whether this site may be managed at all.
	 *
	 * @return true|WP_Error
	 */
	private function access_of( WP_REST_Request $request ) {
		$route     = strtolower( untrailingslashit( $request->get_route() ) );
		$needs_key = ! isset( $this->signed_handlers()[ self::path_of( $route ) ] );
		if ( $needs_key && ! self::is_key( (string) $request->get_header( self::KEY_HEADER ) ) ) {
			return Refusal::because( 'invalid_service_key' );
		}
		$may_be_unsigned = $needs_key && Call_Signature::accepts_unsigned() && ! Call_Signature::is_sent();
		$needs_signature = ! $needs_key || ( Call_Signature::is_required() && ! $may_be_unsigned );
		if ( $needs_signature && ! ( Call_Signature::is_required() && Call_Signature::is_good( $route, $request->get_body() ) ) ) {
			return Refusal::because( 'invalid_signature' );
		}
		return ! $needs_key || Connection::is_remote_enabled() ? true : Refusal::because( 'remote_disabled' );
	}

	private static function is_key( string $sent ): bool {
		$stored = Connection::license_key();
		// Compared also when nothing is stored, so that the time taken tells nobody whether there is.
		$is_same = hash_equals( hash( 'sha256', $stored ), hash( 'sha256', $sent ) );
		return $is_same && '' !== $sent && '' !== $stored;
	}

	private static function path_of( string $route ): string {
		return substr( $route, strlen( self::NAMESPACE ) + 1 );
	}

	/**
	 * Gives WordPress's own errors, such as one about broken JSON, the form that the protocol has for errors.
	 *
	 * @param WP_HTTP_Response $response The answer so far.
	 * @param WP_REST_Server   $server   Not needed.
	 * @param WP_REST_Request  $request  The request.
	 */
	public function in_our_words( $response, $server, WP_REST_Request $request ) {
		$body = $response instanceof WP_HTTP_Response ? $response->get_data() : null;
		if ( ! is_array( $body ) || ! isset( $body['code'], $body['message'] ) || ! $this->is_ours( $request->get_route() ) ) {
			return $response;
		}
		$status = $response->get_status();
		if ( $response instanceof WP_REST_Response && $response->as_error() && isset( $body['data']['details'] ) ) {
			$response->set_data( Refusal::body( $response->as_error() ) );
			return $response;
		}
		$codes = [
			404 => 'not_found',
			405 => 'not_found',
			413 => 'request_too_large',
		];
		$code  = $codes[ $status ] ?? ( $status < 500 ? 'invalid_request' : 'internal_error' );
		$error = Refusal::because( $code, wp_strip_all_tags( (string) $body['message'] ) );
		$response->set_data( Refusal::body( $error ) );
		return $response;
	}

	/** In any case, as WordPress itself takes routes. */
	private function is_ours( string $route ): bool {
		$route = strtolower( untrailingslashit( $route ) );
		return 0 === strpos( $route, '/' . self::NAMESPACE . '/' )
			&& isset( $this->handlers()[ self::path_of( $route ) ] );
	}

	private static function answer( callable $handler, WP_REST_Request $request ) {
		Output_Guard::be_patient();
		try {
			$result = $handler( $request );
		} catch ( Throwable $fault ) {
			error_log( 'Steward: ' . $fault );
			$result = Refusal::because( 'internal_error' );
		}
		return is_wp_error( $result ) ? $result : new WP_REST_Response( $result, 200 );
	}
}
