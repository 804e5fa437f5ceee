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
 * Sees to it that the answer is JSON and nothing else, whatever plugins print, and also when the request dies.
 *
 * From the moment this plugin is loaded all output is held back. What others do to buffers does not matter: the answer
 * is printed once, by us, after all that was printed before has been thrown away; and so is what comes later.
 */
final class Output_Guard {

	private const FATAL       = E_ERROR | E_PARSE | E_CORE_ERROR | E_COMPILE_ERROR | E_USER_ERROR | E_RECOVERABLE_ERROR;
	private const LOGGED_SIZE = 2000;

	/** @var bool */
	private $has_answered = false;

	/** @var bool */
	private $is_throwing_away = false;

	/** @var bool Whether the work has begun; before that the watchdog says what ended the request. */
	private static $has_begun = false;

	/** @var callable|null */
	private static $answer_at_exit = null;

	/** For a request to our routes, as early as we are there. */
	public function begin(): void {
		ob_start( [ $this, 'swallow' ] );
		add_filter( 'rest_pre_serve_request', [ $this, 'answer' ], PHP_INT_MAX, 4 );
		register_shutdown_function( [ $this, 'answer_for_the_dead' ] );
	}

	/** Before the work: it goes on when the caller hangs up, and for as long as it takes. */
	public static function be_patient(): void {
		Remote_Request::take_over();
		self::$has_begun = true;
		ignore_user_abort( true );
		if ( function_exists( 'set_time_limit' ) ) {
			@set_time_limit( 0 );
		}
		wp_raise_memory_limit( 'admin' );
		// Keeps WordPress from printing its own last words, as it does when it tries out a plugin.
		defined( 'WP_SANDBOX_SCRAPING' ) || define( 'WP_SANDBOX_SCRAPING', true );
	}

	/** Called by PHP with what was printed, when somebody else closes our buffer or the request ends. */
	public function swallow( string $printed ): string {
		if ( ! $this->is_throwing_away ) {
			$this->log( $printed );
		}
		return '';
	}

	/**
	 * Instead of WordPress, which has sent the headers and the status already.
	 *
	 * @param bool             $is_served Whether somebody else has.
	 * @param WP_HTTP_Response $result    The answer.
	 * @param WP_REST_Request  $request   Not needed.
	 * @param WP_REST_Server   $server    Not needed.
	 */
	public function answer( $is_served, $result, $request, $server ): bool {
		$this->answer_once( $result->get_data() );
		return true;
	}

	/**
	 * @param callable|null $answer Gives the answer of a request that ends in the middle, an array or a WP_Error; it is
	 *                              given the fatal error, or null when a plugin called exit.
	 */
	public static function answer_at_exit( ?callable $answer ): void {
		self::$answer_at_exit = $answer;
	}

	/** The request ended in the middle: by a fatal error, or because a plugin called exit. */
	public function answer_for_the_dead(): void {
		if ( $this->has_answered || ! self::$has_begun ) {
			return;
		}
		ini_set( 'memory_limit', '-1' );
		$error    = error_get_last();
		$is_fatal = null !== $error && $error['type'] & self::FATAL;
		$fatal    = $is_fatal ? Files::short( (string) strtok( $error['message'], "\n" ) ) : null;
		$answer   = null === self::$answer_at_exit ? null : ( self::$answer_at_exit )( $fatal );
		Site_Lock::release_held();
		$answer = $answer ?? Refusal::because( 'action_failed', $fatal ?? __( 'Something on the site ended the request before it was done.', 'steward' ) );
		if ( ! headers_sent() ) {
			// The plugin may have wanted to lead its user elsewhere.
			header_remove( 'Location' );
			Remote_Request::set_status( is_wp_error( $answer ) ? Refusal::status( $answer ) : 200 );
			header( 'Content-Type: application/json; charset=UTF-8' );
		}
		$this->answer_once( is_wp_error( $answer ) ? Refusal::body( $answer ) : $answer );
	}

	private function answer_once( $body ): void {
		$this->has_answered = true;
		Remote_Request::take_over();
		$this->throw_away_all();
		echo json_encode( $body, JSON_INVALID_UTF8_SUBSTITUTE | JSON_UNESCAPED_SLASHES ); // phpcs:ignore WordPress.Security.EscapeOutput
		if ( function_exists( 'fastcgi_finish_request' ) ) {
			fastcgi_finish_request();
		}
		ob_start( [ $this, 'swallow' ] );
		// WordPress closes all buffers at the end, at 1, and plugins print after that.
		add_action(
			'shutdown',
			function () {
				ob_start( [ $this, 'swallow' ] );
			},
			2
		);
	}

	/** Others may have left buffers of their own open. */
	private function throw_away_all(): void {
		$printed                = '';
		$this->is_throwing_away = true;
		while ( ob_get_level() > 0 ) {
			$printed = ob_get_contents() . $printed;
			if ( ! ob_end_clean() ) {
				break;
			}
		}
		$this->is_throwing_away = false;
		$this->log( $printed );
	}

	private function log( string $printed ): void {
		if ( '' !== trim( $printed ) ) {
			error_log( 'Steward kept this out of its answer: ' . substr( trim( $printed ), 0, self::LOGGED_SIZE ) );
		}
	}
}
