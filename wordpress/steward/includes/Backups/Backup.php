<?php
/**
 * @package Steward
 */

namespace Steward\Backups;

defined( 'ABSPATH' ) || exit;

/** One completed backup, as the classes of this folder read it from what a backup plugin stored. */
final class Backup {

	const ALL      = 'all';
	const DATABASE = 'database';
	const FILES    = 'files';

	/** Clocks of servers differ a little. A later time is nonsense. */
	private const MAX_AHEAD_SECONDS = 300;

	/** 2003-01-01, before the first WordPress. */
	private const EARLIEST = 1041379200;

	/** @var int Seconds since 1970. */
	public $time;

	/** @var string One of the constants above. */
	public $contains;

	private function __construct( int $time, string $contains ) {
		$this->time     = $time;
		$this->contains = $contains;
	}

	/**
	 * Returns null if the time is nonsense or if the backup has neither the database nor the files.
	 *
	 * @param mixed $time         When the backup started: seconds since 1970.
	 * @param bool  $has_database Whether it contains the database.
	 * @param bool  $has_files    Whether it contains plugins and themes.
	 * @param int   $now          Seconds since 1970.
	 */
	public static function create( $time, bool $has_database, bool $has_files, int $now ): ?self {
		$is_whole = is_int( $time ) || ( is_float( $time ) && is_finite( $time ) ) || ( is_string( $time ) && 1 === preg_match( '/^\d{1,12}(\.\d{1,6})?$/D', $time ) );
		if ( ! $is_whole || $time < self::EARLIEST || $time > $now + self::MAX_AHEAD_SECONDS || ! ( $has_database || $has_files ) ) {
			return null;
		}
		return new self( (int) $time, $has_database && $has_files ? self::ALL : ( $has_database ? self::DATABASE : self::FILES ) );
	}
}
