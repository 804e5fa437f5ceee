<?php
/**
 * @package Steward
 */

namespace Steward\Updating;

defined( 'ABSPATH' ) || exit;

/** Compares versions as people do: 2.0 and 2.0.0 are one. To PHP they are two, and an update would be pending for ever. */
final class Versions {

	public static function are_same( string $one, string $other ): bool {
		return 0 === version_compare( self::short( $one ), self::short( $other ) );
	}

	public static function is_older( string $one, string $other ): bool {
		return version_compare( self::short( $one ), self::short( $other ), '<' );
	}

	private static function short( string $version ): string {
		return (string) preg_replace( '/(\.0)+$/', '', trim( $version ) );
	}
}
