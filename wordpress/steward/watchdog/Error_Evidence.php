<?php
/**
 * @package Steward
 */

namespace Steward\Watchdog;

defined( 'ABSPATH' ) || exit;

/**
 * Decides whether a request proves an error by itself.
 *
 * Strangers can send any request, and can make the browser of an administrator send one with the cookies: by a link or an
 * image in a comment. So the request must come from the work of an administrator. In doubt it does not count.
 */
final class Error_Evidence {

	/** What a browser requests for a link, a form or a script. Images and styles may be in the content of strangers. */
	private const DESTINATIONS = [ 'document', 'iframe', 'empty' ];
	/** Screens that show links of strangers: comments on the dashboard and at an entry, and what plugins list. */
	private const SCREENS_WITH_LINKS = '~^(network/|user/)?(index\.php|edit-comments\.php|comment\.php|post\.php|admin\.php)?$~D';
	/** A link to such an address contains nothing that a stranger could choose, except the page. */
	private const PLAIN_SCREEN = '~^(network/|user/)?([a-z-]+\.php)?(\?page=[\w-]+)?$~D';

	public static function is_given( string $request_kind ): bool {
		if ( Error_Watch::COMMAND_LINE === $request_kind ) {
			return true;
		}
		return Error_Watch::CRON !== $request_kind && self::is_work_in_admin( $_SERVER, (string) get_option( 'siteurl' ) ) && self::is_sent_by_administrator();
	}

	/**
	 * Whether the browser says that the request comes from the admin of this site.
	 *
	 * @param array  $server   Value of $_SERVER.
	 * @param string $site_url Address of WordPress.
	 */
	public static function is_work_in_admin( array $server, string $site_url ): bool {
		$site     = (string) ( $server['HTTP_SEC_FETCH_SITE'] ?? '' );
		$target   = (string) ( $server['HTTP_SEC_FETCH_DEST'] ?? '' );
		$referrer = (string) ( $server['HTTP_REFERER'] ?? '' );
		if ( '' === $site ? self::origin( $referrer ) !== self::origin( $site_url ) : 'same-origin' !== $site ) {
			return false;
		}
		if ( '' !== $target && ! in_array( $target, self::DESTINATIONS, true ) ) {
			return false;
		}
		$is_get = in_array( $server['REQUEST_METHOD'] ?? 'GET', [ 'GET', 'HEAD' ], true );
		$screen = self::admin_path( (string) ( $server['REQUEST_URI'] ?? '' ), $site_url );
		if ( $is_get && null !== $screen && preg_match( self::PLAIN_SCREEN, $screen ) ) {
			return true;
		}
		$from = self::origin( $referrer ) === self::origin( $site_url ) ? self::admin_path( $referrer, $site_url ) : null;
		if ( null === $from ) {
			return false;
		}
		return ! $is_get || 'empty' === $target || ! preg_match( self::SCREENS_WITH_LINKS, explode( '?', $from )[0] );
	}

	/** Returns path and query below /wp-admin/, or null for another address. */
	private static function admin_path( string $address, string $site_url ): ?string {
		$folder = rtrim( (string) parse_url( $site_url, PHP_URL_PATH ), '/' ) . '/wp-admin/';
		$path   = (string) preg_replace( '~^https?://[^/?#]*|#.*$~i', '', $address );
		return 0 === strpos( $path, $folder ) ? substr( $path, strlen( $folder ) ) : null;
	}

	private static function origin( string $url ): string {
		$parts = parse_url( $url );
		if ( ! isset( $parts['scheme'], $parts['host'] ) ) {
			return '';
		}
		$scheme = strtolower( $parts['scheme'] );
		return $scheme . '://' . strtolower( $parts['host'] ) . ':' . ( $parts['port'] ?? ( 'https' === $scheme ? 443 : 80 ) );
	}

	/**
	 * Whether the request has the cookie of a user who may activate plugins; in a network, on all sites. The current user
	 * may be another one: plugins change it to do work for strangers.
	 */
	private static function is_sent_by_administrator(): bool {
		// A plugin may end the request while it loads, before WordPress has loaded these functions.
		require_once ABSPATH . WPINC . '/pluggable.php';
		if ( ! defined( 'LOGGED_IN_COOKIE' ) ) {
			is_multisite() && ms_cookie_constants();
			wp_cookie_constants();
		}
		$user = wp_validate_auth_cookie( '', 'logged_in' );
		return $user && user_can( $user, is_multisite() ? 'manage_network_plugins' : 'activate_plugins' );
	}
}
