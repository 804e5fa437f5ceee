<?php
/**
 * @package Steward
 */

namespace Steward\Watchdog;

defined( 'ABSPATH' ) || exit;

/**
 * What a running update has replaced and not judged yet, with what brings it back.
 *
 * It is on disk before anything is touched: every step of an update can be the last one of a killed request.
 */
final class Journal {

	private const NAME = 'in-flight.json';

	private const SECONDS_BETWEEN_ATTEMPTS = 60;

	/**
	 * What was replaced, in the order it was; null when nothing is being replaced.
	 *
	 * `path` is what was replaced, `backup` where it is now, `new_path` where its new version is; `slug` and `new_slug` are
	 * what WordPress calls it before and after.
	 *
	 * @return array{started: int, host: string, items: array<array{label: string, path: string, new_path: string, backup: string}>}|null
	 */
	public static function read(): ?array {
		$journal = State::read( self::NAME );
		if ( ! isset( $journal['started'], $journal['host'], $journal['items'] ) || ! is_array( $journal['items'] ) ) {
			return null;
		}
		foreach ( $journal['items'] as $item ) {
			if ( ! isset( $item['label'], $item['path'], $item['new_path'], $item['backup'] ) ) {
				return null;
			}
		}
		return $journal;
	}

	/**
	 * @param array{label: string, path: string, new_path: string, backup: string} $item What is about to be replaced.
	 * @param string                                                               $host The machine whose lock tells whether the update is alive; '' where files cannot be locked.
	 */
	public static function add( array $item, string $host ): bool {
		$journal            = self::read() ?? [ 'items' => [] ];
		$journal['started'] = time();
		$journal['host']    = $host;
		$journal['items'][] = $item;
		unset( $journal['try_again_at'] );
		return State::write( self::NAME, $journal );
	}

	/**
	 * Leaves the decision to the panel, which looks at the site from outside.
	 *
	 * @param string   $ticket  That lets the panel in meanwhile.
	 * @param string[] $backups Of what it is about.
	 * @return string The name of the call, which the panel's order has to give; '' when that cannot be.
	 */
	public static function await_verdict( string $ticket, array $backups ): string {
		$journal = [
			'call'    => bin2hex( random_bytes( 16 ) ),
			'at'      => time(),
			'ticket'  => $ticket,
			'awaited' => $backups,
		] + ( self::read() ?? [ 'items' => [] ] );
		return State::write( self::NAME, $journal ) ? $journal['call'] : '';
	}

	/**
	 * The decision is made.
	 *
	 * @return string[] Backups of what it was about.
	 */
	public static function end_awaiting(): array {
		$journal = self::read() ?? [];
		$awaited = (array) ( $journal['awaited'] ?? [] );
		if ( isset( $journal['call'] ) ) {
			Ticket::collect( (string) ( $journal['ticket'] ?? '' ) );
			State::write( self::NAME, array_diff_key( $journal, array_flip( [ 'call', 'at', 'ticket', 'awaited' ] ) ) );
		}
		return $awaited;
	}

	/** The call whose verdict is awaited; null: none is. */
	public static function awaiting(): ?string {
		return self::read()['call'] ?? null;
	}

	/** Seconds since the verdict is awaited. */
	public static function seconds_awaited(): int {
		return time() - (int) ( self::read()['at'] ?? 0 );
	}

	/** What could not be put back is not tried again in every request, but after a while. */
	public static function try_again_later(): void {
		$journal = self::read();
		if ( null !== $journal ) {
			State::write( self::NAME, [ 'try_again_at' => time() + self::SECONDS_BETWEEN_ATTEMPTS ] + $journal );
		}
	}

	public static function is_to_be_tried_later(): bool {
		return time() < (int) ( self::read()['try_again_at'] ?? 0 );
	}

	/**
	 * One step decides: before it a kill brings the old versions back, after it things stay as they are.
	 *
	 * @param string[] $backups Of the items to leave out.
	 */
	public static function remove( array $backups ): void {
		$journal = self::read() ?? [ 'items' => [] ];
		$kept    = array_filter(
			$journal['items'],
			static function ( array $item ) use ( $backups ): bool {
				return ! in_array( $item['backup'], $backups, true );
			}
		);
		if ( [] === $kept ) {
			@unlink( State::file( self::NAME ) );
		} else {
			State::write( self::NAME, [ 'items' => array_values( $kept ) ] + $journal );
		}
	}
}
