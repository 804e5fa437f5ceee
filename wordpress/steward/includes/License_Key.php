<?php
/**
 * License keys, site keys and enrolment codes.
 *
 * @package Steward
 */

namespace Steward;

defined( 'ABSPATH' ) || exit;

/**
 * `STWD-XXXXXXX-XXXXXXX-XXXXXXX-XXXXXXC`: 27 symbols of Crockford's base32 and a check symbol modulo 37.
 */
final class License_Key {

	const PREFIX           = 'STWD';
	const SITE_PREFIX      = 'STWS';
	const ENROLMENT_PREFIX = 'STWE';
	const ALPHABET         = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
	const RANDOM_SYMBOLS   = 27;
	const GROUP_LENGTH     = 7;
	const MAX_INPUT_LENGTH = 100;
	const VISIBLE_SYMBOLS  = 6;

	/** Matches the white space that the panel trims. PHP's `\s` matches other characters. */
	const WHITE_SPACE = '[\t-\r \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}]';

	/**
	 * Returns the key in its canonical form, or null if it is not a valid license key.
	 *
	 * @param string $input  Key as a user typed it.
	 * @param string $prefix ENROLMENT_PREFIX for an enrolment code.
	 */
	public static function normalize( string $input, string $prefix = self::PREFIX ): ?string {
		if ( ! preg_match( '/^.{0,' . self::MAX_INPUT_LENGTH . '}\z/su', $input ) ) {
			return null;
		}
		$typed = self::trim_input( $input );
		// The key is sent in an HTTP header, so it may contain only these characters.
		if ( ! preg_match( '/^[0-9A-Za-z -]+\z/', $typed ) ) {
			return null;
		}
		$compact = strtr( $typed, 'abcdefghijklmnopqrstuvwxyz', 'ABCDEFGHIJKLMNOPQRSTUVWXYZ' );
		$compact = str_replace( [ ' ', '-' ], '', $compact );
		if ( 0 !== strpos( $compact, $prefix ) ) {
			return null;
		}
		$symbols = strtr( substr( $compact, strlen( $prefix ) ), 'OIL', '011' );
		return self::has_valid_check_symbol( $symbols ) ? self::format( $prefix, $symbols ) : null;
	}

	/** Needs no normalization: the panel issues site keys, and users do not type them. */
	public static function is_site_key( string $key ): bool {
		return 1 === preg_match( '/^' . self::SITE_PREFIX . '(?:-[' . self::ALPHABET . ']{' . self::GROUP_LENGTH . '}){4}\z/', $key );
	}

	/**
	 * Returns the key as the panel displays it: `…3E28JD`.
	 */
	public static function mask( string $key ): string {
		return '…' . substr( $key, -self::VISIBLE_SYMBOLS );
	}

	private static function trim_input( string $input ): string {
		return preg_replace( '/^' . self::WHITE_SPACE . '*|' . self::WHITE_SPACE . '*\z/u', '', $input );
	}

	private static function has_valid_check_symbol( string $symbols ): bool {
		if ( ! preg_match( '/^[' . self::ALPHABET . ']{' . ( self::RANDOM_SYMBOLS + 1 ) . '}\z/', $symbols ) ) {
			return false;
		}
		$remainder = 0;
		for ( $at = 0; $at < self::RANDOM_SYMBOLS; $at++ ) {
			$remainder = ( $remainder * 32 + strpos( self::ALPHABET, $symbols[ $at ] ) ) % 37;
		}
		return strpos( self::ALPHABET, $symbols[ self::RANDOM_SYMBOLS ] ) === $remainder;
	}

	private static function format( string $prefix, string $symbols ): string {
		return $prefix . '-' . implode( '-', str_split( $symbols, self::GROUP_LENGTH ) );
	}
}
