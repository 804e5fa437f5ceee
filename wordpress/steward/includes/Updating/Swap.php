<?php
/**
 * @package Steward
 */

namespace Steward\Updating;

use Steward\Watchdog\Files;
use Steward\Watchdog\Journal;
use Steward\Watchdog\Maintenance;
use Steward\Watchdog\State;
use Steward\Watchdog\Undo;
use WP_Error;

defined( 'ABSPATH' ) || exit;

/** Sets the old version aside while a new one takes its place, until it is seen whether the new one works. */
final class Swap {

	private const DRAIN_MICRO = 20000;

	/** @var string What it is, for the log. */
	private $label;

	/** @var string */
	private $path;

	/** @var string */
	private $new_path = '';

	/** @var string */
	private $new_slug = '';

	/** @var int Microseconds. */
	private $drain = 0;

	/** @var string */
	private $backup = '';

	/**
	 * @param string $path  The folder, or the file of a plugin that has none.
	 * @param string $label What it is, for the log.
	 */
	public function __construct( string $path, string $label ) {
		$this->path  = $path;
		$this->label = $label;
	}

	/**
	 * From here on visitors wait, and a kill means that the old version comes back.
	 *
	 * @param string $new_path  Where the new version will be, which is mostly the same place.
	 * @param string $new_slug  What WordPress will call it.
	 * @param bool   $is_loaded Whether pages are built with it.
	 * @return true|WP_Error
	 */
	public function set_aside( string $new_path, string $new_slug, bool $is_loaded ) {
		if ( $is_loaded && ! Maintenance::begin() ) {
			return new WP_Error( 'steward_no_maintenance', __( 'Visitors cannot be kept out meanwhile: PHP may not write into the folder of WordPress.', 'steward' ) );
		}
		$this->new_path = $new_path;
		$this->new_slug = $new_slug;
		$this->drain    = $is_loaded ? self::DRAIN_MICRO : 0;
		// By renaming, which is one step and needs no room. Two folders can look like one file system and be none.
		foreach ( [ State::folder(), State::folder_beside( $this->path ) ] as $folder ) {
			if ( $this->move_into( $folder ) ) {
				return true;
			}
		}
		$this->backup = '';
		Maintenance::end();
		return new WP_Error( 'steward_no_backup', File_Rights::fault_of_removing( $this->path ) ?? __( 'The previous version could not be set aside. Check who owns its files.', 'steward' ) );
	}

	public function is_set_aside(): bool {
		return '' !== $this->backup;
	}

	/** The new files are complete: PHP is to compile them, and forget the old ones. */
	public function complete(): void {
		Files::forget_compiled( $this->new_path, $this->backup );
		if ( $this->new_path !== $this->path ) {
			Files::forget_compiled( $this->path, $this->backup );
		}
	}

	/** Where the old version is; '' when it is not set aside. */
	public function backup(): string {
		return $this->backup;
	}

	/** When the journal has forgotten it: the old version is of no use any more. Gives what could not be deleted. */
	public function drop_old(): ?string {
		$backup       = $this->backup;
		$this->backup = '';
		$is_deleted   = Files::delete( $backup );
		Undo::delete_if_empty( dirname( $backup ) );
		return $is_deleted ? null : $backup;
	}

	/** True when the old version is in its place again. If not, it stays where it is, for the next attempt. */
	public function bring_back_old(): bool {
		$backup       = $this->backup;
		$this->backup = '';
		return Undo::item( $backup, 'failed' );
	}

	/** For whoever holds the lock: puts back what an update left half-done, this request's or that of a dead one. */
	public static function undo_unfinished(): void {
		if ( null !== Journal::awaiting() ) {
			return;
		}
		if ( Undo::all( 'was interrupted' ) ) {
			State_Folder::clean();
		}
	}

	private function move_into( string $folder ): bool {
		$this->backup = $folder . '/previous-' . uniqid();
		$item         = [
			'label'    => $this->label,
			'path'     => $this->path,
			'new_path' => $this->new_path,
			'backup'   => $this->backup,
			'slug'     => $this->label,
			'new_slug' => $this->new_slug,
		];
		// Where files cannot be locked it cannot be seen whether the update is alive; then its age decides.
		$host = Site_Lock::holds_file() ? State::host() : '';
		if ( ! State_Folder::ensure( State::folder() ) || ! State_Folder::ensure( $folder ) || ! Journal::add( $item, $host ) ) {
			return false;
		}
		// Visitors who came in before the site was closed are about to load it.
		usleep( $this->drain );
		if ( @rename( $this->path, $this->backup ) ) {
			return true;
		}
		Journal::remove( [ $this->backup ] );
		Undo::delete_if_empty( $folder );
		return false;
	}
}
