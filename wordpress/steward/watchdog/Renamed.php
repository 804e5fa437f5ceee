<?php
/**
 * @package Steward
 */

namespace Steward\Watchdog;

defined( 'ABSPATH' ) || exit;

/** A plugin whose main file has another name in its new version stays active under that name. */
final class Renamed {

	private const TO_DO = 'renamed.json';

	/**
	 * In the lists of active plugins. Nothing is loaded: the code of the other version may be in this request already.
	 *
	 * @param string $from The plugin's file so far.
	 * @param string $to   Its file from now on.
	 */
	public static function follow( string $from, string $to ): void {
		$active = (array) get_option( 'active_plugins', [] );
		if ( in_array( $from, $active, true ) ) {
			$renamed = array_values( array_unique( array_replace( $active, array_fill_keys( array_keys( $active, $from, true ), $to ) ) ) );
			sort( $renamed );
			update_option( 'active_plugins', $renamed );
		}
		$network = is_multisite() ? (array) get_site_option( 'active_sitewide_plugins', [] ) : [];
		if ( isset( $network[ $from ] ) ) {
			$network[ $to ] = $network[ $from ];
			unset( $network[ $from ] );
			update_site_option( 'active_sitewide_plugins', $network );
		}
	}

	/** For the next request that has the database: maintenance has none. */
	public static function follow_later( string $from, string $to ): void {
		State::write( self::TO_DO, array_merge( State::read( self::TO_DO ) ?? [], [ [ $from, $to ] ] ) );
	}

	public static function do_what_is_left(): void {
		$left = State::read( self::TO_DO );
		if ( null === $left || ! function_exists( 'update_option' ) || ! isset( $GLOBALS['wpdb'] ) ) {
			return;
		}
		@unlink( State::file( self::TO_DO ) );
		foreach ( $left as [ $from, $to ] ) {
			self::follow( (string) $from, (string) $to );
		}
	}
}
