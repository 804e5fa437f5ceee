<?php
/**
 * @package Steward
 */

namespace Steward\Watchdog;

defined( 'ABSPATH' ) || exit;

/** Keeps a plugin active if its new version has another main file. */
final class Renamed {

	private const DEFERRED_FILE = 'renamed.json';

	/**
	 * Changes the lists of active plugins. Loads no plugin code: this request may already contain the other version.
	 *
	 * @param string $from Old plugin file.
	 * @param string $to   New plugin file.
	 */
	public static function update_active_plugins( string $from, string $to ): void {
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

	/** Defers the change to the next request with a database. In maintenance mode there is none. */
	public static function defer( string $from, string $to ): void {
		State::write( self::DEFERRED_FILE, array_merge( State::read( self::DEFERRED_FILE ) ?? [], [ [ $from, $to ] ] ) );
	}

	public static function run_deferred(): void {
		$deferred = State::read( self::DEFERRED_FILE );
		if ( null === $deferred || ! function_exists( 'update_option' ) || ! isset( $GLOBALS['wpdb'] ) ) {
			return;
		}
		@unlink( State::file( self::DEFERRED_FILE ) );
		foreach ( $deferred as [ $from, $to ] ) {
			self::update_active_plugins( (string) $from, (string) $to );
		}
	}
}
