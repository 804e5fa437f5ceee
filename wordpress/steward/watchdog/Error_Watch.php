<?php
/**
 * @package Steward
 */

namespace Steward\Watchdog;

defined( 'ABSPATH' ) || exit;

/**
 * Counts requests that end in a fatal error. A request without an error only registers these functions: it reads and writes
 * no file and sends no query.
 */
final class Error_Watch {

	const FATAL_ERROR_TYPES = E_ERROR | E_PARSE | E_CORE_ERROR | E_COMPILE_ERROR | E_USER_ERROR | E_RECOVERABLE_ERROR;

	const FRONT        = 'front';
	const ADMIN        = 'admin';
	const AJAX         = 'ajax';
	const REST         = 'rest';
	const CRON         = 'cron';
	const LOGIN        = 'login';
	const COMMAND_LINE = 'command_line';

	private const RESERVED_BYTES = 65536;
	/** PHP has a time limit, and an error may be that it was reached. */
	private const MAX_SECONDS = 10;
	/** Only an error needs these classes. */
	private const CLASSES = [ 'Item_Finder', 'Error_Message', 'Error_Group', 'Error_Evidence', 'Error_Store', 'Error_Check' ];

	/** @var string Freed when the request ends: it may have used up its memory. */
	private static $reserved = '';

	/** @var array|null The first fatal error: a later warning would replace it in error_get_last(). */
	private static $error = null;

	/** @var bool */
	private static $is_recorded = false;

	public static function start(): void {
		self::$reserved = str_repeat( 'x', self::RESERVED_BYTES );
		// The error handler of WordPress runs before all other functions, and its e-mail can cause warnings.
		add_filter( 'recovery_mode_email_rate_limit', [ self::class, 'remember' ], PHP_INT_MIN );
		add_filter( 'wp_php_error_args', [ self::class, 'remember' ], PHP_INT_MIN );
		// Before the other actions: if one of them fails, PHP skips the functions that are registered later.
		add_action( 'shutdown', [ self::class, 'record' ], PHP_INT_MIN );
		register_shutdown_function( [ self::class, 'record' ] );
	}

	/** Filter callback: keeps the error of this request. */
	public static function remember( $unchanged = null ) {
		self::$reserved = '';
		$error          = error_get_last();
		if ( null === self::$error && null !== $error && $error['type'] & self::FATAL_ERROR_TYPES ) {
			self::$error = $error;
		}
		return $unchanged;
	}

	public static function last_error(): ?array {
		self::remember();
		return self::$error;
	}

	/** Runs when the request ends. */
	public static function record(): void {
		self::remember();
		if ( null === self::$error || self::$is_recorded ) {
			return;
		}
		self::$is_recorded = true;
		// Health checks and tests of an activation handle their own errors. So do calls of the panel.
		if ( defined( 'WP_SANDBOX_SCRAPING' ) && WP_SANDBOX_SCRAPING ) {
			return;
		}
		try {
			ini_set( 'memory_limit', '-1' );
			@set_time_limit( self::MAX_SECONDS );
			self::load() && self::count( self::$error );
		} catch ( \Throwable $thrown ) {
			error_log( 'Steward: could not record the error: ' . $thrown->getMessage() );
		}
	}

	/** Loads the classes that only an error needs. Returns false while the files of this plugin are incomplete. */
	public static function load(): bool {
		foreach ( self::CLASSES as $name ) {
			if ( ! class_exists( __NAMESPACE__ . '\\' . $name, false ) && ! is_file( __DIR__ . "/$name.php" ) ) {
				return false;
			}
		}
		foreach ( self::CLASSES as $name ) {
			class_exists( __NAMESPACE__ . '\\' . $name, false ) || require_once __DIR__ . "/$name.php";
		}
		return true;
	}

	private static function count( array $error ): void {
		$group = Error_Group::from_error( $error, self::request_kind() );
		// A request that was running while the files were replaced may have used files of both versions.
		if ( null === $group || $group->changed_at + Error_Group::SETTLING_SECONDS >= (float) ( $_SERVER['REQUEST_TIME_FLOAT'] ?? 0 ) ) {
			return;
		}
		// Code that users have entered is not part of the version.
		Error_Check::follow( $group, ! $group->is_evaluated && Error_Evidence::is_given( $group->request_kind ) );
	}

	private static function request_kind(): string {
		// WP-CLI runs cron events that strangers can schedule; the same holds for its command for Action Scheduler.
		$words = 'cli' === PHP_SAPI ? array_map( 'strval', (array) ( $GLOBALS['argv'] ?? [] ) ) : [];
		if ( ( defined( 'DOING_CRON' ) && DOING_CRON ) || array_intersect( [ 'cron', 'action-scheduler' ], $words ) ) {
			return self::CRON;
		}
		if ( 'cli' === PHP_SAPI ) {
			return self::COMMAND_LINE;
		}
		if ( ( defined( 'REST_REQUEST' ) && REST_REQUEST ) || Remote_Request::is_request_for( '/' . rest_get_url_prefix() . '/' ) || isset( $_GET['rest_route'] ) ) { // phpcs:ignore WordPress.Security
			return self::REST;
		}
		if ( defined( 'DOING_AJAX' ) && DOING_AJAX ) {
			return self::AJAX;
		}
		if ( 'wp-login.php' === ( $GLOBALS['pagenow'] ?? '' ) ) {
			return self::LOGIN;
		}
		return is_admin() ? self::ADMIN : self::FRONT;
	}
}
