<?php
/**
 * @package Steward
 */

namespace Steward\Watchdog;

defined( 'ABSPATH' ) || exit;

/**
 * The items that a running update has replaced and not committed, with the data to restore them.
 *
 * Written to disk before any change: the request can be killed at every step of an update.
 */
final class Journal {

	private const FILE_NAME = 'in-flight.json';

	private const RETRY_SECONDS = 60;

	/**
	 * Returns the replaced items in order, or null if no update is in progress.
	 *
	 * `path` is the replaced folder or file, `backup` its backup, `new_path` the path of the new version. `slug` and
	 * `new_slug` are the slugs before and after the update. `is_new`: a new item, without an old version or a backup.
	 * `saved` describes the old version for Saved_Version.
	 *
	 * @return array{started: int, host: string, items: array<array{label: string, path: string, new_path: string, backup: string}>}|null
	 */
	public static function read(): ?array {
		$journal = State::read( self::FILE_NAME );
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
	 * @param array{label: string, path: string, new_path: string, backup: string} $item Item to replace.
	 * @param string                                                               $host Host that holds the file lock of the update; '' without a file lock.
	 */
	public static function add( array $item, string $host ): bool {
		$journal            = self::read() ?? [ 'items' => [] ];
		$journal['started'] = time();
		$journal['host']    = $host;
		$journal['items'][] = $item;
		unset( $journal['try_again_at'] );
		return State::write( self::FILE_NAME, State::place() + $journal );
	}

	/**
	 * Records that the panel decides about these items after it has checked the site from outside.
	 *
	 * @param string   $ticket  Ticket for the requests of the panel.
	 * @param string[] $backups Backups of the items.
	 * @return string Id of the call, which the verdict of the panel must contain; '' on failure.
	 */
	public static function await_verdict( string $ticket, array $backups ): string {
		$journal = [
			'call'    => bin2hex( random_bytes( 16 ) ),
			'at'      => time(),
			'ticket'  => $ticket,
			'awaited' => $backups,
		] + ( self::read() ?? [ 'items' => [] ] );
		return State::write( self::FILE_NAME, $journal ) ? $journal['call'] : '';
	}

	/**
	 * Stops waiting for the verdict.
	 *
	 * @return string[] Backups of the items that waited for the verdict.
	 */
	public static function stop_waiting(): array {
		$journal = self::read() ?? [];
		$awaited = (array) ( $journal['awaited'] ?? [] );
		if ( isset( $journal['call'] ) ) {
			Ticket::collect( (string) ( $journal['ticket'] ?? '' ) );
			State::write( self::FILE_NAME, array_diff_key( $journal, array_flip( [ 'call', 'at', 'ticket', 'awaited' ] ) ) );
		}
		return $awaited;
	}

	/** Returns the id of the call that waits for a verdict, or null. */
	public static function awaited_call(): ?string {
		return self::read()['call'] ?? null;
	}

	/** Returns the seconds since the update started to wait for the verdict. */
	public static function seconds_waiting(): int {
		return time() - (int) ( self::read()['at'] ?? 0 );
	}

	/** Delays the next attempt after a failed restore: not every request should repeat it. */
	public static function delay_retry(): void {
		$journal = self::read();
		if ( null !== $journal ) {
			State::write( self::FILE_NAME, [ 'try_again_at' => time() + self::RETRY_SECONDS ] + $journal );
		}
	}

	public static function is_retry_delayed(): bool {
		return time() < (int) ( self::read()['try_again_at'] ?? 0 );
	}

	/**
	 * Removes items in one atomic step. From then on the watchdog no longer restores their old versions.
	 *
	 * @param string[] $backups Backups of the items to remove.
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
			@unlink( State::file( self::FILE_NAME ) );
		} else {
			State::write( self::FILE_NAME, [ 'items' => array_values( $kept ) ] + $journal );
		}
	}
}
