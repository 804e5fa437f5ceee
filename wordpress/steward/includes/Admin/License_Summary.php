<?php
/**
 * @package Steward
 */

namespace Steward\Admin;

use Steward\Connection;
use Steward\License_Key;

defined( 'ABSPATH' ) || exit;

/** How the license stands, in words. */
final class License_Summary {

	/** @return array<string, array{0: string, 1: string}> Label and value. */
	public static function rows(): array {
		$state   = Connection::state();
		$license = is_array( $state['license'] ) ? $state['license'] : [];
		return [
			'panel'      => [ __( 'Panel', 'steward' ), Connection::panel_url() ],
			'key'        => [ self::key_label(), License_Key::masked( Connection::license_key() ) ],
			'status'     => [ __( 'Status', 'steward' ), self::status() ],
			'plan'       => [ __( 'Plan', 'steward' ), (string) ( $license['plan']['name'] ?? '–' ) ],
			'sites'      => [ __( 'Sites', 'steward' ), self::slots( $license, (bool) $state['is_counted'] ) ],
			'expires'    => [ __( 'Expires', 'steward' ), self::expiry( $license ) ],
			'last-check' => [ __( 'Last check', 'steward' ), self::last_check( (int) $state['checked_at'] ) ],
			'services'   => [ __( 'Enabled services', 'steward' ), implode( ', ', Connection::enabled_services() ) ?: '–' ],
		];
	}

	private static function key_label(): string {
		return License_Key::is_site_key( Connection::license_key() ) ? __( 'Key of this site', 'steward' ) : __( 'License key', 'steward' );
	}

	public static function status(): string {
		$state = Connection::state();
		if ( ! $state['is_valid'] ) {
			return '' === $state['refusal'] ? __( 'Not checked yet', 'steward' ) : $state['refusal'];
		}
		return Connection::is_licensed()
			? __( 'Valid', 'steward' )
			: __( 'The panel has not been reached for 14 days. Check that it runs, then press Check now.', 'steward' );
	}

	private static function slots( array $license, bool $is_counted ): string {
		if ( ! isset( $license['sites_used'] ) ) {
			return '–';
		}
		$slots = isset( $license['site_limit'] )
			/* translators: 1: Number of sites in use, 2: number of sites allowed. */
			? sprintf( __( '%1$d of %2$d', 'steward' ), $license['sites_used'], $license['site_limit'] )
			/* translators: %d: Number of sites in use. */
			: sprintf( __( '%d, without limit', 'steward' ), $license['sites_used'] );
		/* translators: %s: Number of sites in use, such as "2 of 5". */
		return $is_counted ? $slots : sprintf( __( '%s (this is a local or staging site and takes none)', 'steward' ), $slots );
	}

	private static function expiry( array $license ): string {
		$expires = strtotime( (string) ( $license['expires_at'] ?? '' ) );
		return false === $expires ? __( 'Never', 'steward' ) : (string) wp_date( get_option( 'date_format' ), $expires );
	}

	private static function last_check( int $at ): string {
		/* translators: %s: A span of time, such as "5 minutes". */
		return 0 === $at ? __( 'Never', 'steward' ) : sprintf( __( '%s ago', 'steward' ), human_time_diff( $at ) );
	}
}
