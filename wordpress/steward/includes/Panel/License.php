<?php
/**
 * @package Steward
 */

namespace Steward\Panel;

use Steward\Backups\Site_Backups;
use Steward\Connection;
use Steward\Rest\Rest_Address;
use Steward\Self_Update\Own_Plugin;
use Steward\Updating\Installed_Core;
use Steward\Watchdog\Call_Log;
use Steward\Watchdog\Call_Signature;
use WP_Error;

defined( 'ABSPATH' ) || exit;

/** Sends the license requests of this site to its panel and stores the results in Connection. */
final class License {

	/** Error codes that mean: the license is not valid on this site. Other codes, such as invalid_request, are no verdict. */
	private const VERDICT_CODES = [
		'invalid_license_key',
		'invalid_activation_token',
		'license_expired',
		'license_suspended',
		'license_revoked',
		'site_not_activated',
	];

	/**
	 * Activates the license on this site. On failure the site keeps its previous connection.
	 *
	 * @return true|WP_Error
	 */
	public static function connect( string $panel_url, string $license_key ) {
		$endpoint_url = Rest_Address::find_working_url();
		$is_reconnect = untrailingslashit( $panel_url ) === Connection::panel_url() && Enrolment::uses_license_key( $license_key ) && ! Connection::has_moved();
		$response     = self::activate( $panel_url, $license_key, $endpoint_url, $is_reconnect );
		// The panel may no longer know the token, for example after a restored backup.
		if ( $is_reconnect && is_wp_error( $response ) && 'invalid_activation_token' === $response->get_error_code() ) {
			$response = self::activate( $panel_url, $license_key, $endpoint_url, false );
		}
		if ( is_wp_error( $response ) ) {
			return $response;
		}
		self::release_previous_license( $panel_url, $license_key, $response );
		$is_other_panel = untrailingslashit( $panel_url ) !== Connection::panel_url();
		update_option( Connection::PANEL_URL, untrailingslashit( $panel_url ) );
		Enrolment::store( $response, $license_key, $is_other_panel );
		Connection::update_state(
			[
				'site_url'         => Connection::site_url(),
				'site_id'          => (int) ( $response['activation']['site_id'] ?? 0 ),
				'activation_token' => (string) $response['activation_token'],
				'endpoint_url'     => $endpoint_url,
			]
		);
		Capabilities::store( $response );
		self::store_verdict( $response, '' );
		Connection::store_enabled_services( (array) ( $response['license']['plan']['services'] ?? [] ) );
		return true;
	}

	/** @return array|WP_Error */
	private static function activate( string $panel_url, string $license_key, string $endpoint_url, bool $is_reconnect ) {
		$token = $is_reconnect ? Connection::state()['activation_token'] : '';
		$body  = [ 'license_key' => $license_key ] + self::site_data() + [ 'endpoint_url' => $endpoint_url, 'time_zone' => Preflight::time_zone() ] + ( '' === $token ? [] : [ 'activation_token' => $token ] );
		return Panel_Client::post( $panel_url, 'license/activate', $body, [ 'license', 'activation', 'activation_token' ] );
	}

	/**
	 * Frees the seat of the previous license, which would otherwise stay in use. Does nothing if the license is the same,
	 * even if the panel has a new address: deactivating would undo the new activation.
	 *
	 * @param string $panel_url   Address of the panel.
	 * @param string $license_key Key or enrolment code of the new activation.
	 * @param array  $response    Response of the panel to the new activation.
	 */
	private static function release_previous_license( string $panel_url, string $license_key, array $response ): void {
		// A site that was connected with an enrolment code does not know its license key, so compare the site ids: the panel
		// gives a site another id under each license.
		$site_id         = (int) ( $response['activation']['site_id'] ?? 0 );
		$is_same_panel   = untrailingslashit( $panel_url ) === Connection::panel_url() || ! empty( $response['is_proof_pending'] );
		$is_same_site    = 0 !== $site_id && $site_id === (int) Connection::state()['site_id'] && $is_same_panel;
		$is_same_license = $is_same_site || Enrolment::uses_license_key( $license_key );
		if ( Connection::is_connected() && ! $is_same_license && ! Connection::has_moved() ) {
			$released = self::send( 'license/deactivate', [], [ 'license' ] );
			if ( is_wp_error( $released ) ) {
				error_log( 'Steward: could not free the seat of the previous license: ' . $released->get_error_message() );
			}
		}
	}

	/**
	 * Frees the seat and deletes the connection.
	 *
	 * @return true|WP_Error
	 */
	public static function disconnect() {
		$response = self::send( 'license/deactivate', [], [ 'license' ] );
		// A license that is not active here, or unknown to the panel, has no seat to free.
		$is_inactive = is_wp_error( $response ) && in_array( $response->get_error_code(), [ 'site_not_activated', 'invalid_license_key', 'invalid_activation_token' ], true );
		if ( is_wp_error( $response ) && ! $is_inactive ) {
			return $response;
		}
		Connection::forget();
		return true;
	}

