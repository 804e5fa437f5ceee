<?php
/**
 * The canonical form of a site's host.
 *
 * @package Steward
 */

namespace Steward;

defined( 'ABSPATH' ) || exit;

/**
 * Parses a host by the rules of the URL standard and rejects forms that no site uses.
 */
final class Site_Host {

	const MAX_LENGTH = 253;

	/**
	 * Letters that the IDNA mapping leaves unchanged, from scripts without further rules.
	 *
	 * The encoder of WordPress does no mapping: with other letters its result could differ from the panel's.
	 */
	const UNMAPPED_LETTERS = '/^(?:(?!\p{Lu})(?:[\x00-\x7f]|[ßà-öø-ÿ]|(?![ĳŀŉ])[ā-ž]|[ά-ώ]|[а-џ]|[々ぁ-ゖァ-ヺー]|[一-鿿]|[가-힣]))*\z/u';

	/**
	 * Returns the host in lower-case ASCII, an IPv6 address in its shortest form, or null if it is invalid.
	 */
	public static function canonical( string $host ): ?string {
		if ( preg_match( '/^\[(.*)\]\z/s', $host, $bracketed ) ) {
			$address = Ipv6_Address::shorten( self::ascii_lower( $bracketed[1] ) );
			return null === $address ? null : "[$address]";
		}
		if ( '' === $host || preg_match( '/[%<>^|[\]:@]/', $host ) ) {
			return null;
		}

		$ascii = self::to_ascii( $host );
		if ( null === $ascii ) {
			return null;
		}
		$ascii = self::remove_trailing_dot( $ascii );
		if ( preg_match( '/(?:^|\.)(?:[0-9]+|0x[0-9a-f]*)\z/', $ascii ) ) {
			// The standard parses 2130706433, 0x7f.1 and 127.1 as 127.0.0.1. No site uses these forms.
			return self::is_ipv4( $ascii ) && self::remove_trailing_dot( $host ) === $ascii ? $ascii : null;
		}
		$has_valid_labels = preg_match( '/^(?:(?!-)[a-z0-9_-]{1,63}(?<!-)(?:\.(?=.)|\z))+\z/', $ascii );
		return $has_valid_labels && strlen( $ascii ) <= self::MAX_LENGTH ? $ascii : null;
	}

	/**
	 * Whether the text is four decimal numbers up to 255, without leading zeros.
	 */
	public static function is_ipv4( string $text ): bool {
		return 1 === preg_match( '/^(?:(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])(?:\.(?=.)|\z)){4}\z/', $text );
	}

	/**
	 * Does not use strtolower(), which depends on the locale before PHP 8.2: a Turkish locale converts I differently.
	 */
	public static function ascii_lower( string $text ): string {
		return strtr( $text, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz' );
	}

	private static function remove_trailing_dot( string $host ): string {
		return preg_replace( '/\.\z/', '', $host );
	}

	private static function to_ascii( string $host ): ?string {
		$lower    = self::ascii_lower( $host );
		$is_ascii = ! preg_match( '/[\x80-\xff]/', $host );
		if ( $is_ascii && ! preg_match( '/(?:^|\.)xn--/', $lower ) ) {
			return $lower;
		}
		if ( function_exists( 'idn_to_ascii' ) ) {
			return self::to_ascii_by_intl( $host );
		}
		return $is_ascii ? $lower : self::to_ascii_by_wordpress( $lower );
	}

	/**
	 * Converts each label separately, as the panel does: the bidi rule must not apply across labels.
	 */
	private static function to_ascii_by_intl( string $host ): ?string {
		$labels = array_map( [ self::class, 'label_to_ascii' ], preg_split( '/[.。．｡]/u', $host ) );
		return in_array( null, $labels, true ) ? null : implode( '.', $labels );
	}

	private static function label_to_ascii( string $label ): ?string {
		if ( '' === $label ) {
			return '';
		}
		$options = IDNA_NONTRANSITIONAL_TO_ASCII | IDNA_CHECK_BIDI | IDNA_CHECK_CONTEXTJ;
		// The URL standard allows what these ICU rules forbid. canonical() validates the result.
		$allowed_errors = IDNA_ERROR_EMPTY_LABEL | IDNA_ERROR_LABEL_TOO_LONG | IDNA_ERROR_DOMAIN_NAME_TOO_LONG
			| IDNA_ERROR_LEADING_HYPHEN | IDNA_ERROR_TRAILING_HYPHEN | IDNA_ERROR_HYPHEN_3_4;

		$info = [];
		// Before Unicode 15.1 a capital ẞ mapped to ss, and many servers have an older ICU.
		idn_to_ascii( str_replace( 'ẞ', 'ß', $label ), $options, INTL_IDNA_VARIANT_UTS46, $info );
		if ( ! isset( $info['result'], $info['errors'] ) || 0 !== ( $info['errors'] & ~$allowed_errors ) ) {
			return null;
		}
		// ICU 67 turns a bare xn-- into an empty label, which would produce another host.
		return '' === $info['result'] && preg_match( '/\p{Pd}/u', $label ) ? null : $info['result'];
	}

	private static function to_ascii_by_wordpress( string $host ): ?string {
		// WordPress 6.2 renamed the class and logs a deprecation for the old name.
		$encoder = class_exists( 'WpOrg\Requests\IdnaEncoder' ) ? 'WpOrg\Requests\IdnaEncoder' : 'Requests_IDNAEncoder';
		$lower   = self::lower_case( $host );
		if ( ! class_exists( $encoder ) || ! preg_match( self::UNMAPPED_LETTERS, $lower ) ) {
			return null;
		}
		try {
			return $encoder::encode( $lower );
		} catch ( \Exception $invalid_label ) {
			return null;
		}
	}

	private static function lower_case( string $host ): string {
		if ( ! function_exists( 'mb_strtolower' ) ) {
			return $host;
		}
		// Converts each letter separately: PHP 8.3 maps a capital sigma at the end of a word to a final sigma.
		return preg_replace_callback(
			'/\p{Lu}/u',
			static function ( array $match ): string {
				return mb_strtolower( $match[0], 'UTF-8' );
			},
			$host
		);
	}
}
