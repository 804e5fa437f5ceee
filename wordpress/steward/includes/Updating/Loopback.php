<?php
/**
 * @package Steward
 */

namespace Steward\Updating;

use Throwable;
use WP_Error;

defined( 'ABSPATH' ) || exit;

/** Requests of the site to itself. */
final class Loopback {

	/** @return array|WP_Error */
	public static function request( string $url, array $args ) {
		return wp_remote_request(
			$url,
			$args + [
				// What we look for stands in the redirect itself; elsewhere our password has no business.
				'redirection' => 0,
				'headers'     => self::headers(),
				'sslverify'   => apply_filters( 'https_local_ssl_verify', false ),
			]
		);
	}

	/**
	 * Several at once, with the library that WordPress makes its requests with; by itself it makes one at a time.
	 *
	 * @param array<string, array{url: string, is_signed_in: bool}> $requests By any name.
	 * @return array<string, array{status: int, failure: string, location: string, body: string}>
	 */
	public static function get_all( array $requests, int $timeout_seconds ): array {
		$library   = class_exists( '\WpOrg\Requests\Requests' ) ? '\WpOrg\Requests\Requests' : '\Requests';
		$responses = $library::request_multiple(
			array_map(
				static function ( array $request ): array {
					// Worth nothing, but it keeps caches from storing the page for visitors.
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
			]
		);
		return array_map( [ self::class, 'plain' ], $responses );
	}

	/** @param object $response What the library gives: a response, or what it threw. */
	private static function plain( $response ): array {
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

	/** Test sites are often behind a password, which the panel had to send as well. */
	private static function basic_authorization(): array {
		if ( ! isset( $_SERVER['PHP_AUTH_USER'], $_SERVER['PHP_AUTH_PW'] ) ) {
			return [];
		}
		$login = wp_unslash( $_SERVER['PHP_AUTH_USER'] ) . ':' . wp_unslash( $_SERVER['PHP_AUTH_PW'] ); // phpcs:ignore WordPress.Security
		return [ 'Authorization' => 'Basic ' . base64_encode( $login ) ];
	}
}
