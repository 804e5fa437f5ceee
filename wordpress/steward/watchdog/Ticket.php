<?php
/**
 * @package Steward
 */

namespace Steward\Watchdog;

defined( 'ABSPATH' ) || exit;

/**
 * Admits one request of the site to itself: past maintenance and, if so wanted, signed in.
 *
 * No cookie travels. Requests of a site to itself may skip the check of its certificate, so a ticket works once, for a
 * GET, for a minute, and is known to the two sides through a file alone.
 */
final class Ticket {

	const PARAMETER = 'steward_check';

	private const SECONDS = 60;

	/** @var string */
	private $id;

	/** @var array{secret: string, until: int, user: int, paths: string[]} */
	private $terms;

	private function __construct( string $id, array $terms ) {
		$this->id    = $id;
		$this->terms = $terms;
	}

	/** For the panel, which looks several times, as a visitor. */
	public static function issue_for_panel(): string {
		return self::write( [ 'is_for_panel' => true ], 0, [] );
	}

	/**
	 * @param int      $user  The user that the request is signed in as; 0: a visitor.
	 * @param string[] $paths Of what was replaced: whether the request runs its code as it is on disk.
	 * @return string What the request has to carry; '' when none can be issued.
	 */
	public static function issue( int $user, array $paths ): string {
		return self::write( [], $user, $paths );
	}

	private static function write( array $more, int $user, array $paths ): string {
		$id     = bin2hex( random_bytes( 8 ) );
		$secret = bin2hex( random_bytes( 24 ) );
		$terms  = [
			'secret' => hash( 'sha256', $secret ),
			'until'  => time() + self::SECONDS,
			'user'   => $user,
			'paths'  => $paths,
		] + $more;
		return State::write( "check-$id.json", $terms ) ? "$id.$secret" : '';
	}

	/** The ticket that this request carries, if it is a good one. */
	public static function of_request(): ?self {
		$carried = $_GET[ self::PARAMETER ] ?? ''; // phpcs:ignore WordPress.Security
		if ( ! is_string( $carried ) || ! preg_match( '/^([0-9a-f]{16})\.([0-9a-f]{48})$/D', $carried, $match ) || 'GET' !== ( $_SERVER['REQUEST_METHOD'] ?? '' ) ) {
			return null;
		}
		$terms = State::read( "check-{$match[1]}.json" );
		if ( ! isset( $terms['secret'], $terms['until'], $terms['user'], $terms['paths'] ) ) {
			return null;
		}
		$is_good = hash_equals( $terms['secret'], hash( 'sha256', $match[2] ) ) && time() <= $terms['until'];
		return $is_good ? new self( $match[1], $terms ) : null;
	}

	/** True once: of two requests with the same ticket, for the one that renames it. */
	public function use_up(): bool {
		return ! empty( $this->terms['is_for_panel'] ) || @rename( State::file( "check-{$this->id}.json" ), self::report_file( $this->id ) );
	}

	public function user(): int {
		return (int) $this->terms['user'];
	}

	/** @return string[] */
	public function paths(): array {
		return array_map( 'strval', (array) $this->terms['paths'] );
	}

	/** A page that ends after the update has stopped waiting for it finds no file, and leaves none. */
	public function report( array $seen ): void {
		$file = self::report_file( $this->id );
		clearstatcache( true, $file );
		if ( is_file( $file ) ) {
			State::write( basename( $file ), $seen );
		}
	}

	/**
	 * What the request with this ticket has reported so far; null: nothing.
	 *
	 * @param string $carried As it was issued.
	 */
	public static function report_of( string $carried ): ?array {
		$file = self::report_file( (string) strtok( $carried, '.' ) );
		clearstatcache( true, $file );
		$seen = State::read( basename( $file ) );
		return isset( $seen['is_finished'] ) ? $seen : null;
	}

	/**
	 * The ticket is worth nothing afterwards.
	 *
	 * @param string $carried As it was issued.
	 * @return array|null What the request has reported, if it came through.
	 */
	public static function collect( string $carried ): ?array {
		if ( '' === $carried ) {
			return null;
		}
		$seen = self::report_of( $carried );
		$id   = (string) strtok( $carried, '.' );
		@unlink( State::file( "check-$id.json" ) );
		@unlink( self::report_file( $id ) );
		return $seen;
	}

	private static function report_file( string $id ): string {
		return State::file( "seen-$id.json" );
	}
}
