<?php
/**
 * @package Steward
 */

namespace Steward\Updating;

defined( 'ABSPATH' ) || exit;

/** The themes on disk. */
final class Installed_Themes {

	/** @return array<string, string> Name by folder. */
	public static function names(): array {
		wp_clean_themes_cache( false );
		return array_map(
			static function ( $theme ) {
				return (string) $theme->get( 'Name' );
			},
			wp_get_themes()
		);
	}

	/** Returns null if the theme is not installed. */
	public static function version( string $theme ): ?string {
		clearstatcache( true );
		$file = self::path( $theme ) . '/style.css';
		if ( ! is_file( $file ) ) {
			return null;
		}
		return get_file_data( $file, [ 'version' => 'Version' ], 'theme' )['version'];
	}

	/** Whether this is the active theme or its parent. */
	public static function is_active( string $theme ): bool {
		return get_stylesheet() === $theme || get_template() === $theme;
	}

	public static function path( string $theme ): string {
		return get_theme_root( $theme ) . '/' . $theme;
	}
}
