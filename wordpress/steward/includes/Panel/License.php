<?php
/**
 * @package Steward
 */

namespace Steward\Panel;

use Steward\Connection;
use Steward\Rest\Rest_Address;
use Steward\Updating\Installed_Core;
use Steward\Watchdog\Call_Log;
use Steward\Watchdog\Call_Signature;
use WP_Error;
use const Steward\VERSION;

defined( 'ABSPATH' ) || exit;

/** What this site says to its panel, and what it keeps of the answers. */
final class License {

	/** Refusals that say something about the license here; one about a malformed request, for example, does not. */
	private const VERDICTS = [
		'invalid_license_key',
		'invalid_activation_token',
		'license_expired',
		'license_suspended',
		'license_revoked',
		'site_not_activated',
	];

	/**
	 * Takes a slot of the license for this site. Until that is done the site stays with what it had.
	 *
	 * @return true|WP_Error
	 */
	public static function connect( string $panel_url, string $license_key ) {
		$endpoint_url = Rest_Address::working();
		$is_again     = untrailingslashit( $panel_url ) === Connection::panel_url() && Enrolment::is_of( $license_key ) && ! Connection::has_moved();
		$answer       = self::activate( $panel_url, $license_key, $endpoint_url, $is_again );
		// What the site had is not known there any more, after a restored backup for example.
		if ( $is_again && is_wp_error( $answer ) && 'invalid_activation_token' === $answer->get_error_code() ) {
			$answer = self::activate( $panel_url, $license_key, $endpoint_url, false );
		}
		if ( is_wp_error( $answer ) ) {
			return $answer;
		}
		self::leave_former( $license_key );
		update_option( Connection::PANEL_URL, untrailingslashit( $panel_url ) );
		Enrolment::keep( $answer, $license_key );
		Connection::change_state(
			[
				'site_url'         => Connection::site_url(),
				'activation_token' => (string) $answer['activation_token'],
				'endpoint_url'     => $endpoint_url,
			]
		);
		Capabilities::remember( $answer );
		self::keep_verdict( $answer, '' );
		Connection::enable_services( (array) ( $answer['license']['plan']['services'] ?? [] ) );
		return true;
	}

	/** @return array|WP_Error */
	private static function activate( string $panel_url, string $license_key, string $endpoint_url, bool $is_again ) {
		$token = $is_again ? Connection::state()['activation_token'] : '';
		$body  = [ 'license_key' => $license_key ] + self::site() + [ 'endpoint_url' => $endpoint_url ] + ( '' === $token ? [] : [ 'activation_token' => $token ] );
		return Panel_Client::post( $panel_url, 'license/activate', $body, [ 'license', 'activation', 'activation_token' ] );
	}

	/**
	 * With another key, the slot of the former one would stay taken for ever. The same key is the same license also
	 * where the panel has another address now: to leave it would undo what was just done.
	 */
	private static function leave_former( string $license_key ): void {
		$is_same = Enrolment::is_of( $license_key );
		if ( Connection::is_connected() && ! $is_same && ! Connection::has_moved() ) {
			$left = self::ask( 'license/deactivate', [], [ 'license' ] );
			if ( is_wp_error( $left ) ) {
				error_log( 'Steward: the slot of the former license was not freed: ' . $left->get_error_message() );
			}
		}
	}

	/**
	 * Gives the slot back and forgets panel and key.
	 *
	 * @return true|WP_Error
	 */
	public static function disconnect() {
		$answer = self::ask( 'license/deactivate', [], [ 'license' ] );
		// A license that is not active here, or not known there any more, has no slot left to give back.
		$is_gone = is_wp_error( $answer ) && in_array( $answer->get_error_code(), [ 'site_not_activated', 'invalid_license_key', 'invalid_activation_token' ], true );
		if ( is_wp_error( $answer ) && ! $is_gone ) {
			return $answer;
		}
		Connection::forget();
		return true;
	}

