<?php
/**
 * @package Steward
 */

namespace Steward\Updating;

use PclZip;
use WP_Error;
use ZipArchive;

defined( 'ABSPATH' ) || exit;

/**
 * Checks a package before it is unpacked. WordPress skips files outside of the package folder and installs the rest;
 * Steward rejects the whole package.
 */
final class Package_Zip {

	private const MAX_ENTRIES = 20000;
	private const MAX_BYTES   = 256 * MB_IN_BYTES;

	/** A package that unpacks to more than this multiple of its size is a zip bomb. */
	private const MAX_RATIO = 100;
	/** Below this unpacked size, any compression ratio is allowed. */
	private const MIN_BOMB_BYTES = 10 * MB_IN_BYTES;

	private const UNIX         = 3;
	private const TYPE_MASK    = 0170000;
	private const REGULAR_FILE = 0100000;
	private const FOLDER       = 0040000;

	/**
	 * Returns the unpacked size in bytes.
	 *
	 * @param string $file Path of the zip.
	 * @return int|WP_Error
	 */
	public static function check( string $file ) {
		// Use the library with which WordPress unpacks the zip: another library could read other contents.
		$entries = class_exists( ZipArchive::class, false ) && apply_filters( 'unzip_file_use_ziparchive', true ) ? self::read_with_zip_archive( $file ) : self::read_with_pclzip( $file );
		if ( null === $entries || [] === $entries ) {
			return self::reject( __( 'The package is not a valid zip file, or it is empty.', 'steward' ) );
		}
		if ( count( $entries ) > self::MAX_ENTRIES ) {
			/* translators: %d: Number of files. */
			return self::reject( sprintf( __( 'The package contains more than %d files.', 'steward' ), self::MAX_ENTRIES ) );
		}
		$bytes = 0;
		foreach ( $entries as [ $name, $size, $mode ] ) {
			$bytes += max( 0, $size );
			if ( ! self::is_safe_name( $name ) ) {
				/* translators: %s: Path of a file. */
				return self::reject( sprintf( __( 'The package contains a file outside of its folder: %s.', 'steward' ), substr( $name, 0, 200 ) ) );
			}
			$type = $mode & self::TYPE_MASK;
			if ( 0 !== $type && self::REGULAR_FILE !== $type && self::FOLDER !== $type ) {
				/* translators: %s: Path of a file. */
				return self::reject( sprintf( __( 'The package contains a link or a special file: %s.', 'steward' ), substr( $name, 0, 200 ) ) );
			}
		}
		$is_bomb = $bytes > self::MIN_BOMB_BYTES && $bytes > self::MAX_RATIO * (int) filesize( $file );
		if ( $bytes > self::MAX_BYTES || $is_bomb ) {
			/* translators: %s: Size such as 12 MB. */
			return self::reject( sprintf( __( 'The package unpacks to %s, which is too large.', 'steward' ), size_format( $bytes ) ) );
		}
		return $bytes;
	}

	public static function reject( string $message ): WP_Error {
		return new WP_Error( 'package_rejected', $message );
	}

	private static function is_safe_name( string $name ): bool {
		$is_absolute = '' === $name || '/' === $name[0] || 1 === preg_match( '~^[A-Za-z]:~', $name );
		return ! $is_absolute && ! preg_match( '~[\x00-\x1f\\\\]~', $name ) && ! in_array( '..', explode( '/', $name ), true );
	}

	/** @return array<array{string, int, int}>|null Name, size and Unix mode. Null: not a zip. */
	private static function read_with_zip_archive( string $file ): ?array {
		$zip = new ZipArchive();
		// PHP 8 logs a deprecation if it opens an empty file.
		if ( 0 === (int) @filesize( $file ) || true !== $zip->open( $file, ZipArchive::CHECKCONS ) ) {
			return null;
		}
		$entries = [];
		$count   = min( $zip->numFiles, self::MAX_ENTRIES + 1 );
		for ( $index = 0; $index < $count; $index++ ) {
			// FL_ENC_RAW: another encoding could hide a part of the name.
			$stat = $zip->statIndex( $index, ZipArchive::FL_ENC_RAW );
			if ( false === $stat ) {
				$zip->close();
				return null;
			}
			$system     = 0;
			$attributes = 0;
			$zip->getExternalAttributesIndex( $index, $system, $attributes );
			$entries[] = [ (string) $stat['name'], (int) $stat['size'], self::UNIX === $system ? $attributes >> 16 : 0 ];
		}
		$zip->close();
		return $entries;
	}

	/**
	 * WordPress uses PclZip if PHP has no zip extension. PclZip does not list the modes of files. It creates no links, so the
	 * modes are not needed.
	 */
	private static function read_with_pclzip( string $file ): ?array {
		require_once ABSPATH . 'wp-admin/includes/class-pclzip.php';
		$list = ( new PclZip( $file ) )->listContent();
		if ( ! is_array( $list ) ) {
			return null;
		}
		return array_map(
			static function ( array $entry ): array {
				return [ (string) $entry['stored_filename'], (int) $entry['size'], 0 ];
			},
			$list
		);
	}
}
