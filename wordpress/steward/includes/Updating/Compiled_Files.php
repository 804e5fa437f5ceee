<?php
/**
 * @package Steward
 */

namespace Steward\Updating;

defined( 'ABSPATH' ) || exit;

/**
 * PHP keeps compiled files for all its processes, and pages are built with those rather than with what is on disk.
 *
 * An update makes it forget the files it replaces. Some requests cannot: where the host allows that to other scripts
 * only, or when they began while the whole cache was about to be emptied.
 */
final class Compiled_Files {

	private const LONGEST_WAIT_SECONDS = 61;

	/** Afterwards pages are built with the files on disk, as far as this site ever does that by itself. */
	public static function wait_until_noticed(): void {
		if ( self::are_kept() && ! wp_opcache_invalidate( __FILE__, true ) ) {
			sleep( min( self::LONGEST_WAIT_SECONDS, (int) ini_get( 'opcache.revalidate_freq' ) + 1 ) );
		}
	}

	/** By the settings of the server: this request may have been told not to. */
	private static function are_kept(): bool {
		$all = function_exists( 'ini_get_all' ) ? ini_get_all() : [];
		return (bool) ( $all['opcache.enable']['global_value'] ?? ini_get( 'opcache.enable' ) );
	}
}
