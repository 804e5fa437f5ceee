<?php
/**
 * @package Steward
 */

namespace Steward\Panel;

use WP_Error;

defined( 'ABSPATH' ) || exit;

/** HTTP client for the license API of the panel. */
final class Panel_Client {

	/** The panel is unreachable, overloaded or has an internal error, so there is no verdict. */
	const UNAVAILABLE = 'steward_panel_unavailable';

	private const TIMEOUT_SECONDS = 30;

	/**
	 * @param string   $panel_url Base address of the panel.
	 * @param string   $path      Path such as license/check.
	 * @param array    $body      Request body.
	 * @param string[] $expected  Required fields of the response.
	 * @return array|WP_Error The response body. On refusal: an error with the code of the panel, and the response body as data.
	 */
	public static function post( string $panel_url, string $path, array $body, array $expected ) {
		$response = wp_remote_post(
			untrailingslashit( $panel_url ) . '/api/v1/' . $path,
			[
				'timeout'     => self::TIMEOUT_SECONDS,
				// Do not follow redirects: the key must be sent only to the address that the user entered.
				'redirection' => 0,
				'headers'     => [ 'Content-Type' => 'application/json', 'Accept' => 'application/json' ],
				'body'        => (string) wp_json_encode( $body ),
			]
		);
		if ( is_wp_error( $response ) ) {
			/* translators: %s: Error message. */
			return new WP_Error( self::UNAVAILABLE, sprintf( __( 'The panel could not be reached: %s. Check the address, and that the panel is running.', 'steward' ), rtrim( $response->get_error_message(), '.' ) ) );
		}
		return self::parse( (int) wp_remote_retrieve_response_code( $response ), wp_remote_retrieve_body( $response ), $expected );
	}

	/** @return array|WP_Error */
	private static function parse( int $status, string $text, array $expected ) {
		$body = json_decode( $text, true );
		$body = is_array( $body ) ? $body : [];
		if ( 200 === $status && true === ( $body['success'] ?? null ) && [] === array_diff( $expected, array_keys( $body ) ) ) {
			return $body;
		}
		$is_refusal = $status >= 400 && $status < 500 && 429 !== $status
			&& is_string( $body['code'] ?? null ) && is_string( $body['error'] ?? null );
		if ( $is_refusal ) {
			return new WP_Error( $body['code'], wp_strip_all_tags( $body['error'] ), $body );
		}
		$message = 200 === $status || ( $status >= 300 && $status < 500 && 429 !== $status )
			? __( 'The response is not from a Steward panel. Check the panel address.', 'steward' )
			/* translators: %d: HTTP status code. */
			: sprintf( __( 'The panel responded with status %d. Try again later.', 'steward' ), $status );
		return new WP_Error( self::UNAVAILABLE, $message );
	}
}
