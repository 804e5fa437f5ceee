<?php
/**
 * @package Steward
 */

namespace Steward\Updating;

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
				'headers'     => [ 'Cache-Control' => 'no-cache' ] + self::basic_authorization(),
				'sslverify'   => apply_filters( 'https_local_ssl_verify', false ),
			]
		);
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
