<?php
/**
 * @package Steward
 */

namespace Steward\Watchdog;

defined( 'ABSPATH' ) || exit;

/** Puts previous versions back. */
final class Undo {

	/** For so long the panel may order what it has seen to be broken to be put back. */
	private const LONGEST_AWAITED_SECONDS = 600;

	/** What an update left half-done when it died. Does nothing while one is alive. */
	public static function what_died(): void {
		$journal = Journal::read();
		if ( null === $journal || Journal::is_to_be_tried_later() || ( null !== Journal::awaiting() && Journal::seconds_awaited() < self::LONGEST_AWAITED_SECONDS ) ) {
			return;
		}
		$lock = self::take_lock_of_dead( $journal );
		if ( null === $lock ) {
			return;
		}
		null === Journal::awaiting() ? self::all( 'was interrupted' ) : self::keep_all();
		flock( $lock, LOCK_UN );
		fclose( $lock );
	}

	/** The new versions stay, whether they were seen working or not. The caller holds the lock. */
	public static function keep_all(): void {
		$awaited = Journal::end_awaiting();
		Maintenance::end();
		foreach ( Journal::read()['items'] ?? [] as $item ) {
			// What was not awaited, or is not there, has to be put back.
			if ( in_array( $item['backup'], $awaited, true ) && Files::has( $item['new_path'] ) ) {
				Journal::remove( [ $item['backup'] ] );
				Files::delete( $item['backup'] );
				self::delete_if_empty( dirname( $item['backup'] ) );
			}
		}
	}

	/**
	 * Everything in the journal, the newest first. The caller holds the lock.
	 *
	 * @param string $why For the log.
	 * @return bool Whether nothing is left to undo.
	 */
	public static function all( string $why ): bool {
		// First, so that after a kill the rest is undone, too.
		Journal::end_awaiting();
		$is_done = true;
		foreach ( array_reverse( Journal::read()['items'] ?? [] ) as $item ) {
			$is_done = self::item( $item['backup'], $why ) && $is_done;
		}
		Maintenance::end();
		$is_done || Journal::try_again_later();
		return $is_done;
	}

	/**
	 * One item. If that fails the journal keeps it, and with it the backup: it will be tried again.
	 *
	 * @param string $backup Of the item.
	 * @param string $why    For the log.
	 */
	public static function item( string $backup, string $why ): bool {
		$item = array_column( Journal::read()['items'] ?? [], null, 'backup' )[ $backup ] ?? null;
		if ( null === $item ) {
			return true;
		}
		if ( ! Files::has( $backup ) ) {
			Journal::remove( [ $backup ] );
			self::log( "the update of {$item['label']} $why before anything was replaced." );
			return true;
		}
		if ( self::restore( $item ) ) {
			if ( isset( $item['slug'], $item['new_slug'] ) && $item['slug'] !== $item['new_slug'] ) {
				Renamed::follow_later( $item['new_slug'], $item['slug'] );
				Renamed::do_what_is_left();
			}
			Journal::remove( [ $backup ] );
			self::log( "the update of {$item['label']} $why; its previous version is back." );
			return true;
		}
		self::log( "the previous version of {$item['label']} could not be put back. It is in $backup" );
		return false;
	}

	/** By renaming alone, on one file system, so that it works on a full disk. */
	private static function restore( array $item ): bool {
		[ 'path' => $path, 'new_path' => $new, 'backup' => $backup ] = $item;
		$broken = dirname( $backup ) . '/broken-' . uniqid();
		if ( Files::has( $new ) && ! @rename( $new, $broken ) && ! Files::delete( $new ) ) {
			return false;
		}
		if ( ! @rename( $backup, $path ) ) {
			@rename( $broken, $new );
			return false;
		}
		Files::forget_compiled( $path, $broken );
		if ( $new !== $path ) {
			Files::forget_compiled( $new, $broken );
		}
		Files::delete( $broken );
		self::delete_if_empty( dirname( $backup ) );
		return true;
	}

	/** The folder beside something on another file system is there only for as long as it is needed. */
	public static function delete_if_empty( string $folder ): void {
		if ( State::folder() !== $folder && [] === array_diff( Files::names_in( $folder ), [ 'index.php', '.htaccess' ] ) ) {
			Files::delete( $folder );
		}
	}

	/**
	 * A running update holds this lock, and the operating system releases it when the process dies. Null: it is held.
	 *
	 * @param array{started: int, host: string} $journal What is being replaced, and since when.
	 * @return resource|null
	 */
	private static function take_lock_of_dead( array $journal ) {
		$lock = @fopen( State::file( 'lock' ), 'ce' );
		if ( false === $lock ) {
			return null;
		}
		$is_held = 0;
		$is_ours = flock( $lock, LOCK_EX | LOCK_NB, $is_held );
		// A lock of another machine may not be seen here, and some file systems know none.
		$can_tell = $is_ours && State::host() === $journal['host'];
		$is_old   = ! $is_held && time() - $journal['started'] > State::LONGEST_UPDATE_SECONDS;
		if ( $can_tell || $is_old ) {
			return $lock;
		}
		fclose( $lock );
		return null;
	}

	private static function log( string $sentence ): void {
		error_log( 'Steward: ' . $sentence );
	}
}
