<?php
/**
 * @package Steward
 */

namespace Steward\Watchdog;

defined( 'ABSPATH' ) || exit;

/**
 * Removes values from error messages: they may be passwords, tokens or data of visitors. What remains is the text that a
 * programmer wrote. In doubt, text is removed.
 */
final class Error_Message {

	private const MAX_CHARACTERS = 200;
	/** A message can contain a whole document. What is cut off here never gets into the result. */
	private const MAX_BYTES      = 4000;
	private const NO_MESSAGE     = 'Error without a message';
	private const VALUE          = '…';

	public static function redact( string $message, string $type, string $slug ): string {
		// The end of the message of an exception: "… in /path/file.php:12", and the trace. The place says the same.
		$text = substr( explode( "\nStack trace:\n", $message, 2 )[0], 0, self::MAX_BYTES );
		$text = (string) preg_replace( '/ in \S[^\n]*\.php(\(\d+\) : eval\(\)\'d code)?:\d+\s*$/D', '', self::to_valid_text( $text ) );
		$text = html_entity_decode( self::to_valid_text( $text ), ENT_QUOTES | ENT_HTML5, 'UTF-8' );
		$text = (string) preg_replace( '/[\x00-\x1f\x7f]+/', ' ', $text );
		// The rest of a multi-line value, and of code, has no end that can be recognized.
		$text = (string) preg_replace( '/<<<.*|-----BEGIN.*/s', self::VALUE, $text );
		$text = self::redact_paths( $text, $type, $slug );
		$text = self::redact_quoted( $text );
		$text = (string) preg_replace( '~[a-z][a-z0-9+.-]*://\S+|\bwww\.\S+|\b(data|mailto|tel):\S+~i', '[url]', $text );
		$text = (string) preg_replace( '/\S+@\S+/u', '[email]', $text );
		$text = (string) preg_replace( '/\b(bearer|basic|digest)\s+\S+/i', '$1 ' . self::VALUE, $text );
		$text = (string) preg_replace( '/((?:pass(?:word|wd|phrase)?|pwd|kennwort|passwort|secret|token|nonce|key|auth\w*|cookie|session|user(?:name)?|login)\w*\s*[:=]\s*)\S+/iu', '$1' . self::VALUE, $text );
		$text = (string) preg_replace( '/([\w\]]+\s?=>?\s?)(?![\s>=])\S+/u', '$1' . self::VALUE, $text );
		$text = (string) preg_replace_callback( '/\S+/u', [ self::class, 'redact_word' ], $text );
		$text = self::cut( trim( (string) preg_replace( '/\s+/u', ' ', $text ) ), self::MAX_CHARACTERS );
		return '' === $text ? self::NO_MESSAGE : $text;
	}

	/** Redacts values in the name of a file, such as a cache key. */
	public static function redact_path( string $path ): string {
		$path = (string) preg_replace( '~[^/]*@[^/]*~', self::VALUE, self::to_valid_text( $path ) );
		$path = (string) preg_replace( '/[0-9a-f]{12,}|\d{5,}/i', self::VALUE, $path );
		return (string) preg_replace( '/[\x00-\x1f\x7f]+/', ' ', $path );
	}

	/** Cuts between characters. */
	public static function cut( string $text, int $characters ): string {
		return preg_match( '/^.{0,' . $characters . '}/us', $text, $match ) ? $match[0] : '';
	}

	private static function to_valid_text( string $text ): string {
		return preg_match( '//u', $text ) ? $text : (string) preg_replace( '/[\x80-\xff]+/', '?', $text );
	}

	/** Keeps the paths of files in the item, relative to it, and replaces all others. */
	private static function redact_paths( string $text, string $type, string $slug ): string {
		$text  = str_replace( '\\/', '/', $text );
		$roots = [];
		if ( Item_Finder::PLUGIN === $type && false !== strpos( $slug, '/' ) ) {
			$roots[] = WP_PLUGIN_DIR . '/' . dirname( $slug );
		} elseif ( Item_Finder::THEME === $type ) {
			foreach ( array_merge( [ WP_CONTENT_DIR . '/themes' ], (array) ( $GLOBALS['wp_theme_directories'] ?? [] ) ) as $root ) {
				$roots[] = $root . '/' . $slug;
			}
		} elseif ( Item_Finder::CORE === $type ) {
			$roots[] = ABSPATH . WPINC;
		}
		foreach ( $roots as $root ) {
			foreach ( array_filter( [ (string) @realpath( $root ), $root ] ) as $path ) {
				// Without its quotes, a path of the item stays readable.
				$text = (string) preg_replace( '~([\'"]?)' . preg_quote( $path, '~' ) . '/([\w./-]+\.\w+)\1~', ' $2 ', $text );
			}
		}
		// These can contain spaces.
		foreach ( array_filter( [ WP_CONTENT_DIR, ABSPATH, (string) @realpath( ABSPATH ) ] ) as $root ) {
			$text = str_replace( rtrim( $root, '/\\' ) . '/', '/site/', $text );
		}
		return (string) preg_replace( '~(?<![\w/.:<])(?:[A-Za-z]:)?(?:\\\\\\\\|[\\\\/])[^\s\'"`:;,()\\\\/<>]+(?:[\\\\/][^\s\'"`:;,()<>]*)+~u', '[path]', $text );
	}

