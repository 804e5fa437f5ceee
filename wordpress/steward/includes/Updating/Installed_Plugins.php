<?php
/**
 * @package Steward
 */

namespace Steward\Updating;

use const Steward\PLUGIN_FILE;

defined( 'ABSPATH' ) || exit;

/** Looks anew each time, on disk and in the database: what an upgrader says about itself does not count. */
final class Installed_Plugins {

	/** @return array<string, array{Name: string, Version: string}> By plugin file; must-use plugins and drop-ins are not among them. */
	public static function all(): array {
		clearstatcache( true );
		wp_clean_plugins_cache( false );
		return get_plugins();
	}

	public static function exists( string $plugin ): bool {
		return isset( self::all()[ $plugin ] );
	}

	/** Null: not there. */
	public static function version( string $plugin ): ?string {
		clearstatcache( true );
		$file = WP_PLUGIN_DIR . '/' . $plugin;
		if ( ! is_file( $file ) ) {
			return null;
		}
		$data = get_plugin_data( $file, false, false );
		return '' === $data['Name'] ? null : $data['Version'];
	}

	public static function is_active( string $plugin ): bool {
		return is_plugin_active( $plugin );
	}

	public static function is_network_active( string $plugin ): bool {
		return is_plugin_active_for_network( $plugin );
	}

	/** The folder, or the file of a plugin that has none. */
	public static function path( string $plugin ): string {
		$folder = dirname( $plugin );
		return WP_PLUGIN_DIR . '/' . ( '.' === $folder ? $plugin : $folder );
	}

	/** Everything in our own folder, however its name is written. */
	public static function is_management( string $plugin ): bool {
		$own = strtok( plugin_basename( PLUGIN_FILE ), '/' );
		return strtolower( (string) strtok( $plugin, '/' ) ) === strtolower( (string) $own );
	}

	/** @return string[] Files of the other plugins that go when this one's folder goes. */
	public static function others_in_folder( string $plugin ): array {
		$folder = dirname( $plugin );
		$others = array_filter(
			array_keys( self::all() ),
			static function ( string $other ) use ( $plugin, $folder ): bool {
				return '.' !== $folder && $other !== $plugin && dirname( $other ) === $folder;
			}
		);
		return array_values( $others );
	}

	/**
	 * Names of active plugins that say they cannot do without this one.
	 *
	 * @return string[]
	 */
	public static function dependents( string $plugin ): array {
		$names = [];
		foreach ( self::all() as $other => $data ) {
			if ( $other === $plugin || ! self::is_active( $other ) ) {
				continue;
			}
			if ( in_array( self::slug( $plugin ), self::requirements( WP_PLUGIN_DIR . '/' . $other ), true ) ) {
				$names[] = '' === $data['Name'] ? $other : $data['Name'];
			}
		}
		return $names;
	}

	/**
	 * Slugs of what a plugin requires and is not active.
	 *
	 * @param string $file Its main file, wherever it is.
	 * @return string[]
	 */
	public static function missing_requirements( string $file ): array {
		$active = [];
		foreach ( array_keys( self::all() ) as $other ) {
			if ( self::is_active( $other ) ) {
				$active[] = self::slug( $other );
			}
		}
		return array_values( array_diff( self::requirements( $file ), $active ) );
	}

	private static function slug( string $plugin ): string {
		$folder = dirname( $plugin );
		return '.' === $folder ? basename( $plugin, '.php' ) : $folder;
	}

	/** @return string[] WordPress knows this header since 6.5; plugins may have it on older ones too. */
	private static function requirements( string $file ): array {
		$header = get_file_data( $file, [ 'requires' => 'Requires Plugins' ], 'plugin' );
		return array_filter( array_map( 'trim', explode( ',', $header['requires'] ) ) );
	}
}
