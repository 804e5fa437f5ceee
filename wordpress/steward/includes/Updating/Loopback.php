<?php
/**
 * @package Steward
 */

namespace Steward\Updating;

use Throwable;
use WP_Error;

defined( 'ABSPATH' ) || exit;

/** HTTP requests of the site to itself. */
final class Loopback {

	private const WAIT_SECONDS = 0.5;

	/** @return array|WP_Error */
	public static function request( string $url, array $args ) {
		return wp_remote_request(
			$url,
			$args + [
				// Do not follow redirects: callers inspect them, and the password must not be sent to another host.
				'redirection' => 0,
				'headers'     => self::headers(),
				'sslverify'   => apply_filters( 'https_local_ssl_verify', false ),
			]
		);
	}

	/**
	 * Sends requests in parallel with the Requests library of WordPress. The HTTP API of WordPress sends one at a time.
	 *
	 * @param array<string, array{url: string, is_signed_in: bool}> $requests Requests by key.
	 * @return array<string, array{status: int, failure: string, location: string, body: string}>
	 */
	public static function get_all( array $requests, int $timeout_seconds ): array {
		[ $library, $hooks_class ] = class_exists( '\WpOrg\Requests\Requests' )
			? [ '\WpOrg\Requests\Requests', '\WpOrg\Requests\Hooks' ]
			: [ '\Requests', '\Requests_Hooks' ];

		$hooks = new $hooks_class();
		// Some hosts disable functions of curl.
		if ( function_exists( 'curl_multi_select' ) ) {
			$hooks->register( 'curl.before_multi_exec', [ self::class, 'wait_for_all' ] );
		}
		$responses = $library::request_multiple(
			array_map(
				static function ( array $request ): array {
					// This cookie is no valid login. It stops page caches from storing the page for visitors.
					$cookie = $request['is_signed_in'] ? [ 'Cookie' => 'wordpress_logged_in_steward=1' ] : [];
					return [
						'url'     => $request['url'],
						'headers' => self::headers() + $cookie,
					];
				},
				$requests
			),
			[
				'timeout'          => $timeout_seconds,
				'connect_timeout'  => $timeout_seconds,
				'follow_redirects' => false,
				'verify'           => apply_filters( 'https_local_ssl_verify', false ) ? ABSPATH . WPINC . '/certificates/ca-bundle.crt' : false,
				'useragent'        => 'Steward; ' . home_url(),
				'hooks'            => $hooks,
			]
		);
		return array_map( [ self::class, 'to_array' ], $responses );
	}

	/**
	 * Waits for the responses before the library does: the library asks for them in a loop without a pause, which takes
	 * the processor from the pages that it waits for.
	 *
	 * @internal Called by the library.
	 * @param \CurlMultiHandle|resource $requests
	 */
	public static function wait_for_all( $requests ): void {
		do {
			$status = curl_multi_exec( $requests, $active );
			if ( $active ) {
				curl_multi_select( $requests, self::WAIT_SECONDS );
			}
		} while ( $active && CURLM_OK === $status );
	}

	/** @param object $response Response of the library, or an exception. */
	private static function to_array( $response ): array {
		if ( $response instanceof Throwable ) {
			return [
				'status'   => 0,
				'failure'  => $response->getMessage(),
				'location' => '',
				'body'     => '',
			];
		}
		return [
			'status'   => (int) $response->status_code,
			'failure'  => '',
			'location' => (string) ( $response->headers['location'] ?? '' ),
			'body'     => (string) $response->body,
		];
	}

	private static function headers(): array {
		return [ 'Cache-Control' => 'no-cache' ] + self::basic_authorization();
	}

	/** Repeats the HTTP basic authentication of the current request, which staging sites often require. */
	private static function basic_authorization(): array {
		if ( ! isset( $_SERVER['PHP_AUTH_USER'], $_SERVER['PHP_AUTH_PW'] ) ) {
			return [];
		}
		$login = wp_unslash( $_SERVER['PHP_AUTH_USER'] ) . ':' . wp_unslash( $_SERVER['PHP_AUTH_PW'] ); // phpcs:ignore WordPress.Security
		return [ 'Authorization' => 'Basic ' . base64_encode( $login ) ];
	}
}
