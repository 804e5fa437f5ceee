<?php
/**
 * @package Steward
 */

namespace Steward\Panel;

use Steward\Connection;
use Steward\Updating\File_Permissions;
use Steward\Updating\Free_Space;
use Steward\Updating\Site_Lock;

defined( 'ABSPATH' ) || exit;

/** Collects what the panel needs to predict whether an update of this site would fail. Changes nothing. */
final class Preflight {

	private const MAX_FOLDER_LENGTH = 500;

	/** @return array<string, mixed> See `PreflightReport` in packages/contract. */
	public static function collect(): array {
		return [
			'remote_enabled' => Connection::is_remote_enabled(),
			'free_bytes'     => Free_Space::lowest(),
			'locked'         => Site_Lock::is_held_by_other(),
		] + self::file_changes();
	}

	/** Returns a name of the IANA database, or an offset such as +02:00. */
	public static function time_zone(): string {
		return wp_timezone_string();
	}

	private static function file_changes(): array {
		$folders = File_Permissions::unwritable_folders();
		if ( File_Permissions::are_changes_disabled() ) {
			return [ 'file_changes' => 'disabled' ];
		}
		// An unwritable folder can make is_direct() false. The folder is the more precise reason.
		if ( [] === $folders ) {
			return [ 'file_changes' => File_Permissions::is_direct() ? 'ok' : 'disabled' ];
		}
		foreach ( $folders as $index => $folder ) {
			$folders[ $index ]['folder'] = substr( $folder['folder'], 0, self::MAX_FOLDER_LENGTH );
		}
		return [
			'file_changes' => 'not_writable',
			'not_writable' => $folders,
		];
	}
}
