<?php
/**
 * @package Steward
 */

namespace Steward\Watchdog;

defined( 'ABSPATH' ) || exit;

/** A request with a ticket: its page is built as for anybody, and how that ended is reported. */
final class Looked_At {

	private const FATAL = E_ERROR | E_PARSE | E_CORE_ERROR | E_COMPILE_ERROR | E_USER_ERROR | E_RECOVERABLE_ERROR;

	/** @var Ticket */
	private $ticket;

	/** @var array{message: string, file: string, line: int}|null */
	private $fatal = null;

	/** @var bool|null */
	private $runs_old_code = null;

	private function __construct( Ticket $ticket ) {
		$this->ticket = $ticket;
	}

	public static function begin(): void {
		$ticket = Ticket::of_request();
		if ( null === $ticket || ! $ticket->use_up() ) {
			return;
		}
		clearstatcache( true );
		self::hide_ticket();
		// WordPress's own handler of fatal errors would send an e-mail to the administrator.
		defined( 'WP_SANDBOX_SCRAPING' ) || define( 'WP_SANDBOX_SCRAPING', true );
		Remote_Request::keep_caches_out();
		defined( 'DISABLE_WP_CRON' ) || define( 'DISABLE_WP_CRON', true );
		add_filter( 'pre_get_ready_cron_jobs', '__return_empty_array' );
		$request = new self( $ticket );
		if ( $ticket->user() > 0 ) {
			add_action( 'plugins_loaded', [ $request, 'sign_in' ], PHP_INT_MIN );
		}
		// Before what others do at the end and after it: where one of them dies, those that follow are not called.
		add_action( 'shutdown', [ $request, 'report' ], PHP_INT_MIN );
		register_shutdown_function( 'register_shutdown_function', [ $request, 'report_end' ] );
	}

	/** In this request alone: the cookies are made here and go nowhere. */
	public function sign_in(): void {
		add_filter( 'session_token_manager', [ $this, 'session_class' ], PHP_INT_MAX );
		foreach ( [
			'auth'        => 'AUTH_COOKIE',
			'secure_auth' => 'SECURE_AUTH_COOKIE',
			'logged_in'   => 'LOGGED_IN_COOKIE',
		] as $scheme => $name ) {
			$_COOKIE[ constant( $name ) ] = wp_generate_auth_cookie( $this->ticket->user(), time() + MINUTE_IN_SECONDS, $scheme, 'steward' );
		}
	}

	public function session_class(): string {
		require_once __DIR__ . '/Session_Of_Request.php';
		return Session_Of_Request::class;
	}

	public function report(): void {
		$this->write( false );
	}

	public function report_end(): void {
		$this->write( true );
	}

	private function write( bool $is_finished ): void {
		// A page that needs all the memory it may have is not to die of being looked at.
		ini_set( 'memory_limit', '-1' );
		$error = error_get_last();
		if ( null === $this->fatal && null !== $error && $error['type'] & self::FATAL ) {
			// Kept: any warning after it takes its place.
			$this->fatal = [
				'message' => $error['message'],
				'file'    => $error['file'],
				'line'    => $error['line'],
			];
		}
		if ( null === $this->runs_old_code ) {
			$outdated            = Files::outdated( $this->ticket->paths() );
			$this->runs_old_code = [] !== $outdated;
			// This process may have a memory of compiled files that the update could not reach.
			array_map( [ Files::class, 'forget_compiled_file' ], $outdated );
		}
		$this->ticket->report(
			[
				'is_finished'   => $is_finished,
				'runs_old_code' => $this->runs_old_code,
				'user'          => function_exists( 'get_current_user_id' ) && did_action( 'plugins_loaded' ) ? get_current_user_id() : 0,
				'fatal'         => $this->fatal,
			]
		);
	}

	/** The page should be the one that everybody gets. */
	private static function hide_ticket(): void {
		unset( $_GET[ Ticket::PARAMETER ], $_REQUEST[ Ticket::PARAMETER ] );
		foreach ( [ 'REQUEST_URI', 'QUERY_STRING' ] as $name ) {
			$text             = (string) ( $_SERVER[ $name ] ?? '' ); // phpcs:ignore WordPress.Security
			$_SERVER[ $name ] = rtrim( (string) preg_replace( '/\b' . Ticket::PARAMETER . '=[0-9a-f.]*&?/', '', $text ), '?&' );
		}
	}
}
