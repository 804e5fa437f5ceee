<?php
/**
 * @package Steward
 */

namespace Steward\Backups;

defined( 'ABSPATH' ) || exit;

/**
 * BackWPup writes a log for each run of a job. The head of the log has the time and the types of the job. BackWPup overwrites
 * the number of errors during the job, and the runtime when the job ends.
 */
final class BackWPup_Backup {

	const FOLDER_OPTION = 'backwpup_cfg_logfolder';

	const LOG_NAME = '/^backwpup_log_[A-Za-z0-9_-]{1,60}\.html(\.gz)?$/D';

	/**
	 * @param string $head First bytes of a log.
	 * @param int    $now  Seconds since 1970.
	 */
	public static function read_log( string $head, int $now ): ?Backup {
		$types  = explode( '+', self::find( 'backwpup_jobtype', $head ) );
		$errors = self::find( 'backwpup_errors', $head );
		$date   = self::find( 'date', $head );
		// A job that runs, or that was killed, has no runtime.
		$is_complete = '0' === $errors && (int) self::find( 'backwpup_jobruntime', $head ) > 0;
		if ( ! $is_complete || 1 !== preg_match( '/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(Z|[+-]\d\d:\d\d)$/D', $date ) ) {
			return null;
		}
		return Backup::create( strtotime( $date ), in_array( 'DBDUMP', $types, true ), in_array( 'FILE', $types, true ), $now );
	}

	private static function find( string $name, string $head ): string {
		return 1 === preg_match( '/<meta name="' . $name . '" content="([^"<>]{0,100})"/', $head, $match ) ? $match[1] : '';
	}
}
