<?php
/**
 * @package Steward
 */

namespace Steward\Updating;

use Steward_Watchdog;
use WP_Error;

defined( 'ABSPATH' ) || exit;

/**
 * Sets the old version aside while a new one takes its place, until it is seen whether the new one works.
 *
 * Every step can be the last one of a killed request: the marker on disk says at any time what has to be put back.
 */
final class Swap {

	/** @var array{path: string, backup: string, label: string, started: int, host: string} */
	private $marker;

	/** @var bool */
	private $is_set_aside = false;

	/**
	 * @param string $path  The folder, or the file of a plugin that has none.
	 * @param string $label What it is, for the log.
	 */
	public function __construct( string $path, string $label ) {
		$this->marker = [
			'path'    => $path,
			'backup'  => Steward_Watchdog::folder() . '/previous-' . uniqid(),
			'label'   => $label,
			'started' => time(),
			// Where files cannot be locked nobody can see whether the update is alive; then its age decides.
			'host'    => Site_Lock::holds_file() ? (string) gethostname() : '',
		];
	}

	/**
	 * From here on visitors wait, and a kill means that the old version comes back.
	 *
	 * @param bool $is_loaded Whether pages are built with it.
	 * @return true|WP_Error
	 */
	public function set_aside( bool $is_loaded ) {
		$this->marker['started'] = time();
		if ( ! State_Folder::ensure() || ! $this->write_marker() ) {
			return new WP_Error( 'steward_no_backup', __( 'The previous version cannot be kept: wp-content is not writable.', 'steward' ) );
		}
		if ( $is_loaded ) {
			Steward_Watchdog::close( $this->marker['started'] );
		}
		if ( ! $this->move_away() ) {
			Steward_Watchdog::forget();
			return new WP_Error( 'steward_no_backup', __( 'The previous version could not be set aside. Check who owns its files.', 'steward' ) );
		}
		$this->is_set_aside = true;
		return true;
	}

	public function is_set_aside(): bool {
		return $this->is_set_aside;
	}

	/** The new files are complete: pages may be built again, and be looked at. */
	public function let_visitors_in(): void {
		Steward_Watchdog::refresh( $this->marker['path'] );
		Steward_Watchdog::open();
	}

	public function keep_new(): void {
		// One unlink decides: before it a kill brings the old version back, after it the new one stays.
		Steward_Watchdog::forget();
		Steward_Watchdog::delete( $this->marker['backup'] );
		$this->is_set_aside = false;
	}

	/** True when the old version is in its place again. If not, it stays where it is, for the next attempt. */
	public function bring_back_old(): bool {
		$this->is_set_aside = false;
		Steward_Watchdog::undo( $this->marker );
		return null === Steward_Watchdog::in_flight();
	}

	/** For whoever holds the lock: puts back what an update left half-done, this request's or that of a dead one. */
	public static function undo_unfinished(): void {
		$marker = Steward_Watchdog::in_flight();
		if ( null !== $marker ) {
			Steward_Watchdog::undo( $marker );
		}
		if ( null === Steward_Watchdog::in_flight() ) {
			Steward_Watchdog::forget();
			State_Folder::clean();
		}
	}

	private function write_marker(): bool {
		$temporary = Steward_Watchdog::marker_file() . '.new';
		return false !== @file_put_contents( $temporary, (string) wp_json_encode( $this->marker ) )
			&& @rename( $temporary, Steward_Watchdog::marker_file() );
	}

	/**
	 * By renaming, which is one step. From another disk it is copied; the upgrader then deletes the original. A folder
	 * that cannot be renamed on its own disk is not ours to change, and is left alone.
	 */
	private function move_away(): bool {
		[ 'path' => $path, 'backup' => $backup ] = $this->marker;
		if ( Steward_Watchdog::folder_is_near( $path ) ) {
			return @rename( $path, $backup );
		}
		$copy = str_replace( '/previous-', '/broken-', $backup );
		return Steward_Watchdog::copy( $path, $copy ) && @rename( $copy, $backup );
	}
}
