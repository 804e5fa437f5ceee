<?php
/**
 * @package Steward
 */

namespace Steward\Health;

defined( 'ABSPATH' ) || exit;

/**
 * What a person reads on a page: its title, its first heading, and the words of its parts. Kept in memory only, never stored
 * or sent.
 */
final class Page_Text {

	/** Longer pages are compared by their first part. */
	private const MAX_BYTES = 1048576;
	private const MIN_WORDS = 20;
	/** A part with fewer words than this share of before has lost its text. */
	private const MIN_PART_SHARE = 0.2;
	private const MIN_PART_WORDS = 3;
	/** Not visible. */
	private const HIDDEN_ELEMENTS = [ 'script', 'style', 'noscript', 'template', 'svg' ];

	/** @var string */
	public $title;

	/** @var string */
	public $heading;

	/** @var array<string, int> Number of occurrences by word. */
	private $words;

	/** @var array<string, array<string, int>> Words before, in and after the main element. Empty: there is no such element. */
	private $parts = [];

	/** @param string $body HTML, a feed or JSON. */
	public function __construct( string $body ) {
		$html          = self::remove_hidden( substr( $body, 0, self::MAX_BYTES ) );
		$this->title   = self::to_text( self::first_element( $html, 'title' ) );
		$this->heading = self::to_text( self::first_element( $html, 'h1' ) );
		$this->words   = self::count_words( $html );
		$start         = self::find_tag( $html, 'main', 0 );
		$end           = strripos( $html, '</main' );
		if ( false !== $start && false !== $end && $start < $end ) {
			$this->parts = [
				'header' => self::count_words( substr( $html, 0, $start ) ),
				'main'   => self::count_words( substr( $html, $start, $end - $start ) ),
				'footer' => self::count_words( substr( $html, $end ) ),
			];
		}
	}

	/**
	 * Returns the share of words in common with an earlier text, from 0 to 1. The main part counts alone if it is less
	 * similar: on many pages, most words belong to menus.
	 */
	public function similarity( self $before ): float {
		$similarity = self::compare( $before->words, $this->words );
		if ( isset( $before->parts['main'] ) ) {
			$similarity = min( $similarity, self::compare( $before->parts['main'], $this->parts['main'] ?? $this->words ) );
		}
		return $similarity;
	}

	/** Returns the part that has lost its text: `header`, `main` or `footer`, or ''. */
	public function find_emptied_part( self $before ): string {
		foreach ( [] === $this->parts ? [] : $before->parts as $name => $words ) {
			$count = array_sum( $words );
			if ( $count >= self::MIN_PART_WORDS && array_sum( $this->parts[ $name ] ) < $count * self::MIN_PART_SHARE ) {
				return $name;
			}
		}
		return '';
	}

	/** The share of words that are still there: a long notice or a comment does not count. 1 if there were too few words to tell. */
	private static function compare( array $before, array $after ): float {
		$total = array_sum( $before );
		if ( $total < self::MIN_WORDS ) {
			return 1.0;
		}
		$common = 0;
		foreach ( array_intersect_key( $before, $after ) as $word => $count ) {
			$common += min( $count, $after[ $word ] );
		}
		return $common / $total;
	}

	/** @return array<string, int> */
	private static function count_words( string $html ): array {
		$text = self::to_text( $html );
		// Only letters: numbers and dates change without a reason. A character of a script without spaces counts as a word.
		$found = preg_match_all( '/[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]|[\p{L}\p{M}]{2,}/u', $text, $match );
		if ( false === $found ) {
			preg_match_all( '/[a-z\x80-\xff]{2,}/i', $text, $match );
		}
		return array_diff_key( array_count_values( $match[0] ), self::names_of_days_and_months() );
	}

	private static function to_text( string $html ): string {
		$text = strip_tags( str_replace( [ '<', '\u003C' ], ' <', $html ) );
		$text = html_entity_decode( $text, ENT_QUOTES | ENT_HTML5, 'UTF-8' );
		$text = function_exists( 'mb_strtolower' ) ? mb_strtolower( $text, 'UTF-8' ) : strtolower( $text );
		return trim( (string) ( preg_replace( '/\s+/u', ' ', $text ) ?? $text ) );
	}

	private static function remove_hidden( string $html ): string {
		foreach ( self::HIDDEN_ELEMENTS as $name ) {
			$visible = '';
			$from    = 0;
			$start   = self::find_tag( $html, $name, $from );
			while ( false !== $start ) {
				$visible .= substr( $html, $from, $start - $from );
				$end      = stripos( $html, "</$name", $start );
				$from     = false === $end ? strlen( $html ) : $end;
				$start    = self::find_tag( $html, $name, $from );
			}
			$html = $visible . substr( $html, $from );
		}
		return $html;
	}

	private static function first_element( string $html, string $name ): string {
		$start = self::find_tag( $html, $name, 0 );
		$end   = false === $start ? false : stripos( $html, "</$name", $start );
		return false === $end ? '' : substr( $html, $start, $end - $start );
	}

	/** @return int|false */
	private static function find_tag( string $html, string $name, int $from ) {
		$start = stripos( $html, "<$name", $from );
		while ( false !== $start && '' !== trim( $html[ $start + strlen( $name ) + 1 ] ?? '', " \t\r\n/>" ) ) {
			$start = stripos( $html, "<$name", $start + 1 );
		}
		return $start;
	}

	/** @return array<string, true> */
	private static function names_of_days_and_months(): array {
		static $names = null;
		if ( null === $names ) {
			$locale = $GLOBALS['wp_locale'] ?? null;
			$lists  = null === $locale ? [] : [ $locale->month, $locale->month_genitive, $locale->month_abbrev, $locale->weekday, $locale->weekday_abbrev ];
			$names  = [];
			foreach ( array_merge( [], ...array_map( 'array_values', $lists ) ) as $name ) {
				$names[ self::to_text( $name ) ] = true;
			}
		}
		return $names;
	}
}