	/**
	 * Checks the license.
	 *
	 * @return int|WP_Error Seconds until the next check-in.
	 */
	public static function check() {
		$response = self::request_verdict( 'license/check', self::site_data() );
		if ( is_wp_error( $response ) ) {
			return $response;
		}
		Enrolment::rotate_signing_key( $response );
		$obtained = Enrolment::obtain_site_key();
		if ( is_wp_error( $obtained ) ) {
			error_log( 'Steward: could not obtain a site key: ' . $obtained->get_error_message() );
		}
		return (int) $response['next_check_in'];
	}

	/**
	 * Reports the inventory to the panel.
	 *
	 * @param bool $requests_probe Whether the panel should try to call this site.
	 * @return true|WP_Error
	 */
	public static function report_inventory( bool $requests_probe = false ) {
		$endpoint_url = Connection::state()['endpoint_url'];
		$report       = self::site_data() + [ 'inventory' => Inventory::collect(), 'time_zone' => Preflight::time_zone(), 'accepts_unsigned_calls' => Call_Signature::accepts_unsigned() ]
			+ ( '' === $endpoint_url ? [] : [ 'endpoint_url' => $endpoint_url ] );
		if ( $requests_probe && Capabilities::panel_supports( Capabilities::PROBE ) ) {
			$report['probe'] = true;
		}
		if ( Capabilities::panel_supports( Capabilities::PREFLIGHT ) ) {
			$report['preflight'] = Preflight::collect();
		}
		if ( Capabilities::panel_supports( Capabilities::BACKUP_STATE ) ) {
			$report['backup_state'] = Site_Backups::collect();
		}
		// Without a pinned signing key other clients can call this site, and the panel cannot distinguish their calls.
		if ( Call_Signature::is_required() && Capabilities::panel_supports( Capabilities::CALL_LOG ) ) {
			$report['call_log'] = Call_Log::build_report( (int) Connection::state()['log_acknowledged'] );
		}
		$due_number = Error_Report::due_number();
		$response   = self::request_verdict( 'site/verify', $report + Error_Report::fields() );
		if ( is_wp_error( $response ) ) {
			return $response;
		}
		Error_Report::mark_reported( $due_number );
		if ( isset( $response['endpoint']['reachable'] ) ) {
			$error = $response['endpoint']['reachable'] ? '' : wp_strip_all_tags( (string) ( $response['endpoint']['error'] ?? '' ) );
			Connection::update_state( [ 'endpoint_fault' => $error ] );
		}
		if ( is_int( $response['call_log']['acknowledged'] ?? null ) ) {
			Connection::update_state( [ 'log_acknowledged' => $response['call_log']['acknowledged'] ] );
		}
		return true;
	}

	/**
	 * Reports only the errors of this site. Works before WordPress has loaded the plugins: they may be what has failed. So
	 * it names no capability that a plugin could remove, and leaves the verdict to the next check-in.
	 *
	 * @return array|WP_Error
	 */
	public static function report_errors() {
		return self::send( 'site/verify', [ 'capabilities' => [ Capabilities::ITEM_ERRORS ] ] + self::site_data() + Error_Report::fields(), [] );
	}

	/** Sends a request and stores the verdict of the response. A response without a verdict keeps the previous verdict. */
	private static function request_verdict( string $path, array $body ) {
		$response = self::send( $path, $body, [ 'license', 'enabled_services', 'next_check_in' ] );
		if ( ! is_wp_error( $response ) ) {
			Capabilities::store( $response );
			self::store_verdict( $response, '' );
			Connection::store_enabled_services( (array) $response['enabled_services'] );
		} elseif ( in_array( $response->get_error_code(), self::VERDICT_CODES, true ) ) {
			self::store_verdict( (array) $response->get_error_data(), $response->get_error_message(), $response->get_error_code() );
		}
		return $response;
	}

	/**
	 * Sends a request with the key of this site.
	 *
	 * @param string   $path     Path such as license/check.
	 * @param array    $body     Fields besides the credentials.
	 * @param string[] $expected Required fields of the response.
	 * @return array|WP_Error
	 */
	public static function send( string $path, array $body, array $expected ) {
		if ( ! Connection::is_connected() ) {
			return new WP_Error( 'not_connected', __( 'This site is not connected to a panel.', 'steward' ) );
		}
		$token       = Connection::state()['activation_token'];
		$credentials = [
			'license_key' => Connection::key(),
			'site_url'    => Connection::site_url(),
		] + ( '' === $token ? [] : [ 'activation_token' => $token ] );
		return Panel_Client::post( Connection::panel_url(), $path, $credentials + $body, $expected );
	}

	private static function store_verdict( array $response, string $refusal, string $code = '' ): void {
		Connection::update_state(
			[
				'license'      => $response['license'] ?? Connection::state()['license'],
				'is_counted'   => (bool) ( $response['activation']['counted'] ?? Connection::state()['is_counted'] ),
				'is_valid'     => '' === $refusal,
				'refusal'      => $refusal,
				'refusal_code' => $code,
				'confirmed_at' => time(),
				'checked_at'   => time(),
			]
		);
	}

	private static function site_data(): array {
		return [
			'site_url'       => Connection::site_url(),
			'cms_version'    => Installed_Core::version(),
			'php_version'    => PHP_VERSION,
			'plugin_version' => Own_Plugin::version(),
			'environment'    => wp_get_environment_type(),
			'capabilities'   => Capabilities::supported(),
		];
	}
}
