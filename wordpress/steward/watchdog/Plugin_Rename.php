<?php
/**
 * @package Steward
 */

namespace Steward\Watchdog;

defined( 'ABSPATH' ) || exit;

/** Keeps a plugin active if an update changes the name of its main file. */
final class Plugin_Rename {

	private const DEFERRED_FILE = 'renamed.json';

	/**
	 * Replaces the plugin file in the lists of active plugins. Does not load the plugin: this request may already have
	 * loaded the other version.
	 *
	 * @param string $from Old plugin file.
	 * @param string $to   New plugin file.
	 */
	public static function rename_active_plugin( string $from, string $to ): void {
		$active = (array) get_option( 'active_plugins', [] );
		if ( in_array( $from, $active, true ) ) {
			$renamed = array_values( array_unique( array_replace( $active, array_fill_keys( array_keys( $active, $from, true ), $to ) ) ) );
			sort( $renamed );
			update_option( 'active_plugins', $renamed );
		}
		$network_active = is_multisite() ? (array) get_site_option( 'active_sitewide_plugins', [] ) : [];
		if ( isset( $network_active[ $from ] ) ) {
			$network_active[ $to ] = $network_active[ $from ];
			unset( $network_active[ $from ] );
			update_site_option( 'active_sitewide_plugins', $network_active );
		}
	}

	/** Defers the change to the next request outside maintenance mode: in maintenance mode the database is not loaded. */
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
			self::rename_active_plugin( (string) $from, (string) $to );
		}
	}
}
