<?php
/**
 * @package Steward
 */

namespace Steward\Watchdog;

defined( 'ABSPATH' ) || exit;

/** Counts, for each block and shortcode of a checked page, how often it had visible output. Keeps no output. */
final class Page_Outputs {

	private const MAX_NAMES = 100;
	/** Elements that are visible without text. */
	private const MEDIA = '/<(?:img|picture|video|audio|iframe|canvas|svg|input|button|select|textarea|object|embed|hr)\b/i';

	/** @var array<string, int> */
	private $counts = [];

	public function watch(): void {
		add_filter( 'render_block', [ $this, 'count_block' ], PHP_INT_MAX, 2 );
		add_filter( 'do_shortcode_tag', [ $this, 'count_shortcode' ], PHP_INT_MAX, 2 );
	}

	/**
	 * @param mixed $content Output.
	 * @param array $block   Parsed block.
	 * @return mixed
	 */
	public function count_block( $content, $block ) {
		$this->count( (string) ( is_array( $block ) ? $block['blockName'] ?? '' : '' ), $content );
		return $content;
	}

	/**
	 * @param mixed  $output Output.
	 * @param string $name   Name of the shortcode.
	 * @return mixed
	 */
	public function count_shortcode( $output, $name ) {
		$this->count( "[$name]", $output );
		return $output;
	}

	/** @return array<string, int> Number of visible outputs by block or shortcode. */
	public function counts(): array {
		return $this->counts;
	}

	/** @param mixed $output Output. */
	private function count( string $name, $output ): void {
		if ( '' === $name || ! is_scalar( $output ) || ( count( $this->counts ) >= self::MAX_NAMES && ! isset( $this->counts[ $name ] ) ) ) {
			return;
		}
		$visible               = (string) preg_replace( '~<(script|style)\b.*?</\1>~is', '', (string) $output );
		$is_visible            = preg_match( self::MEDIA, $visible ) || '' !== trim( strip_tags( $visible ) );
		$this->counts[ $name ] = ( $this->counts[ $name ] ?? 0 ) + ( $is_visible ? 1 : 0 );
	}
}
