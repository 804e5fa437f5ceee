<?php
/**
 * @package Steward
 */

namespace Steward\Updating;

use Steward\Watchdog\Files;

defined( 'ABSPATH' ) || exit;

/** Whether the disks have room for an update: for its download, its unpacked files and the new version. */
final class Free_Space {

	/** Less than this is a full disk: the file system keeps some for itself. */
	private const LEAST_BYTES = 1048576;

	/**
	 * Before the download, whose size is not known: the new version is taken to be as large as the old one.
	 *
	 * @param string $path What is to be replaced.
	 */
	public static function fault_of_updating( string $path ): ?string {
		$size = self::size( $path );
		return self::fault(
			[
				[ get_temp_dir(), $size / 2 ],
				[ self::upgrade_folder(), $size ],
				[ dirname( $path ), $size ],
			]
		);
	}

	/**
	 * When the package is unpacked and its size is known.
	 *
	 * @param string $source The unpacked folder.
	 * @param string $path   What is to be replaced.
	 */
	public static function fault_of_installing( string $source, string $path ): ?string {
		return self::fault( [ [ dirname( $path ), self::size( $source ) ] ] );
	}

	/** After a failure, of which WordPress says only that a file could not be copied or a package is broken. */
	public static function likely_cause( string $path ): ?string {
		return self::fault( [ [ get_temp_dir(), 0 ], [ self::upgrade_folder(), 0 ], [ dirname( $path ), 0 ] ] );
	}

	/**
	 * What several things need together, on each file system.
	 *
	 * @param array<array{string, int|float}> $needs Folder and bytes.
	 */
	private static function fault( array $needs ): ?string {
		$needed = [];
		foreach ( $needs as [ $folder, $bytes ] ) {
			$device            = @stat( $folder )['dev'] ?? $folder;
			$needed[ $device ] = [
				'folder' => $folder,
				'bytes'  => ( $needed[ $device ]['bytes'] ?? self::LEAST_BYTES ) + $bytes,
			];
		}
		foreach ( $needed as [ 'folder' => $folder, 'bytes' => $bytes ] ) {
			$free = function_exists( 'disk_free_space' ) ? @disk_free_space( $folder ) : false;
			if ( false !== $free && $free < $bytes ) {
				/* translators: 1: Name of a folder, 2: size such as 12 MB, 3: size such as 12 MB. */
				return sprintf( __( 'The disk of %1$s is too full: the update needs %2$s, and %3$s are free.', 'steward' ), str_replace( ABSPATH, '', untrailingslashit( $folder ) ), size_format( ceil( $bytes ), 1 ), size_format( (int) $free, 1 ) ?: '0 B' );
			}
		}
		return null;
	}

	private static function upgrade_folder(): string {
		return is_dir( WP_CONTENT_DIR . '/upgrade' ) ? WP_CONTENT_DIR . '/upgrade' : WP_CONTENT_DIR;
	}

	private static function size( string $path ): int {
		$bytes = 0;
		foreach ( Files::below( $path ) as $file ) {
			$bytes += (int) @filesize( $file );
		}
		return $bytes;
	}
}
