<?php
/**
 * @package Steward
 */

namespace Steward\Watchdog;

use Steward\Ipv6_Address;
use Steward\Site_Host;
use Steward\Site_Url;

defined( 'ABSPATH' ) || exit;

/**
 * Verifies that a call comes from the connected panel, is addressed to this site, and is not a replay.
 *
 * `signed-call.ts` in the contract defines the signed text, and both sides pass the same test vectors.
 */
final class Call_Signature {

	/**
	 * Public signing key of the panel in base64. Set on connect; replaced only by a key that the old key has signed; removed
	 * on disconnect and when the site returns to its previous license key.
	 */
	const PUBLIC_KEY_OPTION = 'steward_panel_key';

	/** Public signing key of the panel that this site was connected to before another panel. */
	const FORMER_PUBLIC_KEY_OPTION = 'steward_former_panel_key';

	/** '1' if this site accepts unsigned calls with its site key. */
	const UNSIGNED_OPTION = 'steward_accept_unsigned';

	/** Prefix of the option names of used nonces. The value is the time at which a nonce expires. */
	const NONCE_PREFIX = 'steward_nonce_';

	private const NONCE_LIFETIME_SECONDS = 660;
	private const MAX_CLOCK_SKEW_SECONDS = 300;
	private const MAX_SIGNATURES_LENGTH  = 400;

	/** @var array{int, string}|null Timestamp and nonce of the current call, after verification. */
	private static $accepted_call = null;

	/**
	 * False without a public key: the panel sent none (the site was configured manually, the panel does not sign calls, or
	 * PHP has no sodium), or the site returned to its license key.
	 */
	public static function is_required(): bool {
		return '' !== self::public_key();
	}

	public static function accepts_unsigned(): bool {
		return (bool) get_option( self::UNSIGNED_OPTION, false );
	}

	public static function is_present(): bool {
		return '' !== self::header( 'SIGNATURE' );
	}

	public static function public_key(): string {
		$key = get_option( self::PUBLIC_KEY_OPTION, '' );
		return is_string( $key ) ? $key : '';
	}

	/**
	 * Returns whether the signature of this call is valid, and marks its nonce as used. A second check of the same call fails.
	 *
	 * @param string $route Route in lower case, such as /service/v1/remote/sync.
	 * @param string $body  Raw request body.
	 */
	public static function verify( string $route, string $body ): bool {
		$timestamp = self::header( 'TIMESTAMP' );
		$nonce     = self::header( 'NONCE' );
		if ( ! self::is_signed_for_this_site( $route, $body, $timestamp, $nonce, self::header( 'SIGNATURE' ) ) ) {
			return false;
		}
		// Stores nonces of signed calls only, so that unsigned calls cannot fill the database.
		$is_new              = self::claim_nonce( $nonce );
		self::$accepted_call = $is_new ? [ (int) $timestamp, $nonce ] : null;
		return $is_new;
	}

	/**
	 * Whether the panel has signed this call for this site within the last minutes. Knows no used nonces.
	 *
	 * @param string $signatures Signatures, separated by commas: during a rotation, the panel signs with two keys.
	 */
	public static function is_signed_for_this_site( string $route, string $body, string $timestamp, string $nonce, string $signatures ): bool {
		return self::is_signed_for( self::site_url(), self::public_key(), [ $route, $body, $timestamp, $nonce, $signatures ] );
	}

	/**
	 * Whether the owner of a public key has signed the current call for an address within the last minutes. Such a call is not
	 * valid: this only decides which reason the response may give.
	 *
	 * @param string $site_url Canonical address.
	 */
	public static function is_current_call_signed_for( string $site_url, string $public_key, string $route, string $body ): bool {
		return self::is_signed_for( $site_url, $public_key, [ $route, $body, self::header( 'TIMESTAMP' ), self::header( 'NONCE' ), self::header( 'SIGNATURE' ) ] );
	}

