<?php
/**
 * @package Steward
 */

namespace Steward\Updating;

use Steward\Self_Update\Update_Guard;
use Steward\Watchdog\Files;
use Steward\Watchdog\Journal;
use Steward\Watchdog\State;
use Steward\Watchdog\State_Name;

defined( 'ABSPATH' ) || exit;

/**
 * Gives the state folder of an older version its random name. Older versions computed the name from the keys of the site.
 *
 * All versions use the old folder as long as it exists, so an update from or to an older version has one lock and one
 * journal. The rename is the last step: a killed move changes nothing, and the next one starts again.
 */
final class State_Move {

	/** @var resource|false|null */
	private static $lock = null;

	/** Moves the folder of an older version outside of calls of the panel. */
	public static function run_if_needed(): void {
		if ( State_Name::is_computed_in_use() && ! self::is_in_use() ) {
			Site_Lock::run_exclusive( '__return_null' );
		}
	}

	/** Moves the folder of an older version, unless an update needs it. The caller holds the lock. */
	public static function run(): void {
		if ( State_Name::is_computed_in_use() && ! self::is_in_use() ) {
			Update_Guard::run_exclusive( [ self::class, 'move' ] );
		}
	}

	/** @internal Called by Update_Guard with its lock held. */
	public static function move(): void {
		// An update by WordPress may have begun before the lock was acquired.
		if ( self::is_in_use() || ! is_writable( WP_CONTENT_DIR ) ) {
			return;
		}
		$old = State::folder();
		$new = WP_CONTENT_DIR . '/steward-' . State_Name::random();
		foreach ( State_Folder::roots() as $root ) {
			Files::delete( $root . '/.steward-' . State_Name::computed() );
		}
		if ( is_file( $new . '/in-flight.php' ) ) {
			// An older version was installed by hand during an update of this version, which is undone now. The lock that the
			// caller holds is deleted, so this request takes the other one until it ends.
			self::$lock = @fopen( $new . '/lock', 'ce' );
			if ( self::$lock && flock( self::$lock, LOCK_EX | LOCK_NB ) ) {
				Files::delete( $old );
			}
			return;
		}
		// The older version has written plain JSON.
		foreach ( preg_grep( '/\.json$/D', Files::list_names( $old ) ) as $name ) {
			$content = State::read( $name );
			if ( null === $content || State::write_file( $old . '/' . State::guarded_name( $name ), $content ) ) {
				@unlink( $old . '/' . $name );
			}
		}
		if ( ! Files::delete( $new ) || ! @rename( $old, $new ) ) {
			error_log( 'Steward: could not rename the state folder. Check the owner of the folder wp-content.' );
		}
	}

	private static function is_in_use(): bool {
		return null !== Journal::read() || Update_Guard::is_active();
	}
}