	/**
	 * The periodic question whether the license is still good.
	 *
	 * @return int|WP_Error Seconds after which the panel wants to be asked again.
	 */
	public static function check() {
		$answer = self::ask_for_verdict( 'license/check', self::site() );
		if ( is_wp_error( $answer ) ) {
			return $answer;
		}
		Enrolment::follow( $answer );
		$moved = Enrolment::move_over();
		if ( is_wp_error( $moved ) ) {
			error_log( 'Steward: this site has no key of its own yet: ' . $moved->get_error_message() );
		}
		return (int) $answer['next_check_in'];
	}

	/**
	 * Tells the panel what is installed and which updates are pending.
	 *
	 * @param bool $asks_for_probe Whether the panel should try to call this site.
	 * @return true|WP_Error
	 */
	public static function verify_site( bool $asks_for_probe = false ) {
		$endpoint_url = Connection::state()['endpoint_url'];
		$report       = self::site() + [ 'inventory' => Inventory::take(), 'accepts_unsigned_calls' => Call_Signature::accepts_unsigned() ]
			+ ( '' === $endpoint_url ? [] : [ 'endpoint_url' => $endpoint_url ] );
		if ( $asks_for_probe && Capabilities::panel_has( Capabilities::PROBE ) ) {
			$report['probe'] = true;
		}
		// Without a key of its own this site obeys calls of others too, and the panel could not tell them apart.
		if ( Call_Signature::is_required() && Capabilities::panel_has( Capabilities::CALL_LOG ) ) {
			$report['call_log'] = Call_Log::report( (int) Connection::state()['log_acknowledged'] );
		}
		$answer = self::ask_for_verdict( 'site/verify', $report );
		if ( is_wp_error( $answer ) ) {
			return $answer;
		}
		if ( isset( $answer['endpoint']['reachable'] ) ) {
			$fault = $answer['endpoint']['reachable'] ? '' : wp_strip_all_tags( (string) ( $answer['endpoint']['error'] ?? '' ) );
			Connection::change_state( [ 'endpoint_fault' => $fault ] );
		}
		if ( is_int( $answer['call_log']['acknowledged'] ?? null ) ) {
			Connection::change_state( [ 'log_acknowledged' => $answer['call_log']['acknowledged'] ] );
		}
		return true;
	}

	/** A refusal is a verdict and is kept. Silence is none, and what was known stays. */
	private static function ask_for_verdict( string $path, array $body ) {
		$answer = self::ask( $path, $body, [ 'license', 'enabled_services', 'next_check_in' ] );
		if ( ! is_wp_error( $answer ) ) {
			Capabilities::remember( $answer );
			self::keep_verdict( $answer, '' );
			Connection::enable_services( (array) $answer['enabled_services'] );
		} elseif ( in_array( $answer->get_error_code(), self::VERDICTS, true ) ) {
			self::keep_verdict( (array) $answer->get_error_data(), $answer->get_error_message(), $answer->get_error_code() );
		}
		return $answer;
	}

	private static function ask( string $path, array $body, array $expected ) {
		if ( ! Connection::is_connected() ) {
			return new WP_Error( 'not_connected', __( 'This site is not connected to a panel.', 'steward' ) );
		}
		$token = Connection::state()['activation_token'];
		$login = [
			'license_key' => Connection::license_key(),
			'site_url'    => Connection::site_url(),
		] + ( '' === $token ? [] : [ 'activation_token' => $token ] );
		return Panel_Client::post( Connection::panel_url(), $path, $login + $body, $expected );
	}

	private static function keep_verdict( array $answer, string $refusal, string $code = '' ): void {
		Connection::change_state(
			[
				'license'      => $answer['license'] ?? Connection::state()['license'],
				'is_counted'   => (bool) ( $answer['activation']['counted'] ?? Connection::state()['is_counted'] ),
				'is_valid'     => '' === $refusal,
				'refusal'      => $refusal,
				'refusal_code' => $code,
				'confirmed_at' => time(),
				'checked_at'   => time(),
			]
		);
	}

	private static function site(): array {
		return [
			'site_url'       => Connection::site_url(),
			'cms_version'    => Installed_Core::version(),
			'php_version'    => PHP_VERSION,
			'plugin_version' => VERSION,
			'environment'    => wp_get_environment_type(),
			'capabilities'   => Capabilities::of_this_plugin(),
		];
	}
}
