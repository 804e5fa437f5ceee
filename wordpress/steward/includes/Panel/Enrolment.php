<?php
/**
 * @package Steward
 */

namespace Steward\Panel;

use Steward\Connection;
use Steward\License_Key;
use Steward\Login\Allowed_Users;
use Steward\Watchdog\Call_Log;
use Steward\Watchdog\Call_Signature;
use WP_Error;

defined( 'ABSPATH' ) || exit;

/**
 * The credentials that this site and its panel exchange: the site key and the public signing key of the panel.
 */
final class Enrolment {

	/** How long to wait for the proof of address. The panel calls the site back within seconds, and again after each refused check-in. */
	private const MAX_PROOF_WAIT_SECONDS = 10;

	/** Error code of the panel: the site key is not valid until the address is proven. */
	const ADDRESS_NOT_PROVEN = 'address_not_proven';

	/** The previous license key and activation token, kept until the new site key works. */
	const PREVIOUS_OPTION = 'steward_former';

	/**
	 * @param array  $response       Response to license/activate. Only this response pins the signing key of the panel.
	 * @param string $license_key    Key of the activation.
	 * @param bool   $is_other_panel Whether this site was connected to a panel at another address before.
	 */
	public static function store( array $response, string $license_key, bool $is_other_panel ): void {
		$site_key = (string) ( $response['site_key'] ?? '' );
		$key      = License_Key::is_site_key( $site_key ) ? $site_key : $license_key;
		if ( Connection::key() !== $key ) {
			// When the key changes, the panel expects the call log to restart.
			Call_Log::delete_all();
			Connection::update_state( [ 'log_acknowledged' => 0 ] );
		}
		update_option( Connection::LICENSE_KEY, $key );
		$public_key = (string) ( $response['signing_key']['public_key'] ?? '' );
		if ( Call_Signature::public_key() !== $public_key ) {
			Allowed_Users::turn_off();
		}
		self::remember_former_panel( $public_key, $is_other_panel );
		update_option( Call_Signature::PUBLIC_KEY_OPTION, $public_key );
		// A new connection refuses unsigned calls until an administrator accepts them again.
		delete_option( Call_Signature::UNSIGNED_OPTION );
		Connection::update_state( [ 'license_key_hash' => hash( 'sha256', $license_key ) ] );
	}

	/**
	 * Keeps the public key of the panel that this site leaves. Signed calls of that panel then learn that the site has another
	 * panel. Without this key, the site could not tell the former panel from a stranger.
	 */
	private static function remember_former_panel( string $new_key, bool $is_other_panel ): void {
		$known = Call_Signature::public_key();
		// A panel that has moved to another address keeps its signing key.
		if ( $is_other_panel && '' !== $known && $known !== $new_key ) {
			update_option( Call_Signature::FORMER_PUBLIC_KEY_OPTION, $known, false );
		} elseif ( get_option( Call_Signature::FORMER_PUBLIC_KEY_OPTION ) === $new_key ) {
			delete_option( Call_Signature::FORMER_PUBLIC_KEY_OPTION );
		}
	}

	/**
	 * Stores a new signing key of the panel, if the known key has signed it.
	 *
	 * @param array $response Response of the panel.
	 */
	public static function rotate_signing_key( array $response ): void {
		$new_key  = (string) ( $response['signing_key']['public_key'] ?? '' );
		$previous = (array) ( $response['signing_key']['previous'] ?? [] );
		$known    = Call_Signature::public_key();
		if ( '' === $new_key || '' === $known || ( $previous['public_key'] ?? '' ) !== $known ) {
			return;
		}
		if ( Call_Signature::has_signed_successor( $known, $new_key, (string) ( $previous['signature'] ?? '' ) ) ) {
			update_option( Call_Signature::PUBLIC_KEY_OPTION, $new_key );
		}
	}

	/**
	 * Replaces the shared license key with a site key, on sites that were connected before site keys existed. On failure
	 * the site keeps its previous credentials. Call only after a successful check-in.
	 *
	 * @return true|WP_Error
	 */
	public static function obtain_site_key() {
		$key          = Connection::key();
		$has_site_key = License_Key::is_site_key( $key );
		$can_obtain   = Capabilities::panel_supports( Capabilities::SITE_KEY ) && in_array( Capabilities::SITE_KEY, Capabilities::supported(), true );
		if ( $has_site_key ) {
			// The check-in has shown that the site key works, so the previous license key is no longer needed.
			delete_option( self::PREVIOUS_OPTION );
		}
		if ( $has_site_key || ! $can_obtain || '' === Connection::state()['activation_token'] || Connection::has_moved() ) {
			return true;
		}
		update_option( self::PREVIOUS_OPTION, [ $key, Connection::state()['activation_token'] ], false );
		$result = License::connect( Connection::panel_url(), $key );
		if ( is_wp_error( $result ) ) {
			delete_option( self::PREVIOUS_OPTION );
			return $result;
		}
		for ( $second = 0; $second < self::MAX_PROOF_WAIT_SECONDS; $second++ ) {
			sleep( 1 );
			$result = License::check();
			if ( ! is_wp_error( $result ) || self::ADDRESS_NOT_PROVEN !== $result->get_error_code() ) {
				break;
			}
		}
		if ( ! is_wp_error( $result ) ) {
			return true;
		}
		self::restore_previous_key();
		return $result;
	}

	/** Call this if the address of this site could not be proven. The previous credentials are still valid. */
	public static function restore_previous_key(): void {
		$previous_credentials = get_option( self::PREVIOUS_OPTION );
		if ( ! is_array( $previous_credentials ) ) {
			return;
		}
		update_option( Connection::LICENSE_KEY, (string) $previous_credentials[0] );
		update_option( Call_Signature::PUBLIC_KEY_OPTION, '' );
		Connection::update_state( [ 'activation_token' => (string) $previous_credentials[1] ] );
		delete_option( self::PREVIOUS_OPTION );
	}

	/** Whether this site was connected with the given license key. */
	public static function uses_license_key( string $license_key ): bool {
		return Connection::key() === $license_key
			|| hash_equals( (string) Connection::state()['license_key_hash'], hash( 'sha256', $license_key ) );
	}
}
