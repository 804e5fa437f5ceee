<?php
/**
 * @package Steward
 */

namespace Steward\Watchdog;

defined( 'ABSPATH' ) || exit;

/**
 * Admits GET requests of a health check during maintenance mode, signed in if requested.
 *
 * Used instead of a login cookie: loopback requests may skip certificate verification, so an attacker could read the
 * cookie and sign in with it. A ticket expires after one minute. A loopback ticket is valid once and for one page; the
 * ticket of the panel is valid for several pages, as a visitor.
 */
final class Ticket {

	const PARAMETER = 'steward_check';

	private const LIFETIME_SECONDS = 60;
	/** An update may still wait for the report of an expired ticket. */
	private const KEPT_SECONDS     = 3600;

	/** @var string */
	private $id;

	/** @var array{secret: string, until: int, user: int, paths: string[], page?: string, finds_pages?: bool, errors?: array} */
	private $terms;

	private function __construct( string $id, array $terms ) {
		$this->id    = $id;
		$this->terms = $terms;
	}

	/** Issues a ticket for the panel, which opens several pages as a visitor. */
	public static function issue_for_panel(): string {
		return self::create( [ 'is_for_panel' => true ], 0, [] );
	}

	/**
	 * Issues a ticket for one loopback request.
	 *
	 * @param int      $user        User to sign in. 0: a visitor.
	 * @param string[] $paths       Replaced folders and files. The request reports whether PHP still runs their old code from the opcache.
	 * @param string   $url         Page that the request opens.
	 * @param bool     $finds_pages Whether the request also reports the pages that the items have registered.
	 * @return string Token for the request; '' on failure.
	 */
	public static function issue( int $user, array $paths, string $url, bool $finds_pages = false ): string {
		return self::create( [ 'page' => self::normalize_page( $url ) ] + ( $finds_pages ? [ 'finds_pages' => true ] : [] ), $user, $paths );
	}

	/**
	 * Issues a ticket for one step of Error_Check.
	 *
	 * @param string $url  Address that the request opens.
	 * @param array  $task What the request does.
	 */
	public static function issue_for_errors( string $url, array $task ): string {
		// If the site cannot request its own pages, no request redeems the tickets.
		foreach ( preg_grep( '/^(check|seen)-/', Files::list_names( State::folder() ) ) as $name ) {
			$file = State::folder() . '/' . $name;
			time() - (int) @filemtime( $file ) > self::KEPT_SECONDS && @unlink( $file );
		}
		return self::create( [ 'page' => self::normalize_page( $url ), 'errors' => $task ], 0, [] );
	}

	private static function create( array $extra, int $user, array $paths ): string {
		$id     = bin2hex( random_bytes( 8 ) );
		$secret = bin2hex( random_bytes( 24 ) );
		$terms  = [
			'secret' => hash( 'sha256', $secret ),
			'until'  => time() + self::LIFETIME_SECONDS,
			'user'   => $user,
			'paths'  => $paths,
		] + $extra;
		return State::write( "check-$id.json", $terms ) ? "$id.$secret" : '';
	}

	/** Returns the valid ticket of this request, or null. */
	public static function from_request(): ?self {
		$token = $_GET[ self::PARAMETER ] ?? ''; // phpcs:ignore WordPress.Security
		if ( ! is_string( $token ) || ! preg_match( '/^([0-9a-f]{16})\.([0-9a-f]{48})$/D', $token, $match ) || 'GET' !== ( $_SERVER['REQUEST_METHOD'] ?? '' ) ) {
			return null;
		}
		$terms = State::read( "check-{$match[1]}.json" );
		if ( ! isset( $terms['secret'], $terms['until'], $terms['user'], $terms['paths'] ) ) {
			return null;
		}
		$is_valid = hash_equals( $terms['secret'], hash( 'sha256', $match[2] ) ) && time() <= $terms['until'];
		// A ticket of the panel names no page, nor does one of an older version that is being replaced.
		$is_for_page = ! isset( $terms['page'] ) || self::normalize_page( (string) ( $_SERVER['REQUEST_URI'] ?? '' ) ) === $terms['page']; // phpcs:ignore WordPress.Security
		return $is_valid && $is_for_page ? new self( $match[1], $terms ) : null;
	}

	/** Returns path and query without the ticket, in the same form for a URL and for the address of a request. */
	private static function normalize_page( string $url ): string {
		$page  = (string) preg_replace( '~^https?://[^/?#]*|#.*$~i', '', $url );
		$parts = explode( '?', $page, 2 );
		parse_str( $parts[1] ?? '', $arguments );
		unset( $arguments[ self::PARAMETER ] );
		ksort( $arguments );
		// Some servers add the name of the file to the address of a folder.
		$path = preg_replace( '~(^|/)(index\.php)?$~D', '/', rawurldecode( $parts[0] ), 1 );
		return $path . '?' . http_build_query( $arguments );
	}

	/** Returns true once for a loopback ticket: of two requests with the same ticket, only one can rename the file. */
	public function redeem(): bool {
		return ! empty( $this->terms['is_for_panel'] ) || @rename( State::file( "check-{$this->id}.json" ), self::report_file( $this->id ) );
	}

	/** Returns the task of Error_Check, or null for a health check. No other request waits for a report. */
	public function take_error_task(): ?array {
		if ( ! isset( $this->terms['errors'] ) ) {
			return null;
		}
		@unlink( self::report_file( $this->id ) );
		return (array) $this->terms['errors'];
	}

	public function user(): int {
		return (int) $this->terms['user'];
	}

	public function finds_pages(): bool {
		return ! empty( $this->terms['finds_pages'] );
	}

	/** @return string[] */
	public function paths(): array {
		return array_map( 'strval', (array) $this->terms['paths'] );
	}

	/** Stores how the request ended, for the update that waits for it. An update that stops waiting deletes the file. */
	public function report( array $report ): void {
		$file = self::report_file( $this->id );
		clearstatcache( true, $file );
		if ( is_file( $file ) ) {
			State::write( basename( $file ), $report );
		}
	}

	/**
	 * Returns the last report of the request, or null if there is none.
	 *
	 * @param string $token Issued token.
	 */
	public static function read_report( string $token ): ?array {
		$file = self::report_file( (string) strtok( $token, '.' ) );
		clearstatcache( true, $file );
		$report = State::read( basename( $file ) );
		// Until the first report, the file contains the terms of the redeemed ticket.
		$is_report = isset( $report['is_finished'] );
		return $is_report ? $report : null;
	}

	/**
	 * Returns when the request of the ticket has started, or null. Only exact before the first report.
	 *
	 * @param string $token Issued token.
	 */
	public static function redeemed_at( string $token ): ?int {
		$file = self::report_file( (string) strtok( $token, '.' ) );
		clearstatcache( true, $file );
		$time = @filectime( $file );
		return false === $time ? null : $time;
	}

	/**
	 * Returns the report and invalidates the ticket.
	 *
	 * @param string $token Issued token.
	 * @return array|null Report of the request, or null.
	 */
	public static function collect( string $token ): ?array {
		if ( '' === $token ) {
			return null;
		}
		$report = self::read_report( $token );
		$id     = (string) strtok( $token, '.' );
		@unlink( State::file( "check-$id.json" ) );
		@unlink( self::report_file( $id ) );
		return $report;
	}

	private static function report_file( string $id ): string {
		return State::file( "seen-$id.json" );
	}
}
