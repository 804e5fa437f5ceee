<?php
/**
 * @package Steward
 */

namespace Steward\Backups;

defined( 'ABSPATH' ) || exit;

/** Duplicator has a row for each backup, in a table of its own. The status 100 means complete; the times are UTC. */
final class Duplicator_Backup {

	/** Of Duplicator 5 and Duplicator Pro 4.5. */
	const TABLE = 'duplicator_backups';

	/** Of older versions. They have no column with the content of a backup, only their own object. */
	const OLD_TABLES = [ 'duplicator_packages', 'duplicator_pro_packages' ];

	private const COMPLETE = '100';

	/**
	 * @param mixed $rows Rows with `status`, `created`, and `flags` or `is_database_only`.
	 * @param int   $now  Seconds since 1970.
	 * @return Backup[]
	 */
	public static function read( $rows, int $now ): array {
		$backups = [];
		foreach ( is_array( $rows ) ? $rows : [] as $row ) {
			$backups[] = is_array( $row ) ? self::read_row( $row, $now ) : null;
		}
		return array_values( array_filter( $backups ) );
	}

	private static function read_row( array $row, int $now ): ?Backup {
		$created = $row['created'] ?? '';
		$flags   = $row['flags'] ?? '';
		if ( self::COMPLETE !== (string) ( $row['status'] ?? '' ) || ! is_string( $created ) || ! is_string( $flags ) || 1 !== preg_match( '/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/D', $created ) ) {
			return null;
		}
		$flags = explode( ',', $flags );
		// Which parts a backup of chosen components has is not in the row.
		if ( [] !== array_intersect( [ 'MEDIA_ONLY', 'CUSTOM_COMPONENTS', 'TEMPORARY' ], $flags ) ) {
			return null;
		}
		$is_database_only = in_array( 'DB_ONLY', $flags, true ) || ! empty( $row['is_database_only'] );
		return Backup::create( strtotime( $created . ' UTC' ), true, ! $is_database_only, $now );
	}
}
