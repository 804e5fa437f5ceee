<?php
/**
 * @package Steward
 */

namespace Steward\Watchdog;

defined( 'ABSPATH' ) || exit;

/**
 * A call of the panel, until this plugin takes it over. When something ends it before that, the panel is told what did,
 * and that nothing was begun.
 */
final class Remote_Request {

	private const ROUTES = '/service/v1/remote/';
	private const FATAL  = E_ERROR | E_PARSE | E_CORE_ERROR | E_COMPILE_ERROR | E_USER_ERROR | E_RECOVERABLE_ERROR;

	/** @var bool */
	private static $is_taken_over = false;

	/** @var bool Whether the caller may be told in which plugin the site dies: only the panel has the key. */
	private static $has_key = false;

	/** @var string|null What is about to end the request, in a sentence. */
	private static $reason = null;

	public static function watch(): void {
		if ( ! self::is_for( self::ROUTES ) ) {
			return;
		}
		self::keep_caches_out();
		// Asked now: at the end, a plugin that reads options may be what has died.
		self::$has_key = self::has_key();
		// What PHP says is for the log. Where memory is exhausted, it would be printed past all buffers.
		ini_set( 'display_errors', '0' );
		// WordPress's own handler of fatal errors runs before ours, and would die there of the same want of memory.
		defined( 'WP_SANDBOX_SCRAPING' ) || define( 'WP_SANDBOX_SCRAPING', true );
		// What plugins print while they are loaded must not stand before the answer; it is thrown away.
		ob_start( [ self::class, 'swallow' ] );
		add_filter( 'wp_redirect', [ self::class, 'note_redirect' ], PHP_INT_MAX );
		foreach ( [ 'wp_die_handler', 'wp_die_ajax_handler', 'wp_die_json_handler', 'wp_die_xml_handler' ] as $filter ) {
			add_filter( $filter, [ self::class, 'note_death' ], PHP_INT_MAX );
		}
		register_shutdown_function( [ self::class, 'answer' ] );
	}

	/**
	 * From storing this page, and from answering in its place: WP Super Cache can do that as late as on init, and a look
	 * would take its stored page for one that was built.
	 */
	public static function keep_caches_out(): void {
		defined( 'DONOTCACHEPAGE' ) || define( 'DONOTCACHEPAGE', true );
		defined( 'WPSC_SERVE_DISABLED' ) || define( 'WPSC_SERVE_DISABLED', true );
	}

	/** Whether the path, or the parameter that stands for it with plain permalinks, leads to a route. */
	public static function is_for( string $route ): bool {
		$path  = rawurldecode( (string) strtok( (string) ( $_SERVER['REQUEST_URI'] ?? '' ), '?' ) ); // phpcs:ignore WordPress.Security
		$asked = $_GET['rest_route'] ?? ''; // phpcs:ignore WordPress.Security
		return false !== stripos( $path, $route ) || ( is_string( $asked ) && 0 === stripos( $asked, $route ) );
	}

	/** Whether the caller has sent the key of this site. */
	public static function has_key(): bool {
		$sent   = (string) ( $_SERVER['HTTP_X_SERVICE_KEY'] ?? '' ); // phpcs:ignore WordPress.Security
		$stored = (string) get_option( 'service_license_key', '' );
		return hash_equals( hash( 'sha256', $stored ), hash( 'sha256', $sent ) ) && '' !== $stored;
	}

	/** From here on this plugin answers, whatever happens. */
	public static function take_over(): void {
		self::$is_taken_over = true;
	}

	public static function is_taken_over(): bool {
		return self::$is_taken_over;
	}

	/** @param string $location Where to. */
	public static function note_redirect( $location ) {
		self::$reason = sprintf( '%1$s redirects calls of the panel to %2$s.', self::culprit( debug_backtrace( DEBUG_BACKTRACE_IGNORE_ARGS ) ), (string) strtok( (string) $location, '?' ) );
		return $location;
	}

	/** @param callable $handler What prints the message. */
	public static function note_death( $handler ) {
		self::$reason = sprintf( '%s ends calls of the panel before Steward can answer, as for a site that is closed or under construction.', self::culprit( debug_backtrace( DEBUG_BACKTRACE_IGNORE_ARGS ) ) );
		return $handler;
	}

	/** Called by PHP with what was printed, when a buffer is closed: WordPress closes all of them at the end. */
	public static function swallow( string $printed ): string {
		return self::is_ended_early() ? '' : $printed;
	}

	/** Once WordPress has read the address, what it answers is an answer: also that there is no such page. */
	private static function is_ended_early(): bool {
		return ! did_action( 'parse_request' ) || null !== self::fatal();
	}

	private static function fatal(): ?array {
		$error = error_get_last();
		return null !== $error && $error['type'] & self::FATAL ? $error : null;
	}

	/** A status that was set with its words, as WordPress does it, is not changed by its number. */
	public static function set_status( int $status ): void {
		header( ( $_SERVER['SERVER_PROTOCOL'] ?? 'HTTP/1.1' ) . ' ' . $status, true, $status ); // phpcs:ignore WordPress.Security
	}

	/** At the end of the request. */
	public static function answer(): void {
		if ( self::$is_taken_over || headers_sent() || ! self::is_ended_early() ) {
			return;
		}
		self::$is_taken_over = true;
		// The request may have died for want of memory, and the answer needs some.
		ini_set( 'memory_limit', '-1' );

		$fatal    = self::fatal();
		$is_fatal = null !== $fatal;
		while ( ob_get_level() > 0 && ob_end_clean() ) {
			continue;
		}
		header_remove( 'Location' );
		self::set_status( $is_fatal ? 500 : 403 );
		header( 'Content-Type: application/json; charset=UTF-8' );
		// What the error says is for the log alone, even with the key: it may hold a password of the database.
		echo json_encode(
			[
				'success' => false,
				'error'   => $is_fatal
					? 'The site is down: a PHP error' . ( self::$has_key ? ' in ' . self::owner_of( $fatal['file'] ) : '' ) . ' ends every request. Look into its error log.'
					: ( self::$reason ?? 'Something on the site ends calls of the panel before Steward can answer.' ) . ' Exempt /service/v1/ there.',
				'code'    => $is_fatal ? 'site_down' : 'request_blocked',
			]
		);
	}

	/** The plugin or theme that is at work. */
	private static function culprit( array $trace ): string {
		foreach ( array_column( $trace, 'file' ) as $file ) {
			$owner = self::owner_of( $file );
			if ( 'WordPress' !== $owner && 0 !== strpos( $file, __DIR__ ) ) {
				return ucfirst( $owner );
			}
		}
		return 'WordPress';
	}

	private static function owner_of( string $file ): string {
		$folder = preg_quote( str_replace( '\\', '/', WP_CONTENT_DIR ), '#' );
		return preg_match( "#^$folder/(plugin|mu-plugin|theme)s/([^/]+)#", str_replace( '\\', '/', Files::without_links( $file ) ), $match )
			? 'the ' . str_replace( 'mu-', '', $match[1] ) . ' ' . $match[2]
			: 'WordPress';
	}
}
