<?php
/**
 * @package Steward
 */

namespace Steward\Updating;

defined( 'ABSPATH' ) || exit;

/**
 * The opcache of PHP. All PHP processes run compiled files from this cache, not the files on disk.
 *
 * An update invalidates the files that it replaces. Some requests cannot do this: the host may allow it only to other
 * scripts, or the request started while a reset of the cache was pending.
 */
final class Opcache {

	private const MAX_WAIT_SECONDS = 61;

	/** Waits until pages run the files on disk. Does not help if the host has disabled revalidation. */
	public static function wait_for_revalidation(): void {
		if ( self::is_enabled() && ! wp_opcache_invalidate( __FILE__, true ) ) {
			sleep( min( self::MAX_WAIT_SECONDS, (int) ini_get( 'opcache.revalidate_freq' ) + 1 ) );
		}
	}

	/** Reads the global setting: this request may have opcache disabled for itself. */
	private static function is_enabled(): bool {
		$all = function_exists( 'ini_get_all' ) ? ini_get_all() : [];
		return (bool) ( $all['opcache.enable']['global_value'] ?? ini_get( 'opcache.enable' ) );
	}
}
