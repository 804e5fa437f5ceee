<?php
/**
 * @package Steward
 */

namespace Steward\Backups;

defined( 'ABSPATH' ) || exit;

/** WPvivid adds each completed backup, and each uploaded one, to the option `wpvivid_backup_list`. */
final class WPvivid_Backup {

	const OPTION = 'wpvivid_backup_list';

	/** Uploaded backups and exports can come from another site. */
	private const OTHER_TYPES = [ 'Upload', 'Migration', 'Migrate' ];

	private const MAX_BACKUPS = 1000;

	private const MAX_FILES = 1000;

	/**
	 * @param mixed $option Value of the option.
	 * @param int   $now    Seconds since 1970.
	 * @return Backup[]
	 */
	public static function read( $option, int $now ): array {
		$backups = [];
		foreach ( is_array( $option ) ? array_slice( $option, -self::MAX_BACKUPS ) : [] as $entry ) {
			$backups[] = is_array( $entry ) ? self::read_entry( $entry, $now ) : null;
		}
		return array_values( array_filter( $backups ) );
	}

	private static function read_entry( array $entry, int $now ): ?Backup {
		$result = $entry['backup'] ?? null;
		$type   = $entry['type'] ?? '';
		if ( ! is_string( $type ) || in_array( $type, self::OTHER_TYPES, true ) || ! is_array( $result ) || 'success' !== ( $result['result'] ?? '' ) || ! is_array( $result['files'] ?? null ) ) {
			return null;
		}
		$parts = [];
		foreach ( array_slice( $result['files'], 0, self::MAX_FILES ) as $file ) {
			$name = is_array( $file ) ? ( $file['file_name'] ?? '' ) : '';
			if ( is_string( $name ) && 1 === preg_match( '/_backup_(all|db|plugin|themes)(?:\.[a-z0-9.]{0,32})?\.zip$/D', $name, $match ) ) {
				$parts[] = $match[1];
			}
		}
		$is_whole  = in_array( 'all', $parts, true );
		$has_files = $is_whole || [] === array_diff( [ 'plugin', 'themes' ], $parts );
		return Backup::create( $entry['create_time'] ?? null, $is_whole || in_array( 'db', $parts, true ), $has_files, $now );
	}
}
