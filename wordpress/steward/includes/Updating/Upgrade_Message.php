<?php
/**
 * @package Steward
 */

namespace Steward\Updating;

use Steward\Watchdog\Files;
use WP_Error;

defined( 'ABSPATH' ) || exit;

/** Makes one line of plain text of whatever WordPress has to say. */
final class Upgrade_Message {

	private const LONGEST = 500;

	/** @param mixed $result An error, or one of the many things that are not success. */
	public static function of( $result ): string {
		if ( is_wp_error( $result ) ) {
			$text = self::of_error( $result );
		} elseif ( is_string( $result ) && '' !== $result ) {
			$text = $result;
		} else {
			$text = __( 'WordPress gave no reason.', 'steward' );
		}
		$text = trim( (string) preg_replace( '/\s+/', ' ', wp_strip_all_tags( Files::short( $text ) ) ) );
		return wp_html_excerpt( $text, self::LONGEST, '…' );
	}

	/** Of a package that cannot be read, the message says only "incompatible"; why, stands in the data. */
	private static function of_error( WP_Error $error ): string {
		$data = $error->get_error_data();
		return $error->get_error_message() . ( is_string( $data ) && '' !== $data ? ' ' . $data : '' );
	}
}
