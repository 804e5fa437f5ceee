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

	/** The web server ends a call that waits much longer. */
	private const MAX_WAIT_SECONDS = 10;

	/** Waits until pages run the files on disk. */
	public static function wait_for_revalidation(): void {
		if ( ! self::can_invalidate() ) {
			sleep( min( self::MAX_WAIT_SECONDS, self::seconds_until_revalidation() ) );
		}
	}

	/** Whether pages run the old code after an update for so long that no check shows the new code. */
	public static function keeps_old_code(): bool {
		return ! self::can_invalidate() && ( ! self::revalidates() || self::seconds_until_revalidation() > self::MAX_WAIT_SECONDS );
	}

	/** Explains why pages still run the old code, as a part of a sentence. */
	public static function describe(): string {
		return self::revalidates()
			/* translators: %d: Number of seconds. */
			? sprintf( __( 'PHP runs the old code for another %d seconds (opcache.revalidate_freq)', 'steward' ), self::seconds_until_revalidation() )
			: __( 'PHP still runs the old code: restart PHP (opcache.validate_timestamps is off)', 'steward' );
	}

	/** A request can invalidate compiled files unless the host has restricted this. */
	private static function can_invalidate(): bool {
		return ! self::is_enabled() || wp_opcache_invalidate( __FILE__, true );
	}

	private static function revalidates(): bool {
		return (bool) ini_get( 'opcache.validate_timestamps' );
	}

	private static function seconds_until_revalidation(): int {
		return (int) ini_get( 'opcache.revalidate_freq' ) + 1;
	}

	/** Reads the global setting: this request may have opcache disabled for itself. */
	private static function is_enabled(): bool {
		$all = function_exists( 'ini_get_all' ) ? ini_get_all() : [];
		return (bool) ( $all['opcache.enable']['global_value'] ?? ini_get( 'opcache.enable' ) );
	}
}
