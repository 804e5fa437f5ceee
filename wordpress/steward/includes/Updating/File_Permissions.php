<?php
/**
 * @package Steward
 */

namespace Steward\Updating;

use FilesystemIterator;
use RecursiveDirectoryIterator;
use RecursiveIteratorIterator;

defined( 'ABSPATH' ) || exit;

/** Checks whether PHP can change files. */
final class File_Permissions {

	/** Returns the reason why this site allows no file changes, or null. */
	public static function site_error(): ?string {
		Admin_Includes::load();
		if ( defined( 'DISALLOW_FILE_MODS' ) && DISALLOW_FILE_MODS ) {
			return __( 'This site does not allow file changes: DISALLOW_FILE_MODS is set in wp-config.php.', 'steward' );
		}
		if ( ! wp_is_file_mod_allowed( 'steward_remote' ) ) {
			return __( 'This site does not allow file changes: a plugin blocks them with the filter file_mod_allowed.', 'steward' );
		}
		$method = get_filesystem_method( [], WP_PLUGIN_DIR );
		if ( 'direct' !== $method && ! is_writable( WP_PLUGIN_DIR ) ) {
			return self::write_error( WP_PLUGIN_DIR );
		}
		if ( 'direct' !== $method ) {
			/* translators: 1: Name of a method, such as ftpext, 2: name of a folder, 3: name of a user. */
			return sprintf( __( 'This site changes files with %1$s, which requires a password. Make PHP the owner of the files (%2$s belongs to %3$s), or set FS_METHOD to direct in wp-config.php.', 'steward' ), $method, self::shorten( WP_PLUGIN_DIR ), self::owner( WP_PLUGIN_DIR ) );
		}
		return WP_Filesystem() ? null : __( 'WordPress cannot access the file system.', 'steward' );
	}

	/** Whether a constant or a plugin forbids changes of files. */
	public static function are_changes_disabled(): bool {
		return ( defined( 'DISALLOW_FILE_MODS' ) && DISALLOW_FILE_MODS ) || ! wp_is_file_mod_allowed( 'steward_remote' );
	}

	/** Whether WordPress changes files without the password of an FTP or SSH user. */
	public static function is_direct(): bool {
		Admin_Includes::load();
		return 'direct' === get_filesystem_method( [], WP_PLUGIN_DIR );
	}

	/**
	 * Returns for each type of item the first folder that PHP cannot write to. Checks only folders that all items of this
	 * type share, not the folders of single items.
	 *
	 * @return array<array{type: string, folder: string, active_only?: true}>
	 */
	public static function unwritable_folders(): array {
		clearstatcache( true );
		$folders = [
			Requested_Items::PLUGIN => WP_PLUGIN_DIR,
			Requested_Items::THEME  => get_theme_root(),
			Requested_Items::CORE   => ABSPATH,
		];
		// WordPress tests with a file in this folder whether it may change files at all.
		$blocks_all = ! is_writable( WP_PLUGIN_DIR ) && ! self::is_direct();
		$found      = [];
		foreach ( $folders as $type => $folder ) {
			foreach ( [ $blocks_all ? WP_PLUGIN_DIR : $folder, self::upgrade_folder(), ABSPATH ] as $needed ) {
				if ( is_writable( $needed ) ) {
					continue;
				}
				// Maintenance mode, which writes to ABSPATH, starts only for items that pages load.
				$is_for_maintenance = ABSPATH === $needed && Requested_Items::CORE !== $type;
				$found[]            = [
					'type'   => $type,
					'folder' => self::shorten( $needed ),
				] + ( $is_for_maintenance ? [ 'active_only' => true ] : [] );
				break;
			}
		}
		return $found;
	}

	/** Returns the reason why PHP cannot replace a folder or file, or null. */
	public static function replace_error( string $path ): ?string {
		return self::delete_error( $path ) ?? self::write_error( self::upgrade_folder() );
	}

	private static function upgrade_folder(): string {
		return is_dir( WP_CONTENT_DIR . '/upgrade' ) ? WP_CONTENT_DIR . '/upgrade' : WP_CONTENT_DIR;
	}

	/** Returns the reason why PHP cannot delete a folder or file, or null. Every folder in it must be writable. */
	public static function delete_error( string $path ): ?string {
		clearstatcache( true );
		$error = self::write_error( dirname( $path ) );
		if ( null !== $error || is_link( $path ) || ! is_dir( $path ) ) {
			return $error;
		}
		$folders = new RecursiveIteratorIterator(
			new RecursiveDirectoryIterator( $path, FilesystemIterator::SKIP_DOTS | FilesystemIterator::CURRENT_AS_PATHNAME ),
			RecursiveIteratorIterator::SELF_FIRST,
			RecursiveIteratorIterator::CATCH_GET_CHILD
		);
		$error   = self::write_error( $path );
		foreach ( $folders as $folder ) {
			if ( null !== $error ) {
				break;
			}
			$error = is_dir( $folder ) && ! is_link( $folder ) ? self::write_error( $folder ) : null;
		}
		return $error;
	}

	private static function write_error( string $folder ): ?string {
		return is_writable( $folder )
			? null
			/* translators: 1: Name of a folder, 2: name of a user. */
			: sprintf( __( 'The site cannot write to the folder %1$s: it belongs to %2$s. Make PHP its owner, or make it writable.', 'steward' ), self::shorten( $folder ), self::owner( $folder ) );
	}

	private static function shorten( string $path ): string {
		return ABSPATH === $path ? basename( $path ) : str_replace( ABSPATH, '', $path );
	}

	private static function owner( string $path ): string {
		$id   = (int) @fileowner( $path );
		$user = function_exists( 'posix_getpwuid' ) ? posix_getpwuid( $id ) : false;
		return is_array( $user ) ? $user['name'] : (string) $id;
	}
}
