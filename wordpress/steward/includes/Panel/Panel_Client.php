<?php
/**
 * @package Steward
 */

namespace Steward\Panel;

use WP_Error;

defined( 'ABSPATH' ) || exit;

/** Asks the panel's license service. */
final class Panel_Client {

	/** The panel gave no verdict: it cannot be reached, is overloaded, or is at fault itself. */
	const UNAVAILABLE = 'steward_panel_unavailable';

	private const TIMEOUT_SECONDS = 30;

	/**
	 * @param string   $panel_url Base address of the panel.
	 * @param string   $path      Such as license/check.
	 * @param array    $body      What to send.
	 * @param string[] $expected  Fields without which an answer is none.
	 * @return array|WP_Error The answer; or a refusal, whose code is the panel's and whose data is its body.
	 */
	public static function post( string $panel_url, string $path, array $body, array $expected ) {
		$response = wp_remote_post(
			untrailingslashit( $panel_url ) . '/api/v1/' . $path,
			[
				'timeout'     => self::TIMEOUT_SECONDS,
				// The key goes to the address that was entered, and nowhere else.
				'redirection' => 0,
				'headers'     => [ 'Content-Type' => 'application/json', 'Accept' => 'application/json' ],
				'body'        => (string) wp_json_encode( $body ),
			]
		);
		if ( is_wp_error( $response ) ) {
			/* translators: %s: Error message. */
			return new WP_Error( self::UNAVAILABLE, sprintf( __( 'The panel could not be reached: %s.', 'steward' ), rtrim( $response->get_error_message(), '.' ) ) );
		}
		return self::read( (int) wp_remote_retrieve_response_code( $response ), wp_remote_retrieve_body( $response ), $expected );
	}

	/** @return array|WP_Error */
	private static function read( int $status, string $text, array $expected ) {
		$answer = json_decode( $text, true );
		$answer = is_array( $answer ) ? $answer : [];
		if ( 200 === $status && true === ( $answer['success'] ?? null ) && [] === array_diff( $expected, array_keys( $answer ) ) ) {
			return $answer;
		}
		$is_refusal = $status >= 400 && $status < 500 && 429 !== $status
			&& is_string( $answer['code'] ?? null ) && is_string( $answer['error'] ?? null );
		if ( $is_refusal ) {
			return new WP_Error( $answer['code'], wp_strip_all_tags( $answer['error'] ), $answer );
		}
		$message = 200 === $status || ( $status >= 300 && $status < 500 && 429 !== $status )
			? __( 'There is no Steward panel at this address.', 'steward' )
			/* translators: %d: HTTP status code. */
			: sprintf( __( 'The panel answered with status %d. Try again later.', 'steward' ), $status );
		return new WP_Error( self::UNAVAILABLE, $message );
	}
}