	/** Replaces quoted values. If it is unclear where one ends, replaces everything from the first to the last quote. */
	private static function redact_quoted( string $text ): string {
		// The typographic quotes of all languages open and close in different ways.
		$text = (string) preg_replace( '/[„“”‟«»‹›「」『』〝〞].*[„“”‟«»‹›「」『』〝〞]/us', self::VALUE, $text );
		$text = (string) preg_replace( '/[„“”‟«»‹›「」『』〝〞].*/us', self::VALUE, $text );
		$text = str_replace( [ '‚', '‘', '’', '‛', '´' ], "'", $text );
		$text = (string) preg_replace( "/(?<=[a-z])'(?=(?:t|s|re|ve|ll|d|m)\\b(?!'))/i", '’', $text, -1, $contractions );
		foreach ( [ "'", '"', '`' ] as $quote ) {
			$count = substr_count( $text, $quote );
			if ( 0 === $count ) {
				continue;
			}
			$is_clear = 0 === $contractions && 0 === $count % 2 && false === strpos( $text, '\\' . $quote )
				&& $count / 2 === preg_match_all( "/(?<![\\pL\\pN_])$quote" . "[^$quote]*$quote(?![\\pL\\pN_])/u", $text );
			if ( $is_clear ) {
				$text = (string) preg_replace( "/{$quote}[^$quote]*$quote/u", self::VALUE, $text );
			} else {
				$text = 1 === $count || 1 === $count % 2
					? (string) preg_replace( "/$quote.*/us", self::VALUE, $text )
					: (string) preg_replace( "/$quote.*$quote/us", self::VALUE, $text );
			}
		}
		return $text;
	}

	/** @param string[] $match A word without spaces. */
	private static function redact_word( array $match ): string {
		$word = $match[0];
		// Names of functions and classes: shop_price(), Shop\Cart::total(), $price.
		if ( preg_match( '/^[(\[]?(?:\$|[A-Za-z_][\w\\\\]*(?:::|->)\$?|[A-Za-z_]\w*\\\\)?[A-Za-z_][\w\\\\]{0,79}(\(\))?[)\].,:;]*$/', $word ) ) {
			$is_code = false !== strpbrk( $word, '(:$' ) || false !== strpos( $word, '\\' ) || preg_match( '/^[\[(]?[A-Za-z]{1,24}(_[A-Za-z]{1,24})*[)\].,:;]*$/', $word );
			if ( $is_code && ! self::looks_random( $word ) ) {
				return self::hide_digits( $word );
			}
			return self::VALUE;
		}
		$is_long   = strlen( $word ) > 40;
		$has_both  = preg_match( '/\pL/u', $word ) && preg_match( '/\d/', $word );
		$is_file   = preg_match( '~^[\w-]+(?:/[\w-]+)*\.(?:php|inc|phtml|html|twig|js|css|json)[).,:;]*$~', $word );
		$is_secret = ( $is_long || $has_both || false !== strpbrk( $word, '%=+&|' ) || preg_match( '/[0-9a-f]*:[0-9a-f]*:[0-9a-f:.]*/i', $word ) || self::looks_random( $word ) ) && ! $is_file;
		return $is_secret && '[' !== $word[0] ? self::VALUE : self::hide_digits( $word );
	}

	private static function hide_digits( string $word ): string {
		return (string) preg_replace( '/\d+/', 'N', $word );
	}

	/** Whether upper and lower case alternate as in a token, or the word has no vowels as few words have. */
	private static function looks_random( string $word ): bool {
		foreach ( preg_split( '/[^A-Za-z0-9]+/', $word ) as $part ) {
			$length = strlen( $part );
			if ( $length >= 16 ) {
				$changes = preg_match_all( '/[a-z][A-Z]|[A-Z][A-Z][a-z]|[A-Za-z]\d|\d[A-Za-z]/', $part );
				if ( $changes > $length / 5 || $length > 40 || ! preg_match( '/[aeiou]/i', $part ) || preg_match( '/[^aeiouy\d]{7}/i', $part ) ) {
					return true;
				}
			} elseif ( $length >= 8 && preg_match_all( '/[A-Za-z]\d|\d[A-Za-z]/', $part ) >= 3 ) {
				return true;
			}
		}
		return (bool) preg_match( '/\b(?:sk|pk|rk)_(?:live|test)|ghp_|xox[abp]|AKIA/', $word );
	}
}