	/** @param array{string, string, string, string, string} $call Route, body, timestamp, nonce and signatures. */
	private static function is_signed_for( string $site_url, string $public_key, array $call ): bool {
		[ $route, $body, $timestamp, $nonce, $signatures ] = $call;
		if ( ! preg_match( '/^\d{1,12}$/D', $timestamp ) || ! preg_match( '/^[0-9a-f]{32}$/D', $nonce ) || strlen( $signatures ) > self::MAX_SIGNATURES_LENGTH ) {
			return false;
		}
		if ( abs( time() - (int) $timestamp ) > self::MAX_CLOCK_SKEW_SECONDS ) {
			return false;
		}
		$text = self::build_signed_text( $route, $site_url, (int) $timestamp, $nonce, $body );
		foreach ( explode( ',', $signatures ) as $signature ) {
			if ( self::is_signature_valid( $text, trim( $signature ), $public_key ) ) {
				return true;
			}
		}
		return false;
	}

	/**
	 * Returns timestamp and nonce of the current call, or null if the call is unsigned.
	 *
	 * @return array{int, string}|null
	 */
	public static function accepted_call(): ?array {
		return self::$accepted_call;
	}

	/** Computes the proof of address for a challenge of the panel. */
	public static function compute_proof( string $challenge, string $site_key ): string {
		return hash_hmac( 'sha256', implode( "\n", [ 'steward-proof-v1', $challenge, self::site_url() ] ), $site_key );
	}

	/** Whether a public key of the panel has signed the next one. */
	public static function has_signed_successor( string $public_key, string $new_key, string $signature ): bool {
		return self::is_signature_valid( "steward-key-v1\n" . $new_key, $signature, $public_key );
	}

	public static function build_signed_text( string $route, string $site_url, int $timestamp, string $nonce, string $body ): string {
		return implode( "\n", [ 'steward-call-v1', 'POST', $route, $site_url, $timestamp, $nonce, hash( 'sha256', $body ) ] );
	}

	public static function is_signature_valid( string $text, string $signature, string $public_key ): bool {
		if ( ! function_exists( 'sodium_crypto_sign_verify_detached' ) ) {
			return false;
		}
		$signature  = (string) base64_decode( $signature, true );
		$public_key = (string) base64_decode( $public_key, true );
		return 64 === strlen( $signature ) && 32 === strlen( $public_key ) && sodium_crypto_sign_verify_detached( $signature, $text, $public_key );
	}

	/** Returns true once per nonce. Option names are unique, so two processes cannot use the same nonce. */
	private static function claim_nonce( string $nonce ): bool {
		global $wpdb;
		$wpdb->query( $wpdb->prepare( "DELETE FROM {$wpdb->options} WHERE option_name LIKE %s AND CAST( option_value AS UNSIGNED ) < %d", $wpdb->esc_like( self::NONCE_PREFIX ) . '%', time() ) );
		return 1 === $wpdb->query( $wpdb->prepare( "INSERT IGNORE INTO {$wpdb->options} ( option_name, option_value, autoload ) VALUES ( %s, %s, 'no' )", self::NONCE_PREFIX . $nonce, (string) ( time() + self::NONCE_LIFETIME_SECONDS ) ) );
	}

	/** Returns the address in the signed text. It makes a call invalid on a copy of this site at another address. */
	public static function site_url(): string {
		foreach ( [ Ipv6_Address::class, Site_Host::class, Site_Url::class ] as $class ) {
			class_exists( $class ) || require_once dirname( __DIR__ ) . '/includes/' . substr( $class, strlen( 'Steward\\' ) ) . '.php';
		}
		$home = untrailingslashit( (string) get_option( 'home' ) );
		return Site_Url::canonical( $home ) ?? $home;
	}

	private static function header( string $name ): string {
		return (string) ( $_SERVER[ 'HTTP_X_SERVICE_' . $name ] ?? '' ); // phpcs:ignore WordPress.Security
	}
}
