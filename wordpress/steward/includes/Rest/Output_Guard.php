<?php
/**
 * @package Steward
 */

namespace Steward\Rest;

defined( 'ABSPATH' ) || exit;

/**
 * Keeps what plugins print, and what a dying request prints, out of the JSON.
 *
 * Work goes on when the caller hangs up, and for as long as it takes.
 */
final class Output_Guard {

	private const FATAL       = E_ERROR | E_PARSE | E_CORE_ERROR | E_COMPILE_ERROR | E_USER_ERROR | E_RECOVERABLE_ERROR;
	private const LOGGED_SIZE = 2000;

	/** @var int */
	private $level = 0;

	/** @var bool */
	private $is_over = false;

	public function begin(): void {
		ignore_user_abort( true );
		if ( function_exists( 'set_time_limit' ) ) {
			@set_time_limit( 0 );
		}
		wp_raise_memory_limit( 'admin' );
		// Keeps WordPress from printing its own last words, as it does when it tries out a plugin.
		defined( 'WP_SANDBOX_SCRAPING' ) || define( 'WP_SANDBOX_SCRAPING', true );
		register_shutdown_function( [ $this, 'end_without_buffer' ] );
		ob_start( [ $this, 'replace' ] );
		$this->level = ob_get_level();
	}

	/** Others may have left buffers of their own open, or have closed ours. */
	public function end(): void {
		$this->is_over = true;
		while ( ob_get_level() >= $this->level ) {
			ob_end_flush();
		}
	}

	/** Called by PHP with all that was printed, also when the request dies. */
	public function replace( string $printed ): string {
		if ( '' !== trim( $printed ) ) {
			error_log( 'Steward kept this out of its answer: ' . substr( trim( $printed ), 0, self::LOGGED_SIZE ) );
		}
		return $this->is_over ? '' : $this->last_words();
	}

	/** PHP throws all buffers away when a request runs out of memory. */
	public function end_without_buffer(): void {
		if ( ! $this->is_over && ob_get_level() < $this->level ) {
			ini_set( 'memory_limit', '-1' );
			echo $this->last_words(); // phpcs:ignore WordPress.Security.EscapeOutput
		}
	}

	/** The request ended in the middle: by a fatal error, or because a plugin called exit. */
	private function last_words(): string {
		$this->is_over = true;

		$error   = error_get_last();
		$message = null !== $error && $error['type'] & self::FATAL
			? str_replace( ABSPATH, '', (string) strtok( $error['message'], "\n" ) )
			: __( 'Something on the site ended the request before it was done.', 'steward' );
		if ( ! headers_sent() ) {
			http_response_code( 500 );
			header( 'Content-Type: application/json; charset=UTF-8' );
		}
		return (string) json_encode( Refusal::body( Refusal::because( 'action_failed', $message ) ) );
	}
}
