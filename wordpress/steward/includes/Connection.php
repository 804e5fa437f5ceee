<?php
/**
 * @package Steward
 */

namespace Steward;

use Steward\Login\Allowed_Users;
use Steward\Login\Login_History;
use Steward\Login\Login_Token;
use Steward\Panel\Enrolment;
use Steward\Watchdog\Call_Signature;

defined( 'ABSPATH' ) || exit;

/**
 * The stored connection of this site to its panel, with the license.
 *
 * The protocol defines the names of the `service_…` options; the other options are private to this plugin.
 */
final class Connection {

	const LICENSE_KEY      = 'service_license_key';
	const ENABLED_SERVICES = 'service_enabled_services';
	const PANEL_URL        = 'service_panel_url';
	const STATE            = 'steward_state';
	// Not part of STATE: a running check-in writes STATE as it read it earlier, and would undo a change.
	const REMOTE_OFF = 'steward_remote_off';
	const OPTIONS    = [ self::LICENSE_KEY, self::ENABLED_SERVICES, self::PANEL_URL, self::STATE, self::REMOTE_OFF, Call_Signature::PUBLIC_KEY_OPTION, Call_Signature::FORMER_PUBLIC_KEY_OPTION, Call_Signature::UNSIGNED_OPTION, Enrolment::PREVIOUS_OPTION, Allowed_Users::OPTION, Login_History::OPTION ];

	const REMOTE = 'remote';

	private const DEFAULT_STATE = [
		'site_url'           => '',    // Address the license was activated for.
		'site_id'            => 0,     // Id of this site in the panel. 0 if it was connected by an earlier version.
		'activation_token'   => '',
		'endpoint_url'       => '',    // Last address at which our routes responded.
		'endpoint_fault'     => '',    // Why the last probe by the panel failed.
		'license'            => null,  // Last license data from the panel.
		'is_counted'         => true,  // Whether this site counts toward the site limit.
		'is_valid'           => false, // Last verdict of the panel. A lost response does not change it.
		'refusal'            => '',    // Error message of the panel.
		'refusal_code'       => '',
		'license_key_hash'   => '',    // Hash of the license key used to connect. A site with a site key does not store that key.
		'confirmed_at'       => 0,     // Time of the last verdict.
		'checked_at'         => 0,     // The same time, for the settings page.
		'log_acknowledged'   => 0,     // Last call log entry that the panel has acknowledged.
		'panel_capabilities' => [],    // Protocol extensions that the panel supports.
		'checked_in_build'   => '',    // Plugin build of the last check-in, or of a scheduled check-in.
	];

	private const GRACE_DAYS = 14;

	private const ENDED_CODES = [ 'license_revoked', 'license_suspended', 'invalid_license_key', 'site_not_activated' ];

	/** Does not use home_url(): multilingual plugins add a language path to it. */
	public static function site_url(): string {
		return untrailingslashit( (string) get_option( 'home' ) );
	}

	/** Returns the stored key: the site key, or the license key if the site has no site key. */
	public static function key(): string {
		$key = get_option( self::LICENSE_KEY, '' );
		return is_string( $key ) ? $key : '';
	}

	public static function panel_url(): string {
		$url = get_option( self::PANEL_URL, '' );
		return is_string( $url ) ? untrailingslashit( $url ) : '';
	}

	/** @return string[] */
	public static function enabled_services(): array {
		$services = get_option( self::ENABLED_SERVICES, [] );
		return is_array( $services ) ? array_values( array_filter( $services, 'is_string' ) ) : [];
	}

	public static function is_remote_enabled(): bool {
		return ! self::is_remote_off() && ! self::is_license_ended() && in_array( self::REMOTE, self::enabled_services(), true );
	}

	/**
	 * Whether the panel has refused the license, or the license expired more than GRACE_DAYS ago. An unreachable panel
	 * does not count as a refusal.
	 */
	public static function is_license_ended(): bool {
		$state = self::state();
		if ( 'license_expired' === $state['refusal_code'] ) {
			$expired_at = strtotime( (string) ( $state['license']['expires_at'] ?? '' ) );
			return false !== $expired_at && time() - $expired_at > self::GRACE_DAYS * DAY_IN_SECONDS;
		}
		return in_array( $state['refusal_code'], self::ENDED_CODES, true );
	}

	/** Whether an administrator of this site has turned remote management off. This overrides the panel. */
	public static function is_remote_off(): bool {
		return (bool) get_option( self::REMOTE_OFF, false );
	}

	public static function switch_remote( bool $is_on ): void {
		update_option( self::REMOTE_OFF, $is_on ? '' : '1' );
	}

	public static function is_connected(): bool {
		return '' !== self::key() && '' !== self::panel_url();
	}

	public static function state(): array {
		$state = get_option( self::STATE, [] );
		return array_merge( self::DEFAULT_STATE, is_array( $state ) ? $state : [] );
	}

	public static function update_state( array $changes ): void {
		update_option( self::STATE, array_merge( self::state(), $changes ) );
	}

	/** Whether the license is valid. The last verdict of the panel counts for GRACE_DAYS. */
	public static function is_licensed(): bool {
		$state = self::state();
		return $state['is_valid'] && time() - $state['confirmed_at'] < self::GRACE_DAYS * DAY_IN_SECONDS;
	}

	public static function store_enabled_services( array $services ): void {
		update_option( self::ENABLED_SERVICES, array_values( array_filter( $services, 'is_string' ) ) );
	}

	/** Whether the address of the site has changed since activation. A copy at another address is another site. */
	public static function has_moved(): bool {
		$activated = self::state()['site_url'];
		if ( '' === $activated || $activated === self::site_url() ) {
			return false;
		}
		// An address without a canonical form equals no other address.
		$canonical = Site_Url::canonical( $activated );
		return null === $canonical || Site_Url::canonical( self::site_url() ) !== $canonical;
	}

	public static function forget(): void {
		array_map( 'delete_option', self::OPTIONS );
		Login_Token::delete_all();
	}
}
