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
 * The addresses of our routes: cms-json/…, the site's own prefix (wp-json/…) and ?rest_route=….
 *
 * Does not use a rewrite rule: matching the path works with plain permalinks and needs no flush of the rules.
 */
final class Rest_Address {

	const PREFIX = 'cms-json';

	public function register(): void {
		// WordPress detects REST requests at priority 10.
		add_action( 'parse_request', [ $this, 'set_route' ], 5 );
	}

	public function set_route( WP $wp ): void {
		$route = self::route_in_path();
		if ( null !== $route ) {
			$wp->query_vars['rest_route'] = $route;
		}
	}

	/** Whether the route of this request starts with the prefix. Works before WordPress parses the request. */
	public static function is_request_for( string $prefix ): bool {
		$in_query = $_GET['rest_route'] ?? ''; // phpcs:ignore WordPress.Security
		$route    = self::route_in_path() ?? ( is_string( $in_query ) ? wp_unslash( $in_query ) : '' );
		return 0 === stripos( $route, $prefix );
	}

	private static function route_in_path(): ?string {
		$path   = (string) wp_parse_url( (string) ( $_SERVER['REQUEST_URI'] ?? '' ), PHP_URL_PATH ); // phpcs:ignore WordPress.Security
		$prefix = self::PREFIX . '|' . preg_quote( rest_get_url_prefix(), '#' );
		// Also the folder of the address under which the site was connected: the panel must learn that the site has moved.
		$folders = [];
		foreach ( [ home_url(), (string) Connection::state()['site_url'] ] as $address ) {
			$folder    = trim( (string) wp_parse_url( $address, PHP_URL_PATH ), '/' );
			$folders[] = '' === $folder ? '' : preg_quote( $folder, '#' ) . '/';
		}
		$start = implode( '|', array_unique( $folders ) );
		return preg_match( "#^/+(?:{$start})(?:index\.php/)?(?:{$prefix})(/service/v1/.*)$#", $path, $match ) ? $match[1] : null;
	}

	/** Returns the first address that responds to a loopback request, else the last known or the default address. */
	public static function find_working_url(): string {
		$addresses = array_unique( [
			home_url( self::PREFIX . '/' . Remote_Routes::NAMESPACE . '/' ),
			rest_url( Remote_Routes::NAMESPACE . '/' ),
			home_url( '/?rest_route=/' . Remote_Routes::NAMESPACE . '/' ),
			// Headless sites: another server renders the pages, and WordPress has its own host.
			site_url( self::PREFIX . '/' . Remote_Routes::NAMESPACE . '/' ),
			site_url( '/index.php?rest_route=/' . Remote_Routes::NAMESPACE . '/' ),
		] );
		foreach ( $addresses as $address ) {
			if ( self::is_responding( $address ) ) {
				return $address;
			}
		}
		// Keep the known address: a failed loopback request does not prove that it is wrong.
		$known = (string) Connection::state()['endpoint_url'];
		$hosts = [ wp_parse_url( home_url(), PHP_URL_HOST ), wp_parse_url( site_url(), PHP_URL_HOST ) ];
		return in_array( wp_parse_url( $known, PHP_URL_HOST ), $hosts, true ) ? $known : rest_url( Remote_Routes::NAMESPACE . '/' );
	}

	/** Checks for our own 401: some servers respond to any address with 200 and the home page. */
	private static function is_responding( string $address ): bool {
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
