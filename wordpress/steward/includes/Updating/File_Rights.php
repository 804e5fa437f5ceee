<?php
/**
 * @package Steward
 */

namespace Steward\Updating;

use FilesystemIterator;
use RecursiveDirectoryIterator;
use RecursiveIteratorIterator;

defined( 'ABSPATH' ) || exit;

/** Whether PHP may change files here; and if not, why. */
final class File_Rights {

	/** Why no file may be changed at all, or null. */
	public static function fault_of_site(): ?string {
		Wordpress_Admin::load();
		if ( defined( 'DISALLOW_FILE_MODS' ) && DISALLOW_FILE_MODS ) {
			return __( 'This site does not allow its files to be changed: DISALLOW_FILE_MODS is set in wp-config.php.', 'steward' );
		}
		if ( ! wp_is_file_mod_allowed( 'steward_remote' ) ) {
			return __( 'This site does not allow its files to be changed: a plugin forbids it with the filter file_mod_allowed.', 'steward' );
		}
		$method = get_filesystem_method( [], WP_PLUGIN_DIR );
		if ( 'direct' !== $method ) {
			/* translators: 1: Name of a method, such as ftpext, 2: name of a folder, 3: name of a user. */
			return sprintf( __( 'This site changes files by %1$s, which needs a password. Let PHP own its files (%2$s belongs to %3$s), or set FS_METHOD to direct in wp-config.php.', 'steward' ), $method, self::short( WP_PLUGIN_DIR ), self::owner( WP_PLUGIN_DIR ) );
		}
		return WP_Filesystem() ? null : __( 'WordPress cannot open its file system.', 'steward' );
	}

	/** Why something cannot be replaced by a new version, or null. */
	public static function fault_of_replacing( string $path ): ?string {
		$upgrade = WP_CONTENT_DIR . '/upgrade';
		return self::fault_of_removing( $path ) ?? self::fault_of_writing( is_dir( $upgrade ) ? $upgrade : WP_CONTENT_DIR );
	}

	/** Why something cannot be deleted, or null: every folder that has something in it must be writable. */
	public static function fault_of_removing( string $path ): ?string {
		clearstatcache( true );
		$fault = self::fault_of_writing( dirname( $path ) );
		if ( null !== $fault || is_link( $path ) || ! is_dir( $path ) ) {
			return $fault;
		}
		$folders = new RecursiveIteratorIterator(
			new RecursiveDirectoryIterator( $path, FilesystemIterator::SKIP_DOTS | FilesystemIterator::CURRENT_AS_PATHNAME ),
			RecursiveIteratorIterator::SELF_FIRST,
			RecursiveIteratorIterator::CATCH_GET_CHILD
		);
		$fault   = self::fault_of_writing( $path );
		foreach ( $folders as $folder ) {
			if ( null !== $fault ) {
				break;
			}
			$fault = is_dir( $folder ) && ! is_link( $folder ) ? self::fault_of_writing( $folder ) : null;
		}
		return $fault;
	}

	private static function fault_of_writing( string $folder ): ?string {
		return is_writable( $folder )
			? null
			/* translators: 1: Name of a folder, 2: name of a user. */
			: sprintf( __( 'PHP may not change the folder %1$s: it belongs to %2$s. Make PHP its owner, or make it writable.', 'steward' ), self::short( $folder ), self::owner( $folder ) );
	}

	private static function short( string $path ): string {
		return str_replace( ABSPATH, '', $path );
	}

	private static function owner( string $path ): string {
		$id   = (int) @fileowner( $path );
		$user = function_exists( 'posix_getpwuid' ) ? posix_getpwuid( $id ) : false;
		return is_array( $user ) ? $user['name'] : (string) $id;
	}
}
