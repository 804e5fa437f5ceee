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
 * Whether a call comes from the panel that this site was connected to, is meant for this site, and is new.
 *
 * What is signed is in `signed-call.ts` of the contract; both sides pass the same golden vectors.
 */
final class Call_Signature {

	/** The panel's public key, in base64. Only connecting writes it, or the panel with a key that the old one has signed. */
	const PUBLIC_KEY = 'steward_panel_key';

	/** '1': others than the panel may call this site with its key alone. */
	const UNSIGNED = 'steward_accept_unsigned';

	const NONCES = 'steward_nonce_';

	private const NONCE_SECONDS      = 660;
	private const CLOCK_DIFFERENCE   = 300;
	private const LONGEST_SIGNATURES = 400;

	/** @var array{int, string}|null Of the call that this request is, once it is found to be good. */
	private static $accepted = null;

	/** Without one the site was set up by hand, or its panel signs nothing. */
	public static function is_required(): bool {
		return '' !== self::public_key();
	}

	public static function accepts_unsigned(): bool {
		return (bool) get_option( self::UNSIGNED, false );
	}

	public static function is_sent(): bool {
		return '' !== self::header( 'SIGNATURE' );
	}

	public static function public_key(): string {
		$key = get_option( self::PUBLIC_KEY, '' );
		return is_string( $key ) ? $key : '';
	}

	/**
	 * @param string $route As the panel names it, such as /service/v1/remote/sync.
	 * @param string $body  As it was received.
	 */
	public static function is_good( string $route, string $body ): bool {
		$timestamp  = self::header( 'TIMESTAMP' );
		$nonce      = self::header( 'NONCE' );
		$signatures = self::header( 'SIGNATURE' );
		if ( ! preg_match( '/^\d{1,12}$/D', $timestamp ) || ! preg_match( '/^[0-9a-f]{32}$/D', $nonce ) || strlen( $signatures ) > self::LONGEST_SIGNATURES ) {
			return false;
		}
		if ( abs( time() - (int) $timestamp ) > self::CLOCK_DIFFERENCE ) {
			return false;
		}
		$text = self::text( $route, self::site_url(), (int) $timestamp, $nonce, $body );
		foreach ( explode( ',', $signatures ) as $signature ) {
			if ( self::is_signed( $text, trim( $signature ), self::public_key() ) ) {
				// Only what is signed may take room.
				$is_new         = self::take( $nonce );
				self::$accepted = $is_new ? [ (int) $timestamp, $nonce ] : null;
				return $is_new;
			}
		}
		return false;
	}

	/**
	 * Timestamp and nonce of the call that this request is; null: it has no signature, and needs none here.
	 *
	 * @return array{int, string}|null
	 */
	public static function accepted(): ?array {
		return self::$accepted;
	}

	/** The answer to a challenge of the panel. */
	public static function proof( string $challenge, string $site_key ): string {
		return hash_hmac( 'sha256', implode( "\n", [ 'steward-proof-v1', $challenge, self::site_url() ] ), $site_key );
	}

	/** Whether one key of the panel has signed the next. */
	public static function is_followed_by( string $public_key, string $next, string $signature ): bool {
		return self::is_signed( "steward-key-v1\n" . $next, $signature, $public_key );
	}

	public static function text( string $route, string $site_url, int $timestamp, string $nonce, string $body ): string {
		return implode( "\n", [ 'steward-call-v1', 'POST', $route, $site_url, $timestamp, $nonce, hash( 'sha256', $body ) ] );
	}

	public static function is_signed( string $text, string $signature, string $public_key ): bool {
		if ( ! function_exists( 'sodium_crypto_sign_verify_detached' ) ) {
			return false;
		}
		$signature  = (string) base64_decode( $signature, true );
		$public_key = (string) base64_decode( $public_key, true );
		return 64 === strlen( $signature ) && 32 === strlen( $public_key ) && sodium_crypto_sign_verify_detached( $signature, $text, $public_key );
	}

	/** True once: the name of an option is unique, in whatever process. */
	private static function take( string $nonce ): bool {
		global $wpdb;
		$wpdb->query( $wpdb->prepare( "DELETE FROM {$wpdb->options} WHERE option_name LIKE %s AND CAST( option_value AS UNSIGNED ) < %d", $wpdb->esc_like( self::NONCES ) . '%', time() ) );
		return 1 === $wpdb->query( $wpdb->prepare( "INSERT IGNORE INTO {$wpdb->options} ( option_name, option_value, autoload ) VALUES ( %s, %s, 'no' )", self::NONCES . $nonce, (string) ( time() + self::NONCE_SECONDS ) ) );
	}

	/** In its canonical form. A copy of this site at another address is not meant by a call to this one. */
	private static function site_url(): string {
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
