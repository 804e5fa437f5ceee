<?php
/**
 * @package Steward
 */

namespace Steward\Updating;

use Steward\Watchdog\Files;
use WP_Error;

defined( 'ABSPATH' ) || exit;

/** Converts an upgrader result to one line of plain text. */
final class Plain_Error_Text {

	private const MAX_LENGTH = 500;

	/** @param mixed $result An error or any other failed result of an upgrader. */
	public static function from( $result ): string {
		if ( is_wp_error( $result ) ) {
			$text = self::describe_error( $result );
		} elseif ( is_string( $result ) && '' !== $result ) {
			$text = $result;
		} else {
			$text = __( 'WordPress gave no reason.', 'steward' );
		}
		$text = trim( (string) preg_replace( '/\s+/', ' ', wp_strip_all_tags( Files::shorten_paths( $text ) ) ) );
		return wp_html_excerpt( $text, self::MAX_LENGTH, '…' );
	}

	/** Appends the data of the error: for an unreadable package only the data contains the reason. */
	private static function describe_error( WP_Error $error ): string {
		$data = $error->get_error_data();
		return $error->get_error_message() . ( is_string( $data ) && '' !== $data ? ' ' . $data : '' );
	}
}
