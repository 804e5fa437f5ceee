<?php
/**
 * @package Steward
 */

namespace Steward\Updating;

use Steward\Watchdog\Files;
use Steward\Watchdog\State;
use Steward\Watchdog\Undo;

defined( 'ABSPATH' ) || exit;

/** The folders with the state and the backups of an update. The web server must not serve them. */
final class State_Folder {

	private const CONTENTS = [
		'index.php' => "<?php\n// Silence is golden.\n",
		'.htaccess' => "Require all denied\n",
	];

	/**
	 * previous-: backup of a killed update. broken-: new version that an interrupted rollback moved here. check-: ticket
	 * for a page check that was never collected. seen-: report of a page check that was never collected. package-: download
	 * of a killed installation.
	 */
	private const LEFTOVERS = '/^(previous|broken|check|seen|package)-/';

	public static function ensure( string $folder ): bool {
		if ( ! is_dir( $folder ) && ! wp_mkdir_p( $folder ) ) {
			return false;
		}
		foreach ( self::CONTENTS as $name => $content ) {
			if ( ! is_file( $folder . '/' . $name ) ) {
				@file_put_contents( $folder . '/' . $name, $content );
			}
		}
		return is_writable( $folder );
	}

	/** Call this only while no update needs these files. */
	public static function delete_leftovers(): void {
		// The last path segment is a placeholder.
		$backup_folders = [ State::folder_beside( WP_PLUGIN_DIR . '/plugin' ), State::folder_beside( get_theme_root() . '/theme' ) ];
		foreach ( array_merge( [ State::folder() ], $backup_folders ) as $folder ) {
			foreach ( Files::list_names( $folder ) as $name ) {
				if ( preg_match( self::LEFTOVERS, $name ) ) {
					Files::delete( $folder . '/' . $name );
				}
			}
			Undo::delete_if_empty( $folder );
		}
	}
}
