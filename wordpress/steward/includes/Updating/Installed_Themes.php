<?php
/**
 * @package Steward
 */

namespace Steward\Updating;

defined( 'ABSPATH' ) || exit;

/** The themes on disk. */
final class Installed_Themes {

	/** A folder, or a folder in a folder: WordPress finds these themes too. */
	private const FOLDER_PATTERN = '~^(?!.*\.\.)(?!\.)[^/\\\\\x00-\x1f\x7f]+(/(?!\.)[^/\\\\\x00-\x1f\x7f]+)?$~Du';

	private const MAX_NAME_LENGTH = 500;

	/** @return array<int|string, \WP_Theme> By folder, including themes that cannot be used, such as child themes without a parent. */
	public static function all(): array {
		clearstatcache( true );
		wp_clean_themes_cache( false );
		return wp_get_themes( [ 'errors' => null ] );
	}

	/** Whether this can be the folder of a theme. */
	public static function is_valid_folder( string $theme ): bool {
		return 1 === preg_match( self::FOLDER_PATTERN, $theme );
	}

	/** Returns the name without markup, or '' if the theme is not installed. */
	public static function name( string $theme ): string {
		clearstatcache( true );
		$file = self::path( $theme ) . '/style.css';
		return is_file( $file ) ? wp_html_excerpt( get_file_data( $file, [ 'name' => 'Theme Name' ], 'theme' )['name'], self::MAX_NAME_LENGTH ) : '';
	}

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
