<?php
/**
 * IPv6 addresses in a URL.
 *
 * @package Steward
 */

namespace Steward;

defined( 'ABSPATH' ) || exit;

/**
 * Parses IPv6 addresses without inet_pton(): some PHP builds lack it, and it accepts different forms on each system.
 */
final class Ipv6_Address {

	const GROUPS = 8;

	/**
	 * Returns the shortest form of a lower-case address, or null if the address is invalid.
	 */
	public static function shorten( string $address ): ?string {
		$groups = self::parse_groups( $address );
		return null === $groups ? null : self::format( $groups );
	}

	/**
	 * Returns the eight numbers of an address, or null if the address is invalid.
	 */
	private static function parse_groups( string $address ): ?array {
		$halves = explode( '::', self::replace_ipv4_suffix( $address ) );
		$head   = self::parse_half( $halves[0] );
		$tail   = self::parse_half( $halves[1] ?? '' );
		if ( count( $halves ) > 2 || null === $head || null === $tail ) {
			return null;
		}
		$missing = self::GROUPS - count( $head ) - count( $tail );
		if ( count( $halves ) === 1 ? 0 !== $missing : $missing < 1 ) {
			return null;
		}
		return array_merge( $head, array_fill( 0, $missing, 0 ), $tail );
	}

	/**
	 * Converts `::ffff:192.168.0.1` to `::ffff:c0a8:1`.
	 */
	private static function replace_ipv4_suffix( string $address ): string {
		if ( ! preg_match( '/^(.*:)([0-9.]+)\z/', $address, $match ) || ! Site_Host::is_ipv4( $match[2] ) ) {
			return $address;
		}
		list( $first, $second, $third, $fourth ) = array_map( 'intval', explode( '.', $match[2] ) );
		return sprintf( '%s%x:%x', $match[1], $first * 256 + $second, $third * 256 + $fourth );
	}

	private static function parse_half( string $groups ): ?array {
		if ( '' === $groups ) {
			return [];
		}
		$is_well_formed = preg_match( '/^[0-9a-f]{1,4}(?::[0-9a-f]{1,4})*\z/', $groups );
		return $is_well_formed ? array_map( 'hexdec', explode( ':', $groups ) ) : null;
	}

	/**
	 * Compresses the first of the longest runs of zeros, if it has more than one group.
	 */
	private static function format( array $groups ): string {
		$address = implode( ':', array_map( 'dechex', $groups ) );
		for ( $zeros = self::GROUPS; $zeros > 1; $zeros-- ) {
			$run   = implode( ':', array_fill( 0, $zeros, '0' ) );
			$short = preg_replace( "/(?:^|:)$run(?::|\\z)/", '::', $address, 1, $count );
			if ( $count > 0 ) {
				return $short;
			}
		}
		return $address;
	}
}
