<?php
/**
 * @package Steward
 */

namespace Steward\Rest;

use Steward\Actions\Bulk_Update;
use Steward\Actions\Check_License;
use Steward\Actions\Create_Login;
use Steward\Actions\List_Login_Users;
use Steward\Actions\Plugin_Action;
use Steward\Actions\Prove_Address;
use Steward\Actions\Self_Update;
use Steward\Actions\Sync_Site;
use Steward\Connection;
use Steward\Updating\Requested_Items;
use Steward\Watchdog\Call_Signature;
use Throwable;
use WP_Error;
use WP_HTTP_Response;
use WP_REST_Request;
use WP_REST_Response;
use WP_REST_Server;

defined( 'ABSPATH' ) || exit;

/** The endpoints that the panel calls: authentication, routing and the format of responses. */
final class Remote_Routes {

	const NAMESPACE = 'service/v1';

	private const KEY_HEADER       = 'X-Service-Key';
	private const BODY_LIMIT_BYTES = 64 * 1024;

	/** Routes that install new software or open a session. They need a signature even if the site accepts unsigned calls. */
	private const ALWAYS_SIGNED = [ '/remote/install', '/remote/login-users', '/remote/login' ];

	/** @var WP_REST_Request|null */
	private $checked_request = null;

	/** @var true|WP_Error|null Access of the checked request. */
	private $access = null;

