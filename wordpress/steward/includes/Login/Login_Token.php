<?php
/**
 * @package Steward
 */

namespace Steward\Login;

use Steward\Connection;

defined( 'ABSPATH' ) || exit;

/**
 * A token that opens one session for one user of this site, within 30 seconds. The site stores its hash only.
 *
 * Each token is one option. Uses the database directly: a cache of options could return a used token.
 */
final class Login_Token {

	/** Prefix of the option names; the SHA-256 of the token follows. */
	const PREFIX = 'steward_login_token_';

	const LIFETIME_SECONDS = 30;

	/** The value starts with the time of expiry, so that the database finds expired tokens. */
	private const TIME_DIGITS = 10;

	/**
	 * @param string $actor Name of the user of the panel.
	 * @return string|null The token, or null if the database did not store it.
	 */
	public static function create( int $user_id, string $actor ): ?string {
		global $wpdb;
		$wpdb->query( $wpdb->prepare( "DELETE FROM {$wpdb->options} WHERE option_name LIKE %s AND SUBSTRING( option_value, 1, %d ) <= %s", self::like_pattern(), self::TIME_DIGITS, self::format_time( time() ) ) );
		$token  = bin2hex( random_bytes( 32 ) );
		$terms  = [ 'user' => $user_id, 'actor' => $actor, 'site_url' => Connection::site_url() ];
		$stored = self::format_time( time() + self::LIFETIME_SECONDS ) . wp_json_encode( $terms );
		$added  = $wpdb->query( $wpdb->prepare( "INSERT IGNORE INTO {$wpdb->options} ( option_name, option_value, autoload ) VALUES ( %s, %s, 'no' )", self::option_name( $token ), $stored ) );
		return 1 === $added ? $token : null;
	}

	/**
	 * Uses up a token. An unknown token changes nothing, so that strangers cannot fill the database.
	 *
	 * @return array{user: int, actor: string}|null Null: unknown, used, expired, or made at another address.
	 */
	public static function redeem( string $token ): ?array {
		global $wpdb;
		if ( ! preg_match( '/^[0-9a-f]{64}$/D', $token ) ) {
			return null;
		}
		$name   = self::option_name( $token );
		$stored = $wpdb->get_var( $wpdb->prepare( "SELECT option_value FROM {$wpdb->options} WHERE option_name = %s", $name ) );
		// Of two requests with the same token, only one deletes the row.
		if ( null === $stored || 1 !== $wpdb->query( $wpdb->prepare( "DELETE FROM {$wpdb->options} WHERE option_name = %s", $name ) ) ) {
			return null;
		}
		$terms = self::parse( (string) $stored );
		return Login_Rule::is_token_valid( $terms, time(), Connection::site_url() )
			? [ 'user' => $terms['user'], 'actor' => $terms['actor'] ]
			: null;
	}

	public static function delete_all(): void {
		global $wpdb;
		$wpdb->query( $wpdb->prepare( "DELETE FROM {$wpdb->options} WHERE option_name LIKE %s", self::like_pattern() ) );
	}

	/** @return array{expires: int, user: int, actor: string, site_url: string} */
	private static function parse( string $stored ): array {
		$terms = json_decode( substr( $stored, self::TIME_DIGITS ), true );
		return [
			'expires'  => (int) substr( $stored, 0, self::TIME_DIGITS ),
			'user'     => (int) ( $terms['user'] ?? 0 ),
			'actor'    => (string) ( $terms['actor'] ?? '' ),
			'site_url' => (string) ( $terms['site_url'] ?? '' ),
		];
	}

	private static function option_name( string $token ): string {
		return self::PREFIX . hash( 'sha256', $token );
	}

	private static function format_time( int $time ): string {
		return sprintf( '%0' . self::TIME_DIGITS . 'd', $time );
	}

	private static function like_pattern(): string {
		global $wpdb;
		return $wpdb->esc_like( self::PREFIX ) . '%';
	}
}
