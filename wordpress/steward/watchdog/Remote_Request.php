<?php
/**
 * @package Steward
 */

namespace Steward\Watchdog;

defined( 'ABSPATH' ) || exit;

/**
 * Watches a call from the panel until the plugin handles it. If other code ends the request earlier, this class responds
 * with the cause, and the call has changed nothing.
 */
final class Remote_Request {

	private const ROUTES = '/service/v1/remote/';

	/** @var bool */
	private static $is_taken_over = false;

	/** @var bool Whether the caller sent the site key. Only then does the response name the broken plugin. */
	private static $has_key = false;

	/** @var string|null Why the request ends early, as a sentence for users. */
	private static $reason = null;

	public static function watch(): void {
		if ( ! self::is_request_for( self::ROUTES ) ) {
			return;
		}
		self::disable_page_cache();
		// Check now: when the request ends, a broken plugin may prevent reading options.
		self::$has_key = self::has_valid_key();
		// Errors go to the log only. If memory is exhausted, PHP prints them outside of all buffers.
		ini_set( 'display_errors', '0' );
		// Disables the fatal error handler of WordPress: it runs before ours and could also run out of memory.
		defined( 'WP_SANDBOX_SCRAPING' ) || define( 'WP_SANDBOX_SCRAPING', true );
		// Discards output of plugins while they load: it must not precede the response.
		ob_start( [ self::class, 'discard_output' ] );
		add_filter( 'wp_redirect', [ self::class, 'record_redirect' ], PHP_INT_MAX );
		foreach ( [ 'wp_die_handler', 'wp_die_ajax_handler', 'wp_die_json_handler', 'wp_die_xml_handler' ] as $filter ) {
			add_filter( $filter, [ self::class, 'record_wp_die' ], PHP_INT_MAX );
		}
		register_shutdown_function( [ self::class, 'respond_if_ended_early' ] );
	}

	/**
	 * Stops page caches from storing and from serving this page. WP Super Cache can serve as late as on init, and the
	 * health check would take the cached page for a new one.
	 */
	public static function disable_page_cache(): void {
		defined( 'DONOTCACHEPAGE' ) || define( 'DONOTCACHEPAGE', true );
		defined( 'WPSC_SERVE_DISABLED' ) || define( 'WPSC_SERVE_DISABLED', true );
	}

	/** Checks the path and, for plain permalinks, the rest_route parameter. */
	public static function is_request_for( string $route ): bool {
		$path  = rawurldecode( (string) strtok( (string) ( $_SERVER['REQUEST_URI'] ?? '' ), '?' ) ); // phpcs:ignore WordPress.Security
		$query = $_GET['rest_route'] ?? ''; // phpcs:ignore WordPress.Security
		return false !== stripos( $path, $route ) || ( is_string( $query ) && 0 === stripos( $query, $route ) );
	}

	/** Whether the request contains the site key. */
	public static function has_valid_key(): bool {
		$sent   = (string) ( $_SERVER['HTTP_X_SERVICE_KEY'] ?? '' ); // phpcs:ignore WordPress.Security
		$stored = (string) get_option( 'service_license_key', '' );
		return hash_equals( hash( 'sha256', $stored ), hash( 'sha256', $sent ) ) && '' !== $stored;
	}

	/** Call this when the output guard takes over the response. */
	public static function take_over(): void {
		self::$is_taken_over = true;
	}

	/** @param string $location Target of the redirect. */
	public static function record_redirect( $location ) {
		self::$reason = sprintf( '%1$s redirects calls from the panel to %2$s.', self::find_component( debug_backtrace( DEBUG_BACKTRACE_IGNORE_ARGS ) ), (string) strtok( (string) $location, '?' ) );
		return $location;
	}

	/** @param callable $handler Handler of wp_die(). */
	public static function record_wp_die( $handler ) {
		self::$reason = sprintf( '%s blocks calls from the panel.', self::find_component( debug_backtrace( DEBUG_BACKTRACE_IGNORE_ARGS ) ) );
		return $handler;
	}

	/** Output callback: PHP calls it when a buffer is closed. WordPress closes all buffers at the end. */
	public static function discard_output( string $printed ): string {
		return self::has_ended_early() ? '' : $printed;
	}

	/** After parse_request WordPress responds itself, even with a 404. */
	private static function has_ended_early(): bool {
		return ! did_action( 'parse_request' ) || null !== self::fatal_error();
	}

	private static function fatal_error(): ?array {
		$error = error_get_last();
		return null !== $error && $error['type'] & Error_Watch::FATAL_ERROR_TYPES ? $error : null;
	}

	/** Sends the full status line: http_response_code() does not change a status that WordPress has set with its text. */
	public static function set_status( int $status ): void {
		header( ( $_SERVER['SERVER_PROTOCOL'] ?? 'HTTP/1.1' ) . ' ' . $status, true, $status ); // phpcs:ignore WordPress.Security
	}

	/** Shutdown function: responds if the request has ended early. */
	public static function respond_if_ended_early(): void {
		if ( self::$is_taken_over || headers_sent() || ! self::has_ended_early() ) {
			return;
		}
		self::$is_taken_over = true;
		// The request may have run out of memory, and the response needs some.
		ini_set( 'memory_limit', '-1' );

		$fatal    = self::fatal_error();
		$is_fatal = null !== $fatal;
		while ( ob_get_level() > 0 && ob_end_clean() ) {
			continue;
		}
		header_remove( 'Location' );
		self::set_status( $is_fatal ? 500 : 403 );
		header( 'Content-Type: application/json; charset=UTF-8' );
		// The error message is for the log only, even with the right key: it may contain a database password.
		echo json_encode(
			[
				'success' => false,
				'error'   => $is_fatal
					? 'The site is down: a PHP error' . ( self::$has_key ? ' in ' . self::describe_component( $fatal['file'] ) : '' ) . ' ends every request. Check the error log of the site.'
					: ( self::$reason ?? 'Code on the site blocks calls from the panel.' ) . ' Exempt /service/v1/ in its settings.',
				'code'    => $is_fatal ? 'site_down' : 'request_blocked',
			]
		);
	}

	/** Returns the first plugin or theme in the backtrace, or WordPress. */
	private static function find_component( array $trace ): string {
		foreach ( array_column( $trace, 'file' ) as $file ) {
			$component = self::describe_component( $file );
			if ( 'WordPress' !== $component && 0 !== strpos( $file, __DIR__ ) ) {
				return ucfirst( $component );
			}
		}
		return 'WordPress';
	}

	private static function describe_component( string $file ): string {
		$folder = preg_quote( str_replace( '\\', '/', WP_CONTENT_DIR ), '#' );
		return preg_match( "#^$folder/(plugin|mu-plugin|theme)s/([^/]+)#", str_replace( '\\', '/', Files::to_wordpress_paths( $file ) ), $match )
			? 'the ' . str_replace( 'mu-', '', $match[1] ) . ' ' . $match[2]
			: 'WordPress';
	}
}
