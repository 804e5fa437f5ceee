<?php
/**
 * @package Steward
 */

namespace Steward\Rest;

use Steward\Updating\Site_Lock;
use Steward\Watchdog\Files;
use Steward\Watchdog\Remote_Request;
use WP_HTTP_Response;
use WP_REST_Request;
use WP_REST_Server;

defined( 'ABSPATH' ) || exit;

/**
 * Ensures that the response is JSON only, even if plugins print output or the request ends early.
 *
 * Buffers all output as soon as this plugin is loaded. Discards all output before and after the response, and does not
 * rely on its own buffer, because other code may close it.
 */
final class Output_Guard {

	private const FATAL_ERROR_TYPES = E_ERROR | E_PARSE | E_CORE_ERROR | E_COMPILE_ERROR | E_USER_ERROR | E_RECOVERABLE_ERROR;
	private const MAX_LOGGED_BYTES  = 2000;

	/** @var bool */
	private $has_responded = false;

	/** @var bool */
	private $is_discarding = false;

	/** @var bool Whether the handler has started. Before that, the watchdog reports why the request ended. */
	private static $has_started = false;

	/** @var callable|null */
	private static $exit_handler = null;

	/** Call this for a request to our routes as soon as the plugin is loaded. */
	public function start(): void {
		ob_start( [ $this, 'discard' ] );
		add_filter( 'rest_pre_serve_request', [ $this, 'send_response' ], PHP_INT_MAX, 4 );
		register_shutdown_function( [ $this, 'respond_after_exit' ] );
	}

	/** Removes the time limit and lets the handler finish even if the caller disconnects. */
	public static function prepare_long_request(): void {
		Remote_Request::take_over();
		self::$has_started = true;
		ignore_user_abort( true );
		if ( function_exists( 'set_time_limit' ) ) {
			@set_time_limit( 0 );
		}
		wp_raise_memory_limit( 'admin' );
		// Disables the fatal error handler of WordPress, which prints its own message.
		defined( 'WP_SANDBOX_SCRAPING' ) || define( 'WP_SANDBOX_SCRAPING', true );
	}

	/** Output callback: PHP calls it when other code closes our buffer or the request ends. */
	public function discard( string $printed ): string {
		if ( ! $this->is_discarding ) {
			$this->log( $printed );
		}
		return '';
	}

	/**
	 * Replaces the output of WordPress, which has already sent the status and the headers, and ends the request, as WordPress
	 * does next. For a method in `_method`, WordPress would first send headers again, after our output.
	 *
	 * @param bool             $is_served Unused: whether other code has sent a response.
	 * @param WP_HTTP_Response $result    Response.
	 * @param WP_REST_Request  $request   Unused.
	 * @param WP_REST_Server   $server    Unused.
	 */
	public function send_response( $is_served, $result, $request, $server ): void {
		nocache_headers();
		$this->print_response( $result->get_data() );
		exit;
	}

	/**
	 * @param callable|null $handler Returns the response (array or WP_Error) for a request that ends early. Its argument
	 *                               is the fatal error, or null if a plugin called exit.
	 */
	public static function set_exit_handler( ?callable $handler ): void {
		self::$exit_handler = $handler;
	}

	/** Responds if the request ended early: by a fatal error, or because a plugin called exit. */
	public function respond_after_exit(): void {
		if ( $this->has_responded || ! self::$has_started ) {
			return;
		}
		ini_set( 'memory_limit', '-1' );
		$error    = error_get_last();
		$is_fatal = null !== $error && $error['type'] & self::FATAL_ERROR_TYPES;
		$fatal    = $is_fatal ? Files::shorten_paths( (string) strtok( $error['message'], "\n" ) ) : null;
		$response = null === self::$exit_handler ? null : ( self::$exit_handler )( $fatal );
		Site_Lock::release_current();
		$response = $response ?? Api_Error::create( 'action_failed', $fatal ?? __( 'Code on the site ended the request before it was complete.', 'steward' ) );
		if ( ! headers_sent() ) {
			// The plugin may have tried to redirect.
			header_remove( 'Location' );
			Remote_Request::set_status( is_wp_error( $response ) ? Api_Error::status( $response ) : 200 );
			header( 'Content-Type: application/json; charset=UTF-8' );
		}
		$this->print_response( is_wp_error( $response ) ? Api_Error::body( $response ) : $response );
	}

	private function print_response( $body ): void {
		$this->has_responded = true;
		Remote_Request::take_over();
		$this->discard_buffers();
		echo json_encode( $body, JSON_INVALID_UTF8_SUBSTITUTE | JSON_UNESCAPED_SLASHES ); // phpcs:ignore WordPress.Security.EscapeOutput
		if ( function_exists( 'fastcgi_finish_request' ) ) {
			fastcgi_finish_request();
		}
		ob_start( [ $this, 'discard' ] );
		// WordPress closes all buffers on shutdown at priority 1, and plugins may print after that.
		add_action(
			'shutdown',
			function () {
				ob_start( [ $this, 'discard' ] );
			},
			2
		);
	}

	/** Closes all buffers: other code may have left its own buffers open. */
	private function discard_buffers(): void {
		$printed             = '';
		$this->is_discarding = true;
		while ( ob_get_level() > 0 ) {
			$printed = ob_get_contents() . $printed;
			if ( ! ob_end_clean() ) {
				break;
			}
		}
		$this->is_discarding = false;
		$this->log( $printed );
	}

	private function log( string $printed ): void {
		if ( '' !== trim( $printed ) ) {
			error_log( 'Steward removed this output from its response: ' . substr( trim( $printed ), 0, self::MAX_LOGGED_BYTES ) );
		}
	}
}
