<?php
/**
 * The canonical form of a site's address.
 *
 * @package Steward
 */

namespace Steward;

defined( 'ABSPATH' ) || exit;

/**
 * Converts site addresses to the canonical form, by the same rules as the panel.
 *
 * The canonical form has no scheme: http and https addresses belong to the same site.
 */
final class Site_Url {

	const MAX_LENGTH = 2048;

	const DEFAULT_PORTS = [
		'http'  => 80,
		'https' => 443,
	];

	const MAX_BYTES_PER_UTF16_UNIT = 3;

	/**
	 * Returns `example.com:8443/blog`: no scheme, no `www.`, no trailing slash. Null if the address is invalid.
	 */
	public static function canonical( string $raw ): ?string {
		if ( strlen( $raw ) > self::MAX_LENGTH * self::MAX_BYTES_PER_UTF16_UNIT ) {
			return null;
		}
		if ( ! self::is_valid_utf8( $raw ) || self::count_utf16_units( $raw ) > self::MAX_LENGTH ) {
			return null;
		}
		$input = trim( $raw, "\t\n\f\r " );
		if ( preg_match( '/[\x00-\x20\x7f\\\\]/', $input ) ) {
			return null;
		}

		$address = self::split( $input );
		if ( null === $address ) {
			return null;
		}
		$host = Site_Host::canonical( $address['host'] );
		$port = self::canonicalize_port( $address['port'], $address['scheme'] );
		if ( null === $host || null === $port ) {
			return null;
		}

		$canonical = self::remove_www( $host ) . $port . self::canonicalize_path( $address['path'] );
		// Percent-encoding makes a path longer, and the panel rejects addresses that do not fit its index.
		return strlen( $canonical ) <= self::MAX_LENGTH ? $canonical : null;
	}

	/**
	 * Splits an address. Does not use parse_url(), which accepts addresses that the panel rejects.
	 */
	private static function split( string $input ): ?array {
		$has_scheme = (bool) preg_match( '~^([a-z][a-z0-9+.-]*)://~i', $input, $found );
		$scheme     = $has_scheme ? Site_Host::ascii_lower( $found[1] ) : 'https';
		if ( ! isset( self::DEFAULT_PORTS[ $scheme ] ) ) {
			return null;
		}

		$rest = $has_scheme ? substr( $input, strlen( $found[0] ) ) : preg_replace( '~^//~', '', $input );
		preg_match( '~^([^/?#]*)([^?#]*)~', $rest, $parts );
		$at = strrpos( $parts[1], '@' );
		// Without a scheme, `name@host` is an e-mail address, and `mailto:…` is not a host with a port.
		if ( false !== $at && ! $has_scheme ) {
			return null;
		}

		$host_and_port = false === $at ? $parts[1] : substr( $parts[1], $at + 1 );
		if ( ! preg_match( '/^(\[[^\]]*\]|[^:[\]]*)(:[0-9]*)?\z/', $host_and_port, $found ) ) {
			return null;
		}
		$colon_and_port = $found[2] ?? '';
		if ( ':' === $colon_and_port && ! $has_scheme ) {
			return null;
		}
		return [
			'scheme' => $scheme,
			'host'   => $found[1],
			'port'   => ltrim( $colon_and_port, ':' ),
			'path'   => $parts[2],
		];
	}

	/**
	 * Returns `:8443`, an empty string for the default port of the scheme, or null for an invalid port.
	 */
	private static function canonicalize_port( string $port, string $scheme ): ?string {
		if ( '' === $port ) {
			return '';
		}
		$digits = ltrim( $port, '0' );
		if ( '' === $digits || strlen( $digits ) > 5 || (int) $digits > 65535 ) {
			return null;
		}
		return self::DEFAULT_PORTS[ $scheme ] === (int) $digits ? '' : ':' . $digits;
	}

	/**
	 * Keeps `www.com`: without `www.` it would be a top-level domain.
	 */
	private static function remove_www( string $host ): string {
		return preg_replace( '/^www\.(?=[^.]*\.)/', '', $host );
	}

	/**
	 * Resolves dot segments, percent-encodes and merges slashes, as the URL standard and the panel do.
	 */
	private static function canonicalize_path( string $path ): string {
		$kept = [];
		foreach ( explode( '/', substr( $path, 1 ) ) as $segment ) {
			$dots = str_ireplace( '%2e', '.', $segment );
			if ( '..' === $dots ) {
				// This may remove an empty segment, so empty segments are dropped only at the end.
				array_pop( $kept );
			} elseif ( '.' !== $dots ) {
				$kept[] = self::percent_encode( $segment );
			}
		}
		$not_empty = array_filter( $kept, 'strlen' );
		return $not_empty ? '/' . implode( '/', $not_empty ) : '';
	}

	/**
	 * Encodes the characters that the URL standard encodes in a path. Percent signs stay.
	 */
	private static function percent_encode( string $segment ): string {
		return preg_replace_callback(
			'/[\x80-\xff"<>^`{}]/',
			static function ( array $found ): string {
				return sprintf( '%%%02X', ord( $found[0] ) );
			},
			$segment
		);
	}

	private static function is_valid_utf8( string $text ): bool {
		return 1 === preg_match( '//u', $text );
	}

	/**
	 * Counts UTF-16 units, as the panel does.
	 */
	private static function count_utf16_units( string $text ): int {
		return preg_match_all( '/[^\x80-\xbf]/', $text ) + preg_match_all( '/[\xf0-\xf4]/', $text );
	}
}
