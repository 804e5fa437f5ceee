<?php
/**
 * @package Steward
 */

namespace Steward\Updating;

use Steward\Rest\Refusal;
use Steward\Watchdog\Journal;
use Steward\Watchdog\State;
use Steward\Watchdog\Undo;
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
	private const SECONDS = State::LONGEST_UPDATE_SECONDS;

	private const OF_BACKGROUND_UPDATES = 'auto_updater';

	/** @var resource|null */
	private $file;

	/** @var bool */
	private $is_held = false;

	/** @var bool Whether this request holds the lock on the file. */
	private static $holds_file = false;

	/** @var self|null What this request holds. */
	private static $held = null;

	public static function holds_file(): bool {
		return self::$holds_file;
	}

	/** Before the answer of a request that dies: by the time the panel has it, all is as it was. */
	public static function release_held(): void {
		if ( null !== self::$held ) {
			self::$held->release();
		}
	}

	/**
	 * Does the work alone, or answers that the site is busy.
	 *
	 * @param callable(Site_Lock): mixed $work What to do.
	 * @return mixed|WP_Error
	 */
	public static function hold( callable $work ) {
		Wordpress_Admin::load();
		$lock       = new self();
		self::$held = $lock;
		// Called also when the work dies of a fatal error.
		register_shutdown_function( [ $lock, 'release' ] );
		try {
			if ( ! $lock->take() ) {
				return Refusal::because( 'site_busy' );
			}
			// The panel calls again without a verdict on what it was to look at: then there is none.
			if ( null !== Journal::awaiting() ) {
				Undo::keep_all();
			}
			// Whatever lies there is of an update that died, and maintenance that would be in force had kept us out.
			Swap::undo_unfinished();
			@unlink( ABSPATH . '.maintenance' );
			return $work( $lock );
		} finally {
			$lock->release();
		}
	}

	/** Says that the work goes on, before others take the locks for forgotten ones. */
	public function extend(): void {
		update_option( self::NAME . '.lock', time() );
		update_option( self::OF_BACKGROUND_UPDATES . '.lock', time() );
	}

	public function release(): void {
		try {
			if ( $this->is_held ) {
				Swap::undo_unfinished();
			}
		} finally {
			if ( $this->is_held ) {
				$this->is_held = false;
				WP_Upgrader::release_lock( self::OF_BACKGROUND_UPDATES );
				WP_Upgrader::release_lock( self::NAME );
			}
			$this->close_file();
		}
	}

	private function take(): bool {
		$this->is_held = $this->take_file() && $this->take_name() && $this->take_background_updates();
		return $this->is_held;
	}

	private function take_file(): bool {
		// Closed in programs that are started meanwhile: they would keep the lock.
		$file = State_Folder::ensure( State::folder() ) ? @fopen( State::file( 'lock' ), 'ce' ) : false;
		if ( false === $file ) {
			return true;
		}
		$is_held_by_other = 0;
		if ( flock( $file, LOCK_EX | LOCK_NB, $is_held_by_other ) ) {
			$this->file       = $file;
			self::$holds_file = true;
			return true;
		}
		fclose( $file );
		return ! $is_held_by_other;
	}

	private function take_name(): bool {
		$host = State::host();
		if ( ! WP_Upgrader::create_lock( self::NAME, self::SECONDS ) ) {
			// Taken on this machine, yet nobody holds the file: whoever took it has died.
			if ( null === $this->file || get_option( self::HOLDER ) !== $host ) {
				return false;
			}
			WP_Upgrader::release_lock( self::OF_BACKGROUND_UPDATES );
			WP_Upgrader::release_lock( self::NAME );
			if ( ! WP_Upgrader::create_lock( self::NAME, self::SECONDS ) ) {
				return false;
			}
		}
		update_option( self::HOLDER, $host, false );
		return true;
	}

	private function take_background_updates(): bool {
		if ( WP_Upgrader::create_lock( self::OF_BACKGROUND_UPDATES ) ) {
			return true;
		}
		WP_Upgrader::release_lock( self::NAME );
		return false;
	}

	private function close_file(): void {
		if ( null !== $this->file ) {
			flock( $this->file, LOCK_UN );
			fclose( $this->file );
			$this->file       = null;
			self::$holds_file = false;
		}
	}
}