	public function register(): void {
		if ( Rest_Address::is_request_for( '/' . self::NAMESPACE . '/remote/' ) ) {
			( new Output_Guard() )->start();
		}
		add_action( 'rest_api_init', [ $this, 'register_routes' ] );
		add_filter( 'rest_authentication_errors', [ $this, 'allow_panel' ], PHP_INT_MAX );
		add_filter( 'rest_pre_dispatch', [ $this, 'check_before_dispatch' ], PHP_INT_MAX, 3 );
		add_filter( 'rest_post_dispatch', [ $this, 'format_error' ], 10, 3 );
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
						return self::respond( $handler, $request );
					},
				]
			);
		}
	}

	/** @return array<string, callable(WP_REST_Request): (array|WP_Error)> */
	private function handlers(): array {
		return [
			'/remote/update'        => [ new Bulk_Update(), 'handle' ],
			'/remote/install'       => [ new Bulk_Update( Requested_Items::INSTALL ), 'handle' ],
			'/remote/restore'       => [ new Bulk_Update( Requested_Items::RESTORE ), 'handle' ],
			'/remote/plugin-action' => [ new Plugin_Action(), 'handle' ],
			'/remote/sync'          => [ new Sync_Site(), 'handle' ],
			'/remote/self-update'   => [ new Self_Update(), 'handle' ],
			'/remote/login-users'   => [ new List_Login_Users(), 'handle' ],
			'/remote/login'         => [ new Create_Login(), 'handle' ],
		] + $this->signed_handlers();
	}

	/** Calls that need a signature, but no site key. They also work while remote management is off. */
	private function signed_handlers(): array {
		return [
			'/remote/proof' => [ new Prove_Address(), 'handle' ],
			'/remote/check' => [ new Check_License(), 'handle' ],
		];
	}

	/**
	 * Overrides plugins that restrict the REST API to signed-in users. Applies only to our routes, which check the site key
	 * or the signature themselves.
	 *
	 * @param WP_Error|null|true $errors Result of other plugins.
	 */
	public function allow_panel( $errors ) {
		return $this->is_remote_route( self::requested_route() ) ? true : $errors;
	}

	/** Returns the route of the HTTP request, which differs from the REST request within a batch. */
	private static function requested_route(): string {
		$route = $GLOBALS['wp']->query_vars['rest_route'] ?? '';
		return is_string( $route ) ? strtolower( untrailingslashit( $route ) ) : '';
	}

	/**
	 * Runs before WordPress parses the body: a request without the site key must get 401 even if its body is invalid.
	 *
	 * @param mixed           $result  Response of another plugin.
	 * @param WP_REST_Server  $server  Server.
	 * @param WP_REST_Request $request Request.
	 */
	public function check_before_dispatch( $result, $server, WP_REST_Request $request ) {
		if ( ! $this->is_remote_route( $request->get_route() ) ) {
			return $result;
		}
		$error = $this->request_error( $request );
		if ( null !== $error ) {
			// Within batch/v1 WordPress expects a response here, and a WP_Error causes a fatal error.
			return rest_convert_error_to_response( $error );
		}
		// Respond here if another plugin has removed our route: some plugins remove all routes that they do not know.
		$route      = strtolower( untrailingslashit( $request->get_route() ) );
		$is_removed = WP_REST_Server::CREATABLE === $request->get_method() && ! isset( $server->get_routes()[ $route ] );
		if ( $is_removed ) {
			return self::respond( $this->handlers()[ self::path_of( $route ) ], $request );
		}
		return is_wp_error( $result ) ? null : $result;
	}

	private function request_error( WP_REST_Request $request ): ?WP_Error {
		$access = $this->check_access( $request );
		if ( is_wp_error( $access ) ) {
			return $access;
		}
		if ( 0 === strpos( self::requested_route(), '/batch/' ) ) {
			return Api_Error::create( 'invalid_request', __( 'This endpoint cannot be called in a batch. Call it directly.', 'steward' ) );
		}
		return strlen( self::body_of( $request ) ) > self::BODY_LIMIT_BYTES ? Api_Error::create( 'request_too_large' ) : null;
	}

	/** @return true|WP_Error */
	public function check_access( WP_REST_Request $request ) {
		// Keep the result: WordPress calls this twice, but a nonce is valid once.
		if ( $request !== $this->checked_request ) {
			$this->checked_request = $request;
			$this->access          = $this->determine_access( $request );
		}
		return $this->access;
	}

	/**
	 * Checks the site key, then the signature, then whether remote management is on.
	 *
	 * @return true|WP_Error
	 */
	private function determine_access( WP_REST_Request $request ) {
		$route     = strtolower( untrailingslashit( $request->get_route() ) );
		$needs_key = ! isset( $this->signed_handlers()[ self::path_of( $route ) ] );
		if ( $needs_key && ! self::is_correct_key( (string) $request->get_header( self::KEY_HEADER ) ) ) {
			return Refused_Call::explain( $route, self::body_of( $request ) ) ?? Api_Error::create( 'invalid_service_key' );
		}
		$must_be_signed  = in_array( self::path_of( $route ), self::ALWAYS_SIGNED, true );
		$may_be_unsigned = $needs_key && ! $must_be_signed && Call_Signature::accepts_unsigned() && ! Call_Signature::is_present();
		$needs_signature = ! $needs_key || $must_be_signed || ( Call_Signature::is_required() && ! $may_be_unsigned );
		if ( $needs_signature && ! ( Call_Signature::is_required() && Call_Signature::verify( $route, self::body_of( $request ) ) ) ) {
			return Refused_Call::explain( $route, self::body_of( $request ) ) ?? Api_Error::create( 'invalid_signature' );
		}
		if ( ! $needs_key || Connection::is_remote_enabled() ) {
			return true;
		}
		// The license is not valid at another address. An administrator who turned remote management off decides first.
		return Connection::has_moved() && ! Connection::is_remote_off() ? Refused_Call::address_error() : Api_Error::create( 'remote_disabled' );
	}

	private static function is_correct_key( string $sent ): bool {
		$stored = Connection::key();
		// Compare also if no key is stored: the response time must not reveal whether there is one.
		$is_same = hash_equals( hash( 'sha256', $stored ), hash( 'sha256', $sent ) );
		return $is_same && '' !== $sent && '' !== $stored;
	}

	/** WordPress returns null for a request within a batch. */
	private static function body_of( WP_REST_Request $request ): string {
		return (string) $request->get_body();
	}

	private static function path_of( string $route ): string {
		return substr( $route, strlen( self::NAMESPACE ) + 1 );
	}

	/**
	 * Converts errors of WordPress, such as invalid JSON, to the error format of the protocol.
	 *
	 * @param WP_HTTP_Response $response Response.
	 * @param WP_REST_Server   $server   Unused.
	 * @param WP_REST_Request  $request  Request.
	 */
	public function format_error( $response, $server, WP_REST_Request $request ) {
		$body = $response instanceof WP_HTTP_Response ? $response->get_data() : null;
		if ( ! is_array( $body ) || ! isset( $body['code'], $body['message'] ) || ! $this->is_remote_route( $request->get_route() ) ) {
			return $response;
		}
		$status = $response->get_status();
		if ( $response instanceof WP_REST_Response && $response->as_error() && isset( $body['data']['details'] ) ) {
			$response->set_data( Api_Error::body( $response->as_error() ) );
			return $response;
		}
		$codes = [
			404 => 'not_found',
			405 => 'not_found',
			413 => 'request_too_large',
		];
		$code  = $codes[ $status ] ?? ( $status < 500 ? 'invalid_request' : 'internal_error' );
		$error = Api_Error::create( $code, wp_strip_all_tags( (string) $body['message'] ) );
		$response->set_data( Api_Error::body( $error ) );
		return $response;
	}

	/** Ignores upper and lower case, as WordPress does for routes. */
	private function is_remote_route( string $route ): bool {
		$route = strtolower( untrailingslashit( $route ) );
		return 0 === strpos( $route, '/' . self::NAMESPACE . '/' )
			&& isset( $this->handlers()[ self::path_of( $route ) ] );
	}

	private static function respond( callable $handler, WP_REST_Request $request ) {
		Output_Guard::prepare_long_request();
		try {
			$result = $handler( $request );
		} catch ( Throwable $thrown ) {
			error_log( 'Steward: ' . $thrown );
			$result = Api_Error::create( 'internal_error' );
		}
		return is_wp_error( $result ) ? $result : new WP_REST_Response( $result, 200 );
	}
}
