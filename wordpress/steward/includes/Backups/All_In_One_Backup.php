<?php
/**
 * @package Steward
 */

namespace Steward\Backups;

defined( 'ABSPATH' ) || exit;

/**
 * All-in-One WP Migration moves a complete archive to its folder of backups. The name of the archive has the host, the path
 * and the time; the archive starts with `package.json`, which names the parts that the user left out.
 */
final class All_In_One_Backup {

	const FOLDER_OPTION = 'ai1wm_backups_path';

	const ARCHIVE_NAME = '/^(.{1,250})-(\d{8})-(\d{6})-[a-z0-9]{1,32}\.wpress$/D';

	/** Bytes of name, size, time and path before the content of each file in an archive. */
	private const HEADER_BYTES = 4377;

	/** `package.json` has a list of plugins, so it can be large. */
	const HEAD_BYTES = 262144;

	/** The time in the name is that of the time zone of PHP. An archive takes hours at most. */
	private const MAX_DIFFERENCE_SECONDS = 172800;

	/**
	 * @param string $name        Name of the archive.
	 * @param int    $modified_at When the archive was written: seconds since 1970.
	 * @param string $head        First bytes of the archive.
	 * @param string $site_url    Address of the site.
	 * @param int    $now         Seconds since 1970.
	 */
	public static function read_archive( string $name, int $modified_at, string $head, string $site_url, int $now ): ?Backup {
		if ( 1 !== preg_match( self::ARCHIVE_NAME, $name, $match ) || self::name_of_site( $site_url ) !== $match[1] ) {
			return null;
		}
		$named_at = strtotime( $match[2] . 'T' . $match[3] . 'Z' );
		// A copied archive has a new time. Its name has the old one.
		if ( false === $named_at || abs( $modified_at - $named_at ) > self::MAX_DIFFERENCE_SECONDS ) {
			return null;
		}
		$package = self::read_package( $head );
		if ( null === $package ) {
			return null;
		}
		$has_files = empty( $package['NoPlugins'] ) && empty( $package['NoThemes'] );
		return Backup::create( $modified_at, empty( $package['NoDatabase'] ), $has_files, $now );
	}

	/** Returns the start of the names of archives of this site. */
	private static function name_of_site( string $site_url ): string {
		$parts = (array) wp_parse_url( $site_url );
		$path  = array_filter( explode( '/', $parts['path'] ?? '' ), 'strlen' );
		return strtolower( implode( '-', array_merge( [ $parts['host'] ?? '' ], $path ) ) );
	}

	private static function read_package( string $head ): ?array {
		$name = rtrim( substr( $head, 0, 255 ), "\0" );
		$size = rtrim( substr( $head, 255, 14 ), "\0" );
		if ( 'package.json' !== $name || 1 !== preg_match( '/^\d{1,6}$/D', $size ) || strlen( $head ) < self::HEADER_BYTES + (int) $size ) {
			return null;
		}
		$package = json_decode( substr( $head, self::HEADER_BYTES, (int) $size ), true, 16 );
		return is_array( $package ) && isset( $package['Plugin']['Version'] ) ? $package : null;
	}
}
