<?php
/**
 * @package Steward
 */

namespace Steward\Watchdog;

defined( 'ABSPATH' ) || exit;

/**
 * The calls that this site has obeyed, each with a hash over the one before it.
 *
 * The panel compares them with the calls that it has made. What is hashed is in `call-log.ts` of the contract; both sides
 * pass the same golden vectors.
 */
final class Call_Log {

	/** The names of the options, one for each entry, with its sequence number at the end. */
	const ENTRIES = 'steward_call_';

	/** The hash before the first entry. */
	const START = '0000000000000000000000000000000000000000000000000000000000000000';

	private const KEPT     = 200;
	private const REPORTED = 50;
	private const ATTEMPTS = 25;

	/**
	 * Before anything is done: the entry stays when the request is killed.
	 *
	 * The name of an option is unique, so the log does not fork, not even where two requests get past the lock of the site.
	 *
	 * @param string $route As the panel names it, such as /service/v1/remote/update.
	 * @param string $body  As it was received.
	 * @return bool False: it could not be written.
	 */
	public static function add( string $route, string $body ): bool {
		global $wpdb;
		[ $timestamp, $nonce ] = Call_Signature::accepted() ?? [ time(), null ];
		for ( $attempt = 0; $attempt < self::ATTEMPTS; $attempt++ ) {
			$head  = self::head();
			$entry = self::entry( $head, $timestamp, $route, $body, $nonce );
			$added = $wpdb->query( $wpdb->prepare( "INSERT IGNORE INTO {$wpdb->options} ( option_name, option_value, autoload ) VALUES ( %s, %s, 'no' )", self::name_of( $entry['sequence'] ), (string) json_encode( $entry ) ) );
			// 0: another request was first. False: the database says no, perhaps only to break a deadlock.
			if ( 1 === $added ) {
				self::trim( $entry['sequence'] - self::KEPT );
				return true;
			}
		}
		return false;
	}

	private static function trim( int $last ): void {
		global $wpdb;
		if ( $last > 0 ) {
			$wpdb->query( $wpdb->prepare( "DELETE FROM {$wpdb->options} WHERE option_name LIKE %s AND option_name <= %s", self::pattern(), self::name_of( $last ) ) );
		}
	}

	/**
	 * What the panel is told.
	 *
	 * @param int $after The entry that the panel has acknowledged last.
	 */
	public static function report( int $after ): array {
		global $wpdb;
		// First: an entry that is added meanwhile is for the next report.
		$head = self::head();
		$rows = (array) $wpdb->get_results( $wpdb->prepare( "SELECT option_name, option_value FROM {$wpdb->options} WHERE option_name LIKE %s AND option_name > %s AND option_name <= %s ORDER BY option_name LIMIT %d", self::pattern(), self::name_of( max( 0, $after ) ), self::name_of( $head['sequence'] ), self::REPORTED ) );
		return [
			'head'    => $head,
			'after'   => max( 0, $after ),
			'entries' => array_map( [ self::class, 'read' ], $rows ),
		];
	}

	/** With another key of this site. */
	public static function restart(): void {
		global $wpdb;
		$wpdb->query( $wpdb->prepare( "DELETE FROM {$wpdb->options} WHERE option_name LIKE %s", self::pattern() ) );
	}

	/**
	 * @param array{sequence: int, hash: string} $head The entry before it.
	 * @param string|null                        $nonce Null: the call had no signature.
	 */
	public static function entry( array $head, int $timestamp, string $route, string $body, ?string $nonce ): array {
		$entry = [
			'sequence'    => $head['sequence'] + 1,
			'timestamp'   => $timestamp,
			'route'       => $route,
			'body_sha256' => hash( 'sha256', $body ),
			'nonce'       => $nonce,
		];
		$lines = [ 'steward-log-v1', $head['hash'], $entry['sequence'], $timestamp, $route, $entry['body_sha256'], $nonce ?? '-' ];
		return $entry + [ 'hash' => hash( 'sha256', implode( "\n", $lines ) ) ];
	}

	/** @return array{sequence: int, hash: string} */
	private static function head(): array {
		global $wpdb;
		$row = $wpdb->get_row( $wpdb->prepare( "SELECT option_name, option_value FROM {$wpdb->options} WHERE option_name LIKE %s ORDER BY option_name DESC LIMIT 1", self::pattern() ) );
		if ( null === $row ) {
			return [ 'sequence' => 0, 'hash' => self::START ];
		}
		$entry = self::read( $row );
		return [ 'sequence' => $entry['sequence'], 'hash' => $entry['hash'] ];
	}

	/** An entry that was changed in the database is reported as it is, and the panel raises an alarm. */
	private static function read( object $row ): array {
		$stored = json_decode( $row->option_value, true );
		$stored = is_array( $stored ) ? $stored : [];
		return [
			'sequence'    => (int) substr( $row->option_name, strlen( self::ENTRIES ) ),
			'timestamp'   => (int) ( $stored['timestamp'] ?? 0 ),
			'route'       => (string) ( $stored['route'] ?? '' ),
			'body_sha256' => (string) ( $stored['body_sha256'] ?? '' ),
			'nonce'       => isset( $stored['nonce'] ) ? (string) $stored['nonce'] : null,
			'hash'        => (string) ( $stored['hash'] ?? '' ),
		];
	}

	/** As long for every number, so that the order of the names is that of the entries. */
	private static function name_of( int $sequence ): string {
		return self::ENTRIES . sprintf( '%012d', $sequence );
	}

	private static function pattern(): string {
		global $wpdb;
		return $wpdb->esc_like( self::ENTRIES ) . '%';
	}
}
