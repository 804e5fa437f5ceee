<?php
/**
 * @package Steward
 */

namespace Steward\Admin;

use Steward\Connection;
use Steward\License_Key;

defined( 'ABSPATH' ) || exit;

/** Texts about the license for the settings page and the license notice. */
final class License_Summary {

	/** @return array<string, array{0: string, 1: string}> Label and value. */
	public static function rows(): array {
		$state   = Connection::state();
		$license = is_array( $state['license'] ) ? $state['license'] : [];
		return [
			'panel'      => [ __( 'Panel', 'steward' ), Connection::panel_url() ],
			'key'        => [ self::key_label(), License_Key::mask( Connection::key() ) ],
			'status'     => [ __( 'Status', 'steward' ), self::status() ],
			'plan'       => [ __( 'Plan', 'steward' ), (string) ( $license['plan']['name'] ?? '–' ) ],
			'sites'      => [ __( 'Sites', 'steward' ), self::seats( $license, (bool) $state['is_counted'] ) ],
			'expires'    => [ __( 'Expires', 'steward' ), self::expiry( $license ) ],
			'last-check' => [ __( 'Last check-in', 'steward' ), self::last_check( (int) $state['checked_at'] ) ],
			'services'   => [ __( 'Enabled services', 'steward' ), implode( ', ', Connection::enabled_services() ) ?: '–' ],
		];
	}

	private static function key_label(): string {
		return License_Key::is_site_key( Connection::key() ) ? __( 'Site key', 'steward' ) : __( 'License key', 'steward' );
	}

	public static function status(): string {
		$state = Connection::state();
		if ( ! $state['is_valid'] ) {
			return '' === $state['refusal'] ? __( 'Not checked yet', 'steward' ) : $state['refusal'];
		}
		return Connection::is_licensed()
			? __( 'Valid', 'steward' )
			: __( 'No contact with the panel for 14 days. Make sure that the panel is running, then press Check now.', 'steward' );
	}

	private static function seats( array $license, bool $is_counted ): string {
		if ( ! isset( $license['sites_used'] ) ) {
			return '–';
		}
		$seats = isset( $license['site_limit'] )
			/* translators: 1: Number of sites in use, 2: number of sites allowed. */
			? sprintf( __( '%1$d of %2$d used', 'steward' ), $license['sites_used'], $license['site_limit'] )
			/* translators: %d: Number of sites in use. */
			: sprintf( __( '%d used, no limit', 'steward' ), $license['sites_used'] );
		/* translators: %s: Number of sites in use, such as "2 of 5 used". */
		return $is_counted ? $seats : sprintf( __( '%s (local and staging addresses do not count toward the site limit)', 'steward' ), $seats );
	}

	private static function expiry( array $license ): string {
		if ( ! array_key_exists( 'expires_at', $license ) ) {
			return '–';
		}
		$expires = strtotime( (string) $license['expires_at'] );
		if ( false === $expires ) {
			return null === $license['expires_at'] ? __( 'Never', 'steward' ) : '–';
		}
		return (string) wp_date( get_option( 'date_format' ), $expires );
	}

	private static function last_check( int $at ): string {
		/* translators: %s: A span of time, such as "5 minutes". */
		return 0 === $at ? __( 'Never', 'steward' ) : sprintf( __( '%s ago', 'steward' ), human_time_diff( $at ) );
	}
}
