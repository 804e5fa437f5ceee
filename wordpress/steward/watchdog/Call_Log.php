<?php
/**
 * @package Steward
 */

namespace Steward\Watchdog;

defined( 'ABSPATH' ) || exit;

/**
 * The call log: the calls that this site has executed, as a hash chain.
 *
 * The panel compares the log with the calls that it has sent. `call-log.ts` in the contract defines the hashed text,
 * and both sides pass the same test vectors.
 */
final class Call_Log {

	/** Prefix of the option names. Each entry is one option, with its sequence number at the end. */
	const OPTION_PREFIX = 'steward_call_';

	/** The first entry has this previous hash. */
	const INITIAL_HASH = '0000000000000000000000000000000000000000000000000000000000000000';

	private const MAX_ENTRIES          = 200;
	private const MAX_REPORTED_ENTRIES = 50;
	private const MAX_INSERT_ATTEMPTS  = 25;

	/**
	 * Adds an entry. Call this before any change, so that the entry exists even if the request is killed.
	 *
	 * Option names are unique, so the log cannot fork, even if two requests bypass the site lock.
	 *
	 * @param string $route Route in lower case, such as /service/v1/remote/update.
	 * @param string $body  Raw request body.
	 * @return bool Whether the entry was written.
	 */
	public static function add( string $route, string $body ): bool {
		global $wpdb;
		[ $timestamp, $nonce ] = Call_Signature::accepted_call() ?? [ time(), null ];
		for ( $attempt = 0; $attempt < self::MAX_INSERT_ATTEMPTS; $attempt++ ) {
			$head  = self::head();
			$entry = self::build_entry( $head, $timestamp, $route, $body, $nonce );
			$added = $wpdb->query( $wpdb->prepare( "INSERT IGNORE INTO {$wpdb->options} ( option_name, option_value, autoload ) VALUES ( %s, %s, 'no' )", self::option_name( $entry['sequence'] ), (string) json_encode( $entry ) ) );
			// Try again if the result is 0 (another request used this number) or false (a database error, perhaps a deadlock).
			if ( 1 === $added ) {
				self::delete_up_to( $entry['sequence'] - self::MAX_ENTRIES );
				return true;
			}
		}
		return false;
	}

	private static function delete_up_to( int $last ): void {
		global $wpdb;
		if ( $last > 0 ) {
			$wpdb->query( $wpdb->prepare( "DELETE FROM {$wpdb->options} WHERE option_name LIKE %s AND option_name <= %s", self::like_pattern(), self::option_name( $last ) ) );
		}
	}

	/**
	 * Returns the new entries for the report to the panel.
	 *
	 * @param int $after Sequence number of the last entry that the panel has acknowledged.
	 */
	public static function build_report( int $after ): array {
		global $wpdb;
		// Read the head first: entries that are added later belong to the next report.
		$head = self::head();
		$rows = (array) $wpdb->get_results( $wpdb->prepare( "SELECT option_name, option_value FROM {$wpdb->options} WHERE option_name LIKE %s AND option_name > %s AND option_name <= %s ORDER BY option_name LIMIT %d", self::like_pattern(), self::option_name( max( 0, $after ) ), self::option_name( $head['sequence'] ), self::MAX_REPORTED_ENTRIES ) );
		return [
			'head'    => $head,
			'after'   => max( 0, $after ),
			'entries' => array_map( [ self::class, 'parse_row' ], $rows ),
		];
	}

	/** Deletes all entries. The next entry starts a new log. */
	public static function delete_all(): void {
		global $wpdb;
		$wpdb->query( $wpdb->prepare( "DELETE FROM {$wpdb->options} WHERE option_name LIKE %s", self::like_pattern() ) );
	}

	/**
	 * @param array{sequence: int, hash: string} $head  Previous entry.
	 * @param string|null                        $nonce Nonce of the call. Null: the call was unsigned.
	 */
	public static function build_entry( array $head, int $timestamp, string $route, string $body, ?string $nonce ): array {
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
		$row = $wpdb->get_row( $wpdb->prepare( "SELECT option_name, option_value FROM {$wpdb->options} WHERE option_name LIKE %s ORDER BY option_name DESC LIMIT 1", self::like_pattern() ) );
		if ( null === $row ) {
			return [ 'sequence' => 0, 'hash' => self::INITIAL_HASH ];
		}
		$entry = self::parse_row( $row );
		return [ 'sequence' => $entry['sequence'], 'hash' => $entry['hash'] ];
	}

	/** Does not validate entries: the panel must receive altered ones to raise an alarm. */
	private static function parse_row( object $row ): array {
		$stored = json_decode( $row->option_value, true );
		$stored = is_array( $stored ) ? $stored : [];
		return [
			'sequence'    => (int) substr( $row->option_name, strlen( self::OPTION_PREFIX ) ),
			'timestamp'   => (int) ( $stored['timestamp'] ?? 0 ),
			'route'       => (string) ( $stored['route'] ?? '' ),
			'body_sha256' => (string) ( $stored['body_sha256'] ?? '' ),
			'nonce'       => isset( $stored['nonce'] ) ? (string) $stored['nonce'] : null,
			'hash'        => (string) ( $stored['hash'] ?? '' ),
		];
	}

	/** Pads the number, so that names sort in the order of the entries. */
	private static function option_name( int $sequence ): string {
		return self::OPTION_PREFIX . sprintf( '%012d', $sequence );
	}

	private static function like_pattern(): string {
		global $wpdb;
		return $wpdb->esc_like( self::OPTION_PREFIX ) . '%';
	}
}
