<?php
/**
 * @package Steward
 */

namespace Steward\Updating;

use Steward\Watchdog\Files;

defined( 'ABSPATH' ) || exit;

/** Checks the disk space for an update: the download, the unpacked files and the new version. */
final class Free_Space {

	/** A disk with less free space counts as full: the file system reserves some space. */
	private const MIN_FREE_BYTES = 1048576;

	/**
	 * Runs before the download. Its size is unknown, so this assumes that the new version is as large as the old one.
	 *
	 * @param string $path Folder or file to replace.
	 */
	public static function update_error( string $path ): ?string {
		$size = self::measure( $path );
		return self::space_error(
			[
				[ get_temp_dir(), $size / 2 ],
				[ self::upgrade_folder(), $size ],
				[ dirname( $path ), $size ],
			]
		);
	}

	/**
	 * Runs before the download of a new item.
	 *
	 * @param int $bytes Size of the package, or 0 if it is unknown.
	 */
	public static function download_error( string $folder, int $bytes ): ?string {
		return self::space_error( [ [ $folder, $bytes ] ] );
	}

	/**
	 * Runs before a new item is unpacked.
	 *
	 * @param int    $bytes  Unpacked size.
	 * @param string $folder Folder that will contain the item.
	 */
	public static function unpack_error( int $bytes, string $folder ): ?string {
		return self::space_error( [ [ self::upgrade_folder(), $bytes ], [ $folder, $bytes ] ] );
	}

	/**
	 * Runs after the package is unpacked and its size is known.
	 *
	 * @param string $source Unpacked folder.
	 * @param string $path   Folder or file to replace.
	 */
	public static function install_error( string $source, string $path ): ?string {
		return self::space_error( [ [ dirname( $path ), self::measure( $source ) ] ] );
	}

	/** Returns the free space of the fullest disk that an update needs. Null: the host does not report it. */
	public static function lowest(): ?int {
		$spaces = [];
		foreach ( [ WP_PLUGIN_DIR, get_theme_root(), self::upgrade_folder(), get_temp_dir() ] as $folder ) {
			$free = function_exists( 'disk_free_space' ) ? @disk_free_space( $folder ) : false;
			if ( false !== $free ) {
				$spaces[] = (int) min( $free, PHP_INT_MAX );
			}
		}
		return [] === $spaces ? null : min( $spaces );
	}

	/** Returns an error if the disk is full. WordPress reports only a failed copy or a broken package. */
	public static function disk_full_error( string $path ): ?string {
		return self::space_error( [ [ get_temp_dir(), 0 ], [ self::upgrade_folder(), 0 ], [ dirname( $path ), 0 ] ] );
	}

	/**
	 * Adds up the needed space per file system.
	 *
	 * @param array<array{string, int|float}> $needs Folder and bytes.
	 */
	private static function space_error( array $needs ): ?string {
		$needed = [];
		foreach ( $needs as [ $folder, $bytes ] ) {
			$device            = @stat( $folder )['dev'] ?? $folder;
			$needed[ $device ] = [
				'folder' => $folder,
				'bytes'  => ( $needed[ $device ]['bytes'] ?? self::MIN_FREE_BYTES ) + $bytes,
			];
		}
		foreach ( $needed as [ 'folder' => $folder, 'bytes' => $bytes ] ) {
			$free = function_exists( 'disk_free_space' ) ? @disk_free_space( $folder ) : false;
			if ( false !== $free && $free < $bytes ) {
				/* translators: 1: Name of a folder, 2: size such as 12 MB, 3: size such as 12 MB. */
				return sprintf( __( 'Not enough disk space in %1$s: %2$s is needed, but only %3$s is free.', 'steward' ), str_replace( ABSPATH, '', untrailingslashit( $folder ) ), size_format( ceil( $bytes ), 1 ), size_format( (int) $free, 1 ) ?: '0 B' );
			}
		}
		return null;
	}

	private static function upgrade_folder(): string {
		return is_dir( WP_CONTENT_DIR . '/upgrade' ) ? WP_CONTENT_DIR . '/upgrade' : WP_CONTENT_DIR;
	}

	private static function measure( string $path ): int {
		$bytes = 0;
		foreach ( Files::list_files( $path ) as $file ) {
			$bytes += (int) @filesize( $file );
		}
		return $bytes;
	}
}
