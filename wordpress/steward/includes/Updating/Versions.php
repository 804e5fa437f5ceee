<?php
/**
 * @package Steward
 */

namespace Steward\Updating;

defined( 'ABSPATH' ) || exit;

/** Compares versions. Treats 2.0 and 2.0.0 as equal: with version_compare(), such an update would stay pending. */
final class Versions {

	public static function are_same( string $one, string $other ): bool {
		return 0 === version_compare( self::remove_trailing_zeros( $one ), self::remove_trailing_zeros( $other ) );
	}

	public static function is_older( string $version, string $than ): bool {
		// Compare with the zeros: without them, 2.0-beta would be newer than 2.
		return ! self::are_same( $version, $than ) && version_compare( trim( $version ), trim( $than ), '<' );
	}

	private static function remove_trailing_zeros( string $version ): string {
		return (string) preg_replace( '/(\.0)+$/', '', trim( $version ) );
	}
}
