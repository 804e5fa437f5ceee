<?php
/**
 * @package Steward
 */

namespace Steward\Updating;

use Steward\Rest\Api_Error;
use Steward\Watchdog\Journal;
use Steward\Watchdog\State;
use Steward\Watchdog\Undo;
use WP_Error;
use WP_Upgrader;

defined( 'ABSPATH' ) || exit;

/**
 * Allows only one update or action per site at a time: two upgrades at once would mix their files.
 *
 * Uses three locks. The operating system releases the file lock if a request is killed. The database lock works across
 * web servers. The third is the lock of WordPress for background updates: they must not run at the same time.
 */
final class Site_Lock {

	private const LOCK_NAME        = 'steward';
	private const HOLDER_OPTION    = 'steward_lock_holder';
	private const LIFETIME_SECONDS = State::MAX_UPDATE_SECONDS;

	private const BACKGROUND_UPDATES = 'auto_updater';

	/** @var resource|null */
	private $file;

	/** @var bool */
	private $is_held = false;

	/** @var bool Whether this request holds the file lock. */
	private static $holds_file_lock = false;

	/** @var self|null Lock of this request. */
	private static $current = null;

	public static function holds_file_lock(): bool {
		return self::$holds_file_lock;
	}

	/** Whether another request, or a background update of WordPress, changes this site. Takes no lock. */
	public static function is_held_by_other(): bool {
		if ( null !== self::$current && self::$current->is_held ) {
			return false;
		}
		$locks = [
			self::LOCK_NAME          => self::LIFETIME_SECONDS,
			self::BACKGROUND_UPDATES => HOUR_IN_SECONDS,
		];
		foreach ( $locks as $name => $lifetime_seconds ) {
			if ( (int) get_option( $name . '.lock' ) > time() - $lifetime_seconds ) {
				return true;
			}
		}
		return false;
	}

	/** If a request ended early, call this before its response is sent. Restores its interrupted update. */
	public static function release_current(): void {
		if ( null !== self::$current ) {
			self::$current->release();
		}
	}

	/**
	 * Runs the work with the lock held, or returns site_busy.
	 *
	 * @param callable(Site_Lock): mixed $work Work to run.
	 * @return mixed|WP_Error
	 */
	public static function run_exclusive( callable $work ) {
		Admin_Includes::load();
		$lock          = new self();
		self::$current = $lock;
		// A fatal error skips the finally block.
		register_shutdown_function( [ $lock, 'release' ] );
		try {
			if ( ! $lock->acquire() ) {
				return Api_Error::create( 'site_busy' );
			}
			State_Move::run();
			// The panel has sent a new call, so it will send no verdict for the previous call.
			if ( null !== Journal::awaited_call() ) {
				Undo::keep_new_versions();
			}
			// The lock was free, so the journal belongs to a killed update. A .maintenance file is left over too: WordPress
			// would have refused this request if the file were still in force.
			Swap::restore_interrupted();
			@unlink( ABSPATH . '.maintenance' );
			// The watchdog saves versions, but cannot check the limits.
			Saved_Versions::prune();
			return $work( $lock );
		} finally {
			$lock->release();
		}
	}

	/** Renews the database locks before they expire. */
	public function extend(): void {
		update_option( self::LOCK_NAME . '.lock', time() );
		update_option( self::BACKGROUND_UPDATES . '.lock', time() );
	}

	public function release(): void {
		try {
			if ( $this->is_held ) {
				Swap::restore_interrupted();
			}
		} finally {
			if ( $this->is_held ) {
				$this->is_held = false;
				WP_Upgrader::release_lock( self::BACKGROUND_UPDATES );
				WP_Upgrader::release_lock( self::LOCK_NAME );
			}
			$this->close_file();
		}
	}

	private function acquire(): bool {
		$this->is_held = $this->acquire_file_lock() && $this->acquire_database_lock() && $this->acquire_background_update_lock();
		return $this->is_held;
	}

	private function acquire_file_lock(): bool {
		// Mode e closes the file in child processes, so that they do not keep the lock.
		$file = State_Folder::ensure( State::folder() ) ? @fopen( State::file( 'lock' ), 'ce' ) : false;
		if ( false === $file ) {
			return true;
		}
		$is_held_by_other = 0;
		if ( flock( $file, LOCK_EX | LOCK_NB, $is_held_by_other ) ) {
			$this->file            = $file;
			self::$holds_file_lock = true;
			return true;
		}
		fclose( $file );
		return ! $is_held_by_other;
	}

	private function acquire_database_lock(): bool {
		$host = State::host();
		if ( ! WP_Upgrader::create_lock( self::LOCK_NAME, self::LIFETIME_SECONDS ) ) {
			// If this host holds the database lock but the file lock is free, the request that held them was killed.
			if ( null === $this->file || get_option( self::HOLDER_OPTION ) !== $host ) {
				return false;
			}
			WP_Upgrader::release_lock( self::BACKGROUND_UPDATES );
			WP_Upgrader::release_lock( self::LOCK_NAME );
			if ( ! WP_Upgrader::create_lock( self::LOCK_NAME, self::LIFETIME_SECONDS ) ) {
				return false;
			}
		}
		update_option( self::HOLDER_OPTION, $host, false );
		return true;
	}

	private function acquire_background_update_lock(): bool {
		if ( WP_Upgrader::create_lock( self::BACKGROUND_UPDATES ) ) {
			return true;
		}
		WP_Upgrader::release_lock( self::LOCK_NAME );
		return false;
	}

	private function close_file(): void {
		if ( null !== $this->file ) {
			flock( $this->file, LOCK_UN );
			fclose( $this->file );
			$this->file            = null;
			self::$holds_file_lock = false;
		}
	}
}
