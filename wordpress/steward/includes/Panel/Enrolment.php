<?php
/**
 * @package Steward
 */

namespace Steward\Panel;

use Steward\Connection;
use Steward\License_Key;
use Steward\Watchdog\Call_Log;
use Steward\Watchdog\Call_Signature;
use WP_Error;

defined( 'ABSPATH' ) || exit;

/**
 * What makes this site and its panel known to each other: a key for this site alone, and the panel's public key.
 */
final class Enrolment {

	/** The panel calls back within seconds, or not at all. */
	private const PROOF_SECONDS = 10;

	/** The panel's code for a key that opens nothing until the panel has reached this site. */
	const PENDING = 'address_not_proven';

	/** What the site had before it moved over, until its new key is seen to work. */
	const FORMER = 'steward_former';

	/** @param array $answer Of the panel, to license/activate. Only that pins a key of the panel. */
	public static function keep( array $answer, string $license_key ): void {
		$site_key = (string) ( $answer['site_key'] ?? '' );
		$key      = License_Key::is_site_key( $site_key ) ? $site_key : $license_key;
		if ( Connection::license_key() !== $key ) {
			// The panel expects a new log with a new key.
			Call_Log::restart();
			Connection::change_state( [ 'log_acknowledged' => 0 ] );
		}
		update_option( Connection::LICENSE_KEY, $key );
		update_option( Call_Signature::PUBLIC_KEY, (string) ( $answer['signing_key']['public_key'] ?? '' ) );
		// Whoever connects the site anew decides on that anew.
		delete_option( Call_Signature::UNSIGNED );
		Connection::change_state( [ 'license_key_hash' => hash( 'sha256', $license_key ) ] );
	}

	/**
	 * The panel has a new key: the one that this site knows must have signed it.
	 *
	 * @param array $answer Of the panel.
	 */
	public static function follow( array $answer ): void {
		$next     = (string) ( $answer['signing_key']['public_key'] ?? '' );
		$previous = (array) ( $answer['signing_key']['previous'] ?? [] );
		$known    = Call_Signature::public_key();
		if ( '' === $next || '' === $known || ( $previous['public_key'] ?? '' ) !== $known ) {
			return;
		}
		if ( Call_Signature::is_followed_by( $known, $next, (string) ( $previous['signature'] ?? '' ) ) ) {
			update_option( Call_Signature::PUBLIC_KEY, $next );
		}
	}

	/**
	 * A site that was connected before there were site keys gets one by itself. Until that is done it stays with what it
	 * had.
	 *
	 * @return true|WP_Error
	 */
	public static function move_over() {
		$key     = Connection::license_key();
		$is_done = License_Key::is_site_key( $key );
		$can     = Capabilities::panel_has( Capabilities::SITE_KEY ) && in_array( Capabilities::SITE_KEY, Capabilities::of_this_plugin(), true );
		if ( $is_done ) {
			// This follows a check that the panel accepted, so the license key is not needed any more.
			delete_option( self::FORMER );
		}
		if ( $is_done || ! $can || '' === Connection::state()['activation_token'] || Connection::has_moved() ) {
			return true;
		}
		update_option( self::FORMER, [ $key, Connection::state()['activation_token'] ], false );
		$result = License::connect( Connection::panel_url(), $key );
		if ( is_wp_error( $result ) ) {
			delete_option( self::FORMER );
			return $result;
		}
		for ( $second = 0; $second < self::PROOF_SECONDS; $second++ ) {
			sleep( 1 );
			$result = License::check();
			if ( ! is_wp_error( $result ) || self::PENDING !== $result->get_error_code() ) {
				break;
			}
		}
		if ( ! is_wp_error( $result ) ) {
			return true;
		}
		self::move_back();
		return $result;
	}

	/** The panel cannot reach this site. What the site had before still works. */
	public static function move_back(): void {
		$former = get_option( self::FORMER );
		if ( ! is_array( $former ) ) {
			return;
		}
		update_option( Connection::LICENSE_KEY, (string) $former[0] );
		update_option( Call_Signature::PUBLIC_KEY, '' );
		Connection::change_state( [ 'activation_token' => (string) $former[1] ] );
		delete_option( self::FORMER );
	}

	/** Whether this site was connected with that license key. */
	public static function is_of( string $license_key ): bool {
		return Connection::license_key() === $license_key
			|| hash_equals( (string) Connection::state()['license_key_hash'], hash( 'sha256', $license_key ) );
	}
}
