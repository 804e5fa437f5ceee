<?php
/**
 * @package Steward
 */

namespace Steward\Updating;

use Steward\Watchdog\Files;
use Steward\Watchdog\State;
use Steward\Watchdog\State_Name;
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
	 * of a killed installation. new-: file of a killed write.
	 */
	private const LEFTOVERS = '/^(previous|broken|check|seen|package|new)-/';

	/** Names of the folders in wp-content and, with a dot, next to items; of this and of older versions. */
	private const FOLDER_NAMES = '/^\.?steward-([0-9a-f]{16}|[0-9a-f]{32})$/D';

	public static function ensure( string $folder ): bool {
		// Never create the folder of an older version: it was moved just now.
		if ( ! is_dir( $folder ) && ( WP_CONTENT_DIR . '/steward-' . State_Name::computed() === $folder || ! wp_mkdir_p( $folder ) ) ) {
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
		$folders = [ State::folder() ];
		foreach ( self::roots() as $root ) {
			// The last path segment is a placeholder.
			$folders[] = State::folder_beside( $root . '/item' );
		}
		foreach ( $folders as $folder ) {
			foreach ( Files::list_names( $folder ) as $name ) {
				if ( preg_match( self::LEFTOVERS, $name ) ) {
					Files::delete( $folder . '/' . $name );
				}
			}
			Undo::delete_if_empty( $folder );
		}
	}

	/** Deletes all state folders and their name, also folders that a change of the keys of the site has left behind. */
	public static function delete_all(): void {
		foreach ( array_merge( [ WP_CONTENT_DIR ], self::roots() ) as $root ) {
			foreach ( preg_grep( self::FOLDER_NAMES, Files::list_names( $root ) ) as $name ) {
				Files::delete( $root . '/' . $name );
			}
		}
		foreach ( preg_grep( '/^steward-state-[0-9a-f]{16}\.php$/D', Files::list_names( WP_CONTENT_DIR ) ) as $name ) {
			@unlink( WP_CONTENT_DIR . '/' . $name );
		}
		@unlink( State_Name::path() );
	}

	/** @return string[] Folders of plugins and themes. Backups may be next to these items. */
	public static function roots(): array {
		return [ WP_PLUGIN_DIR, get_theme_root() ];
	}
}
