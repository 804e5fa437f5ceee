<?php
/**
 * @package Steward
 */

namespace Steward\Watchdog;

defined( 'ABSPATH' ) || exit;

/** Restores previous versions from their backups. */
final class Undo {

	/** If the panel sends no verdict within this time, the new versions stay. */
	private const MAX_VERDICT_WAIT_SECONDS = 600;

	/** Restores the items of a killed update. Does nothing while an update is running. */
	public static function restore_interrupted(): void {
		$journal = Journal::read();
		if ( null === $journal || Journal::is_retry_delayed() || ( null !== Journal::awaited_call() && Journal::seconds_waiting() < self::MAX_VERDICT_WAIT_SECONDS ) ) {
			return;
		}
		$lock = self::acquire_abandoned_lock( $journal );
		if ( null === $lock ) {
			return;
		}
		null === Journal::awaited_call() ? self::restore_all( 'was interrupted' ) : self::keep_new_versions();
		flock( $lock, LOCK_UN );
		fclose( $lock );
	}

	/** Keeps the new versions that wait for a verdict, verified or not. The caller holds the lock. */
	public static function keep_new_versions(): void {
		$awaited = Journal::stop_waiting();
		Maintenance::end();
		foreach ( Journal::read()['items'] ?? [] as $item ) {
			// Other items did not wait for the verdict, or their new version is missing: they must be restored.
			if ( in_array( $item['backup'], $awaited, true ) && Files::exists( $item['new_path'] ) ) {
				Journal::remove( [ $item['backup'] ] );
				Saved_Version::keep( $item['backup'], (array) ( $item['saved'] ?? [] ) ) || Files::delete( $item['backup'] );
				self::delete_if_empty( dirname( $item['backup'] ) );
			}
		}
	}

	/**
	 * Restores all items in the journal, newest first. The caller holds the lock.
	 *
	 * @param string $reason Part of the log message, such as `was interrupted`.
	 * @return bool Whether all items are restored.
	 */
	public static function restore_all( string $reason ): bool {
		// Stop waiting first: if this request is killed, the next request restores the rest.
		Journal::stop_waiting();
		$is_restored = true;
		foreach ( array_reverse( Journal::read()['items'] ?? [] ) as $item ) {
			$is_restored = self::restore_item( $item['backup'], $reason ) && $is_restored;
		}
		Maintenance::end();
		$is_restored || Journal::delay_retry();
		return $is_restored;
	}

	/**
	 * Restores one item. On failure the journal and the backup stay for the next attempt.
	 *
	 * @param string $backup Backup of the item.
	 * @param string $reason Part of the log message, such as `was interrupted`.
	 */
	public static function restore_item( string $backup, string $reason ): bool {
		$item = array_column( Journal::read()['items'] ?? [], null, 'backup' )[ $backup ] ?? null;
		if ( null === $item ) {
			return true;
		}
		if ( ! empty( $item['is_new'] ) ) {
			return self::delete_new_item( $item, $reason );
		}
		if ( ! Files::exists( $backup ) ) {
			Journal::remove( [ $backup ] );
			self::log( "the update of {$item['label']} $reason before any file was replaced." );
			return true;
		}
		if ( self::swap_back( $item ) ) {
			if ( isset( $item['slug'], $item['new_slug'] ) && $item['slug'] !== $item['new_slug'] ) {
				Plugin_Rename::defer( $item['new_slug'], $item['slug'] );
				Plugin_Rename::run_deferred();
			}
			Journal::remove( [ $backup ] );
			self::log( "the update of {$item['label']} $reason; restored its previous version." );
			return true;
		}
		// Web servers may deliver debug.log, so the message does not name the state folder.
		$name = basename( $backup );
		self::log( "could not restore the previous version of {$item['label']}. Its backup is $name in the state folder, whose name is in wp-content/steward-state.php." );
		return false;
	}

	/** Deletes the files of an incomplete installation. There was no previous version. */
	private static function delete_new_item( array $item, string $reason ): bool {
		$broken = dirname( $item['backup'] ) . '/broken-' . uniqid();
		// Move the item away first: WordPress must not find a partly deleted item.
		@rename( $item['new_path'], $broken );
		if ( ! Files::delete( $item['new_path'] ) ) {
			self::log( "could not delete the files of {$item['label']}, whose installation $reason." );
			return false;
		}
		Files::invalidate_opcache( $item['new_path'], $broken );
		Files::delete( $broken );
		Journal::remove( [ $item['backup'] ] );
		self::log( "the installation of {$item['label']} $reason; deleted its files." );
		return true;
	}

	/** Renames within one file system, which works on a full disk. */
	private static function swap_back( array $item ): bool {
		[ 'path' => $path, 'new_path' => $new, 'backup' => $backup ] = $item;
		$broken = dirname( $backup ) . '/broken-' . uniqid();
		if ( Files::exists( $new ) && ! @rename( $new, $broken ) && ! Files::delete( $new ) ) {
			return false;
		}
		if ( ! @rename( $backup, $path ) ) {
			@rename( $broken, $new );
			return false;
		}
		Files::invalidate_opcache( $path, $broken );
		if ( $new !== $path ) {
			Files::invalidate_opcache( $new, $broken );
		}
		Files::delete( $broken );
		self::delete_if_empty( dirname( $backup ) );
		return true;
	}

	/** Deletes the state folder next to an item on another file system when it is no longer needed. */
	public static function delete_if_empty( string $folder ): void {
		if ( State::folder() !== $folder && [] === array_diff( Files::list_names( $folder ), [ 'index.php', '.htaccess' ] ) ) {
			Files::delete( $folder );
		}
	}

	/**
	 * Acquires the lock of a killed update. The operating system releases the lock when the process ends.
	 *
	 * @param array{started: int, host: string} $journal Journal of the update.
	 * @return resource|null Null: the update may still be running.
	 */
	private static function acquire_abandoned_lock( array $journal ) {
		$lock = @fopen( State::file( 'lock' ), 'ce' );
		if ( false === $lock ) {
			return null;
		}
		$would_block = 0;
		$is_acquired = flock( $lock, LOCK_EX | LOCK_NB, $would_block );
		// On another host, a free lock proves nothing: some file systems do not share locks, or have none.
		$is_killed = $is_acquired && State::host() === $journal['host'];
		$is_old    = ! $would_block && time() - $journal['started'] > State::MAX_UPDATE_SECONDS;
		if ( $is_killed || $is_old ) {
			return $lock;
		}
		fclose( $lock );
		return null;
	}

	private static function log( string $message ): void {
		error_log( 'Steward: ' . $message );
	}
}
