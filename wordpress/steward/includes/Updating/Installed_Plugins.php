<?php
/**
 * @package Steward
 */

namespace Steward\Updating;

use const Steward\PLUGIN_FILE;

defined( 'ABSPATH' ) || exit;

/** The installed plugins. Reads names and versions from disk each time, because the result of an upgrader is not reliable. */
final class Installed_Plugins {

	/** `directory/file.php` or `file.php`; no `..`, no backslash, no control character, nothing absolute. */
	private const FILE_PATTERN = '~^(?!.*\.\.)(?!\.)[^/\\\\\x00-\x1f\x7f]+(/(?!\.)[^/\\\\\x00-\x1f\x7f]+)?\.php$~Du';

	private const MAX_NAME_LENGTH = 500;

	/** @return array<string, array{Name: string, Version: string}> By plugin file; no must-use plugins or drop-ins. */
	public static function all(): array {
		clearstatcache( true );
		wp_clean_plugins_cache( false );
		return get_plugins();
	}

	public static function exists( string $plugin ): bool {
		return isset( self::all()[ $plugin ] );
	}

	/** Whether this can be a plugin file. */
	public static function is_valid_file( string $plugin ): bool {
		return 1 === preg_match( self::FILE_PATTERN, $plugin );
	}

	/** Returns the name without markup, or '' if the plugin is not installed. */
	public static function name( string $plugin ): string {
		clearstatcache( true );
		$file = WP_PLUGIN_DIR . '/' . $plugin;
		return is_file( $file ) ? wp_html_excerpt( get_plugin_data( $file, false, false )['Name'], self::MAX_NAME_LENGTH ) : '';
	}

	/** Returns null if the plugin is not installed. */
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

	/** Returns the folder of the plugin, or the file of a single-file plugin. */
	public static function path( string $plugin ): string {
		$folder = dirname( $plugin );
		return WP_PLUGIN_DIR . '/' . ( '.' === $folder ? $plugin : $folder );
	}

	/** Whether the file is in the folder of the Steward plugin. Ignores upper and lower case. */
	public static function is_steward( string $plugin ): bool {
		$own = strtok( plugin_basename( PLUGIN_FILE ), '/' );
		return strtolower( (string) strtok( $plugin, '/' ) ) === strtolower( (string) $own );
	}

	/** @return string[] Files of other plugins in the same folder. */
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
	 * Returns the names of active plugins that require this plugin.
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
	 * Returns the slugs of required plugins that are not active.
	 *
	 * @param string $file Main file of the plugin, in any folder.
	 * @return string[]
	 */
	public static function missing_requirements( string $file ): array {
		return self::inactive_slugs( self::requirements( $file ) );
	}

	/**
	 * Returns the slugs that belong to no active plugin.
	 *
	 * @param string[] $slugs Slugs of plugins.
	 * @return string[]
	 */
	public static function inactive_slugs( array $slugs ): array {
		if ( [] === $slugs ) {
			return [];
		}
		$active = [];
		foreach ( array_keys( self::all() ) as $other ) {
			if ( self::is_active( $other ) ) {
				$active[] = self::slug( $other );
			}
		}
		return array_values( array_diff( $slugs, $active ) );
	}

	private static function slug( string $plugin ): string {
		$folder = dirname( $plugin );
		return '.' === $folder ? basename( $plugin, '.php' ) : $folder;
	}

	/** @return string[] Slugs in the header Requires Plugins. WordPress reads this header only since 6.5. */
	private static function requirements( string $file ): array {
		$header = get_file_data( $file, [ 'requires' => 'Requires Plugins' ], 'plugin' );
		return array_filter( array_map( 'trim', explode( ',', $header['requires'] ) ) );
	}
}
