<?php
/**
 * @package Steward
 */

namespace Steward\Backups;

defined( 'ABSPATH' ) || exit;

/**
 * UpdraftPlus stores the result of its last backup in the option `updraft_last_backup`. Its list of backups has no results,
 * so an earlier backup is not known to be complete.
 */
final class UpdraftPlus_Backup {

	const OPTION = 'updraft_last_backup';

	/** A backup without these two cannot undo an update. */
	private const FILES = [ 'plugins', 'themes' ];

	/**
	 * @param mixed $option Value of the option.
	 * @param int   $now    Seconds since 1970.
	 * @return Backup[]
	 */
	public static function read( $option, int $now ): array {
		if ( ! is_array( $option ) || ! in_array( $option['success'] ?? null, [ 1, '1', true ], true ) || ! is_array( $option['backup_array'] ?? null ) ) {
			return [];
		}
		$parts     = array_keys( array_filter( $option['backup_array'] ) );
		$has_files = [] === array_diff( self::FILES, $parts );
		$backup    = Backup::create( $option['backup_time'] ?? null, in_array( 'db', $parts, true ), $has_files, $now );
		return null === $backup ? [] : [ $backup ];
	}
}
