<?php
/**
 * @package Steward
 */

namespace Steward\Updating;

use Steward\Self_Update\Own_Plugin;
use Steward\Watchdog\Files;
use Steward\Watchdog\Journal;
use Steward\Watchdog\Maintenance;
use Steward\Watchdog\Saved_Version;
use Steward\Watchdog\State;
use Steward\Watchdog\Undo;
use WP_Error;

defined( 'ABSPATH' ) || exit;

/** Moves the old version of an item to a backup, so that the upgrader can install the new one. */
final class Swap {

	private const DRAIN_MICROSECONDS = 20000;

	/** @var string */
	private $slug;

	/** @var string */
	private $path;

	/** @var string */
	private $new_path = '';

	/** @var string */
	private $new_slug = '';

	/** @var int */
	private $drain_microseconds = 0;

	/** @var string */
	private $backup = '';

	/** @var array Description of the old version for Saved_Version. */
	private $saved;

	/**
	 * @param string $path  Folder, or file of a single-file plugin.
	 * @param string $slug  Slug of the old version.
	 * @param array  $saved Description of the old version; see Saved_Versions::describe().
	 */
	public function __construct( string $path, string $slug, array $saved ) {
		$this->path  = $path;
		$this->slug  = $slug;
		$this->saved = $saved;
	}

	/**
	 * Moves the old version to a backup, in maintenance mode if pages load the item. If the request is killed, the watchdog
	 * restores it.
	 *
	 * @param string $new_path  Path of the new version, usually the same as the old path.
	 * @param string $new_slug  Slug of the new version.
	 * @param bool   $is_loaded Whether pages load the item.
	 * @return true|WP_Error
	 */
	public function back_up( string $new_path, string $new_slug, bool $is_loaded ) {
		if ( $is_loaded && ! Maintenance::begin( dirname( Own_Plugin::file() ) ) ) {
			return new WP_Error( 'folder_not_writable', __( 'Maintenance mode cannot be started: PHP cannot write to the WordPress folder.', 'steward' ) );
		}
		$this->new_path           = $new_path;
		$this->new_slug           = $new_slug;
		$this->drain_microseconds = $is_loaded ? self::DRAIN_MICROSECONDS : 0;
		// A rename is atomic and needs no disk space. It can fail even between folders that seem to be on one file system, so
		// the second choice is a folder next to the item.
		foreach ( [ State::folder(), State::folder_beside( $this->path ) ] as $folder ) {
			if ( $this->move_old_version_to( $folder ) ) {
				return true;
			}
		}
		$this->backup = '';
		Maintenance::end();
		return new WP_Error( 'folder_not_writable', File_Permissions::delete_error( $this->path ) ?? __( 'The previous version could not be backed up. Check the owner of its files.', 'steward' ) );
	}

	public function has_backup(): bool {
		return '' !== $this->backup;
	}

	/** Call this when the new files are complete: PHP must compile them and drop the old files. */
	public function invalidate_opcache(): void {
		Files::invalidate_opcache( $this->new_path, $this->backup );
		if ( $this->new_path !== $this->path ) {
			Files::invalidate_opcache( $this->path, $this->backup );
		}
	}

	/** Returns the path of the backup, or '' if there is none. */
	public function backup(): string {
		return $this->backup;
	}

	/**
	 * Saves or deletes the backup. Call this after the journal entry is removed.
	 *
	 * @return string|null Path of the backup if it could not be deleted.
	 */
	public function release_backup(): ?string {
		$backup       = $this->backup;
		$this->backup = '';
		$is_released  = Saved_Version::keep( $backup, $this->saved_as() ) || Files::delete( $backup );
		Undo::delete_if_empty( dirname( $backup ) );
		return $is_released ? null : $backup;
	}

	/** Returns whether the old version is restored. If not, the backup stays for the next attempt. */
	public function restore(): bool {
		$backup       = $this->backup;
		$this->backup = '';
		return Undo::restore_item( $backup, 'failed' );
	}

	/** Restores the items of an interrupted update, of this request or a killed one. The caller holds the lock. */
	public static function restore_interrupted(): void {
		if ( null !== Journal::awaited_call() ) {
			return;
		}
		if ( Undo::restore_all( 'was interrupted' ) ) {
			State_Folder::delete_leftovers();
		}
	}

	private function saved_as(): array {
		return [] === $this->saved ? [] : $this->saved + [ 'of' => $this->new_slug ];
	}

	private function move_old_version_to( string $folder ): bool {
		$this->backup = $folder . '/previous-' . uniqid();
		$item         = [
			'label'    => $this->slug,
			'path'     => $this->path,
			'new_path' => $this->new_path,
			'backup'   => $this->backup,
			'slug'     => $this->slug,
			'new_slug' => $this->new_slug,
			'saved'    => $this->saved_as(),
		];
		// Without a file lock the watchdog cannot detect whether the update is running, and uses the age of the journal.
		$host = Site_Lock::holds_file_lock() ? State::host() : '';
		if ( ! State_Folder::ensure( State::folder() ) || ! State_Folder::ensure( $folder ) || ! Journal::add( $item, $host ) ) {
			return false;
		}
		// Wait for requests that started before maintenance mode: they may be about to load the files.
		usleep( $this->drain_microseconds );
		if ( @rename( $this->path, $this->backup ) ) {
			return true;
		}
		Journal::remove( [ $this->backup ] );
		Undo::delete_if_empty( $folder );
		return false;
	}
}
