<?php
/**
 * @package Steward
 */

namespace Steward\Rest;

use Steward\Connection;
use Steward\Site_Url;
use Steward\Watchdog\Call_Signature;
use WP_Error;

defined( 'ABSPATH' ) || exit;

/**
 * Why a call of a known panel is refused. Only a call that this panel has signed within the last minutes gets the reason. A
 * stranger gets the same response for each cause.
 */
final class Refused_Call {

	/**
	 * @param string $route Route in lower case.
	 * @param string $body  Raw request body.
	 * @return WP_Error|null Null: the caller is a stranger, or the signature is wrong for another reason.
	 */
	public static function explain( string $route, string $body ): ?WP_Error {
		if ( ! Connection::is_connected() ) {
			return null;
		}
		$connected_as = self::connected_address();
		if ( Connection::has_moved() && self::is_signed( $connected_as, Call_Signature::public_key(), $route, $body ) ) {
			return self::address_error();
		}
		// The former panel knows the site by its address at that time, which a move may have changed too.
		$former_key = get_option( Call_Signature::FORMER_PUBLIC_KEY_OPTION, '' );
		foreach ( array_unique( [ Call_Signature::site_url(), $connected_as ] ) as $address ) {
			// The response does not name the new panel.
			if ( is_string( $former_key ) && self::is_signed( $address, $former_key, $route, $body ) ) {
				return Api_Error::create( 'site_connected_elsewhere' );
			}
		}
		return null;
	}

	/** `site_url`: the present address. The panel knows the one under which the site was connected. */
	public static function address_error(): WP_Error {
		return Api_Error::create( 'site_address_changed', '', [ 'site_url' => Connection::site_url() ] );
	}

	private static function connected_address(): string {
		$activated = (string) Connection::state()['site_url'];
		return Site_Url::canonical( $activated ) ?? $activated;
	}

	private static function is_signed( string $address, string $public_key, string $route, string $body ): bool {
		return '' !== $address && '' !== $public_key && Call_Signature::is_current_call_signed_for( $address, $public_key, $route, $body );
	}
}
