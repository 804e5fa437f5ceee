<?php
/**
 * @package Steward
 */

namespace Steward\Watchdog;

defined( 'ABSPATH' ) || exit;

/** Handles a health check request with a ticket: serves the page as to a visitor and reports how the request ended. */
final class Health_Check_Request {

	/** @var Ticket */
	private $ticket;

	/** @var array{message: string, file: string, line: int}|null */
	private $fatal = null;

	/** @var bool|null */
	private $runs_old_code = null;

	/** @var Page_Outputs */
	private $outputs;

	/** @var Registered_Pages|null Null: the health check knows the pages already. */
	private $registered = null;

	/** @var int[] Drafts that WordPress has created to open the editor. */
	private $drafts = [];

	private function __construct( Ticket $ticket ) {
		// Loaded only here: other requests do not need these classes.
		require_once __DIR__ . '/Page_Outputs.php';
		require_once __DIR__ . '/Registered_Pages.php';
		$this->ticket  = $ticket;
		$this->outputs = new Page_Outputs();
	}

	public static function start(): void {
		$ticket = Ticket::from_request();
		if ( null === $ticket || ! $ticket->redeem() ) {
			return;
		}
		clearstatcache( true );
		self::hide_ticket();
		// Disables the fatal error handler of WordPress, which would send an e-mail to the administrator.
		defined( 'WP_SANDBOX_SCRAPING' ) || define( 'WP_SANDBOX_SCRAPING', true );
		Remote_Request::disable_page_cache();
		defined( 'DISABLE_WP_CRON' ) || define( 'DISABLE_WP_CRON', true );
		add_filter( 'pre_get_ready_cron_jobs', '__return_empty_array' );
		self::disable_update_checks();
		$task = $ticket->take_error_task();
		if ( null !== $task ) {
			Error_Watch::load() && Error_Check::run( $task );
			return;
		}
		$request = new self( $ticket );
		if ( $ticket->user() > 0 ) {
			add_action( 'plugins_loaded', [ $request, 'sign_in' ], PHP_INT_MIN );
		}
		$request->watch();
		// Reports before and after all other shutdown functions: if one of them fails, PHP skips the rest.
		add_action( 'shutdown', [ $request, 'report' ], PHP_INT_MIN );
		register_shutdown_function( 'register_shutdown_function', [ $request, 'report_end' ] );
	}

	private function watch(): void {
		$this->outputs->watch();
		add_action( 'wp_insert_post', [ $this, 'record_draft' ], 10, 3 );
		add_action( 'shutdown', [ $this, 'delete_drafts' ], PHP_INT_MAX );
		if ( $this->ticket->finds_pages() ) {
			$this->registered = new Registered_Pages( $this->ticket->paths() );
			$this->registered->watch();
		}
	}

	/**
	 * @param int    $id        Id.
	 * @param object $post      Post.
	 * @param bool   $is_update Whether the post existed before.
	 */
	public function record_draft( $id, $post, $is_update = true ): void {
		if ( ! $is_update && 'auto-draft' === ( $post->post_status ?? '' ) ) {
			$this->drafts[] = (int) $id;
		}
	}

	public function delete_drafts(): void {
		foreach ( $this->drafts as $id ) {
			wp_delete_post( $id, true );
		}
	}

	/** Signs the user of the ticket in for this request only. The cookies are never sent to the client. */
	public function sign_in(): void {
		add_filter( 'session_token_manager', [ $this, 'session_class' ], PHP_INT_MAX );
		// Nonces in the page depend on this token. A new one makes them useless in any other request.
		$token = bin2hex( random_bytes( 32 ) );
		foreach ( [
			'auth'        => 'AUTH_COOKIE',
			'secure_auth' => 'SECURE_AUTH_COOKIE',
			'logged_in'   => 'LOGGED_IN_COOKIE',
		] as $scheme => $name ) {
			$_COOKIE[ constant( $name ) ] = wp_generate_auth_cookie( $this->ticket->user(), time() + MINUTE_IN_SECONDS, $scheme, $token );
		}
	}

	public function session_class(): string {
		require_once __DIR__ . '/Request_Session.php';
		return Request_Session::class;
	}

	public function report(): void {
		$this->write_report( false );
	}

	public function report_end(): void {
		$this->write_report( true );
	}

	private function write_report( bool $is_finished ): void {
		// The report needs memory, and must not make a page fail that is close to its memory limit.
		ini_set( 'memory_limit', '-1' );
		$error = error_get_last();
		if ( null === $this->fatal && null !== $error && $error['type'] & Error_Watch::FATAL_ERROR_TYPES ) {
			// Keep the error: a later warning would replace it in error_get_last().
			$this->fatal = [
				'message' => $error['message'],
				'file'    => $error['file'],
				'line'    => $error['line'],
			];
		}
		if ( null === $this->runs_old_code && null === $this->registered ) {
			$outdated            = Files::find_outdated( $this->ticket->paths() );
			$this->runs_old_code = [] !== $outdated;
			// The update may not have invalidated the opcache of this process.
			array_map( [ Files::class, 'invalidate_opcache_file' ], $outdated );
		}
		$this->ticket->report(
			[
				'is_finished'   => $is_finished,
				'runs_old_code' => (bool) $this->runs_old_code,
				'user'          => function_exists( 'get_current_user_id' ) && did_action( 'plugins_loaded' ) ? get_current_user_id() : 0,
				'fatal'         => $this->fatal,
				'outputs'       => $this->outputs->counts(),
			] + $this->describe_registered()
		);
	}

	/** Code of plugins runs here, such as filters of routes, and must not make the page fail. */
	private function describe_registered(): array {
		try {
			return null === $this->registered || null !== $this->fatal ? [] : [ 'registered' => $this->registered->collect() ];
		} catch ( \Throwable $thrown ) {
			return [];
		}
	}

	/** Screens of the admin area ask for updates, which can take seconds. */
	private static function disable_update_checks(): void {
		foreach ( [ 'plugins', 'themes', 'core' ] as $kind ) {
			foreach ( [ "load-$kind.php", 'load-update.php', 'load-update-core.php' ] as $hook ) {
				remove_action( $hook, "wp_update_$kind" );
			}
			remove_action( 'admin_init', "_maybe_update_$kind" );
		}
	}

	/** Removes the ticket from the request: plugins must see the same request as from a visitor. */
	private static function hide_ticket(): void {
		unset( $_GET[ Ticket::PARAMETER ], $_REQUEST[ Ticket::PARAMETER ] );
		foreach ( [ 'REQUEST_URI', 'QUERY_STRING' ] as $name ) {
			$text             = (string) ( $_SERVER[ $name ] ?? '' ); // phpcs:ignore WordPress.Security
			$_SERVER[ $name ] = rtrim( (string) preg_replace( '/\b' . Ticket::PARAMETER . '=[0-9a-f.]*&?/', '', $text ), '?&' );
		}
	}
}
