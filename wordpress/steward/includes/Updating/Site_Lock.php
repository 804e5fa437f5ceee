<?php
/**
 * @package Steward
 */

namespace Steward\Updating;

use Steward\Rest\Refusal;
use Steward_Watchdog;
use WP_Error;
use WP_Upgrader;

defined( 'ABSPATH' ) || exit;

/**
 * One writer a site: two upgrades at once leave half the files of each.
 *
 * Three locks, because each knows something the others do not. The file lock is let go by the operating system when a
 * request is killed. WordPress's lock in the database holds across web servers. And holding the lock of WordPress's own
 * background updates keeps those out, and us out while they run.
 */
final class Site_Lock {

	private const NAME    = 'steward';
	private const HOLDER  = 'steward_lock_holder';
	private const SECONDS = Steward_Watchdog::LONGEST_UPDATE_SECONDS;

	/** @var resource|null */
	private $file;

	/** @var bool */
	private $is_held = false;

	/**
	 * Does the work alone, or answers that the site is busy.
	 *
	 * @param callable(Site_Lock): mixed $work What to do.
	 * @return mixed|WP_Error
	 */
	public static function hold( callable $work ) {
		Wordpress_Admin::load();
		$lock = new self();
		if ( ! $lock->take() ) {
			return Refusal::because( 'site_busy' );
		}
		// Called also when the work dies of a fatal error.
		register_shutdown_function( [ $lock, 'release' ] );
		try {
			return $work( $lock );
		} finally {
			$lock->release();
		}
	}

	/** Says that the work goes on, before others take the lock for a forgotten one. */
	public function extend(): void {
		update_option( self::NAME . '.lock', time() );
	}

	public function release(): void {
		if ( ! $this->is_held ) {
			return;
		}
		$this->is_held = false;
		Swap::undo_unfinished();
		WP_Upgrader::release_lock( 'auto_updater' );
		WP_Upgrader::release_lock( self::NAME );
		$this->close_file();
	}

	private function take(): bool {
		if ( ! $this->take_file() ) {
			return false;
		}
		$this->is_held = $this->take_name() && $this->take_background_updates();
		if ( ! $this->is_held ) {
			$this->close_file();
			return false;
		}
		// Whatever lies there is of an update that died, and maintenance that would be in force had kept us out.
		Swap::undo_unfinished();
		@unlink( ABSPATH . '.maintenance' );
		return true;
	}

	/** True also where files cannot be locked: the database decides alone then. */
	private function take_file(): bool {
		$file = State_Folder::ensure() ? @fopen( Steward_Watchdog::lock_file(), 'c' ) : false;
		if ( false === $file ) {
			return true;
		}
		$is_held_by_other = 0;
		if ( ! flock( $file, LOCK_EX | LOCK_NB, $is_held_by_other ) && $is_held_by_other ) {
			fclose( $file );
			return false;
		}
		$this->file = $file;
		return true;
	}

	private function take_name(): bool {
		$host = (string) gethostname();
		if ( ! WP_Upgrader::create_lock( self::NAME, self::SECONDS ) ) {
			// Taken on this machine, yet nobody holds the file: whoever took it has died.
			if ( null === $this->file || get_option( self::HOLDER ) !== $host ) {
				return false;
			}
			WP_Upgrader::release_lock( 'auto_updater' );
			WP_Upgrader::release_lock( self::NAME );
			if ( ! WP_Upgrader::create_lock( self::NAME, self::SECONDS ) ) {
				return false;
			}
		}
		update_option( self::HOLDER, $host, false );
		return true;
	}

	private function take_background_updates(): bool {
		if ( WP_Upgrader::create_lock( 'auto_updater' ) ) {
			return true;
		}
		WP_Upgrader::release_lock( self::NAME );
		return false;
	}

	private function close_file(): void {
		if ( null !== $this->file ) {
			fclose( $this->file );
			$this->file = null;
		}
	}
}
