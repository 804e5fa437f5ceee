<?php
/**
 * @package Steward
 */

namespace Steward;

use Steward\Panel\Enrolment;
use Steward\Watchdog\Call_Signature;

defined( 'ABSPATH' ) || exit;

/**
 * What this site keeps about its panel and its license.
 *
 * Three options have names that the protocol knows; the rest is one option of our own.
 */
final class Connection {

	const LICENSE_KEY      = 'service_license_key';
	const ENABLED_SERVICES = 'service_enabled_services';
	const PANEL_URL        = 'service_panel_url';
	const STATE            = 'steward_state';
	// Apart from the state, which a check-in under way writes back as it was when it began.
	const REMOTE_OFF = 'steward_remote_off';
	const OPTIONS    = [ self::LICENSE_KEY, self::ENABLED_SERVICES, self::PANEL_URL, self::STATE, self::REMOTE_OFF, Call_Signature::PUBLIC_KEY, Call_Signature::UNSIGNED, Enrolment::FORMER ];

	const REMOTE = 'remote';

	private const NO_STATE = [
		'site_url'           => '',    // The address the license was activated for.
		'activation_token'   => '',
		'endpoint_url'       => '',    // Where our routes were last seen to answer.
		'endpoint_fault'     => '',    // Why the panel could not call them when it was last asked to.
		'license'            => null,  // As the panel last described it.
		'is_counted'         => true,  // Local and staging sites take no slot.
		'is_valid'           => false, // The panel's last verdict; its silence is none.
		'refusal'            => '',    // Why not, in the panel's words.
		'refusal_code'       => '',
		'license_key_hash'   => '',    // Of the license key that the site was connected with, which it does not keep.
		'confirmed_at'       => 0,     // When that verdict was given.
		'checked_at'         => 0,     // When the panel last answered a check-in.
		'log_acknowledged'   => 0,     // The entry up to which the panel has the log of calls.
		'panel_capabilities' => [],    // Extensions of the protocol that the panel has named.
	];

	private const GRACE_DAYS = 14;

	private const ENDINGS = [ 'license_revoked', 'license_suspended', 'invalid_license_key', 'site_not_activated' ];

	/** As it is set, without what plugins for several languages add to it page by page. */
	public static function site_url(): string {
		return untrailingslashit( (string) get_option( 'home' ) );
	}

	public static function license_key(): string {
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
		return ! self::is_remote_off() && ! self::is_ended() && in_array( self::REMOTE, self::enabled_services(), true );
	}

	/** The panel's last verdict was that the license is over. That it cannot be reached is no verdict. */
	public static function is_ended(): bool {
		$state = self::state();
		if ( 'license_expired' === $state['refusal_code'] ) {
			$expired_at = strtotime( (string) ( $state['license']['expires_at'] ?? '' ) );
			return false !== $expired_at && time() - $expired_at > self::GRACE_DAYS * DAY_IN_SECONDS;
		}
		return in_array( $state['refusal_code'], self::ENDINGS, true );
	}

	/** Switched off here, by the person in charge of the site, whatever the panel enables. */
	public static function is_remote_off(): bool {
		return (bool) get_option( self::REMOTE_OFF, false );
	}

	public static function switch_remote( bool $is_on ): void {
		update_option( self::REMOTE_OFF, $is_on ? '' : '1' );
	}

	public static function is_connected(): bool {
		return '' !== self::license_key() && '' !== self::panel_url();
	}

	public static function state(): array {
		$state = get_option( self::STATE, [] );
		return array_merge( self::NO_STATE, is_array( $state ) ? $state : [] );
	}

	public static function change_state( array $changes ): void {
		update_option( self::STATE, array_merge( self::state(), $changes ) );
	}

	/** As the panel last said, for as long as that can be relied on. */
	public static function is_licensed(): bool {
		$state = self::state();
		return $state['is_valid'] && time() - $state['confirmed_at'] < self::GRACE_DAYS * DAY_IN_SECONDS;
	}

	public static function enable_services( array $services ): void {
		update_option( self::ENABLED_SERVICES, array_values( array_filter( $services, 'is_string' ) ) );
	}

	/** A copy of the site at another address is another site. */
	public static function has_moved(): bool {
		$activated = self::state()['site_url'];
		if ( '' === $activated || $activated === self::site_url() ) {
			return false;
		}
		// An address without a canonical form is no other's.
		$canonical = Site_Url::canonical( $activated );
		return null === $canonical || Site_Url::canonical( self::site_url() ) !== $canonical;
	}

	public static function forget(): void {
		array_map( 'delete_option', self::OPTIONS );
	}
}
