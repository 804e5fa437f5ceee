<?php
/**
 * @package Steward
 */

namespace Steward\Rest;

use Steward\Connection;
use Steward\Updating\Loopback;
use WP;

defined( 'ABSPATH' ) || exit;

/**
 * Where our routes answer: at cms-json/…, at the site's own prefix (wp-json/…), and with ?rest_route=….
 *
 * The path is looked at here rather than with a rewrite rule, so that it works with plain permalinks too and needs no
 * rules to be flushed.
 */
final class Rest_Address {

	const PREFIX = 'cms-json';

	public function register(): void {
		// Before WordPress looks whether this is a REST request, at 10.
		add_action( 'parse_request', [ $this, 'recognise' ], 5 );
	}

	public function recognise( WP $wp ): void {
		$route = self::route_in_path();
		if ( null !== $route ) {
			$wp->query_vars['rest_route'] = $route;
		}
	}

	/** Whether this request is for a route that begins so, told before WordPress looks at it. */
	public static function is_asked_for( string $prefix ): bool {
		$in_query = $_GET['rest_route'] ?? ''; // phpcs:ignore WordPress.Security
		$route    = self::route_in_path() ?? ( is_string( $in_query ) ? wp_unslash( $in_query ) : '' );
		return 0 === stripos( $route, $prefix );
	}

	private static function route_in_path(): ?string {
		$path   = (string) wp_parse_url( (string) ( $_SERVER['REQUEST_URI'] ?? '' ), PHP_URL_PATH ); // phpcs:ignore WordPress.Security
		$home   = trim( (string) wp_parse_url( home_url(), PHP_URL_PATH ), '/' );
		$prefix = self::PREFIX . '|' . preg_quote( rest_get_url_prefix(), '#' );
		$start  = '' === $home ? '' : preg_quote( $home, '#' ) . '/';
		return preg_match( "#^/+{$start}(?:index\.php/)?(?:{$prefix})(/service/v1/.*)$#", $path, $match ) ? $match[1] : null;
	}

	/** The first address that really answers, seen from here; WordPress's own opinion when none can be tried. */
	public static function working(): string {
		$addresses = array_unique( [
			home_url( self::PREFIX . '/' . Remote_Routes::NAMESPACE . '/' ),
			rest_url( Remote_Routes::NAMESPACE . '/' ),
			home_url( '/?rest_route=/' . Remote_Routes::NAMESPACE . '/' ),
			// A headless site: its pages are made elsewhere, and WordPress has a host of its own.
			site_url( self::PREFIX . '/' . Remote_Routes::NAMESPACE . '/' ),
			site_url( '/index.php?rest_route=/' . Remote_Routes::NAMESPACE . '/' ),
		] );
		foreach ( $addresses as $address ) {
			if ( self::answers( $address ) ) {
				return $address;
			}
		}
		// What worked before still counts: that the site could not ask itself says nothing about it.
		$known = (string) Connection::state()['endpoint_url'];
		$hosts = [ wp_parse_url( home_url(), PHP_URL_HOST ), wp_parse_url( site_url(), PHP_URL_HOST ) ];
		return in_array( wp_parse_url( $known, PHP_URL_HOST ), $hosts, true ) ? $known : rest_url( Remote_Routes::NAMESPACE . '/' );
	}

	/** Some servers answer any address with 200 and the home page: only our own refusal is an answer. */
	private static function answers( string $address ): bool {
		$response = Loopback::request(
			$address . 'remote/sync',
			[
				'method'  => 'POST',
				'timeout' => 5,
			]
		);
		$body = json_decode( wp_remote_retrieve_body( $response ), true );
		return 401 === wp_remote_retrieve_response_code( $response )
			&& is_array( $body )
			&& 'invalid_service_key' === ( $body['code'] ?? '' );
	}
}
