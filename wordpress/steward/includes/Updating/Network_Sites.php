<?php
/**
 * @package Steward
 */

namespace Steward\Updating;

defined( 'ABSPATH' ) || exit;

/** The ids of all sites of a multisite network except the main site. Empty without multisite. */
final class Network_Sites {

	/** @return int[] */
	public static function using_plugin( string $plugin ): array {
		return self::filter(
			static function ( int $site ) use ( $plugin ): bool {
				return in_array( $plugin, (array) get_blog_option( $site, 'active_plugins', [] ), true );
			}
		);
	}

	/** @return int[] */
	public static function using_theme( string $theme ): array {
		return self::filter(
			static function ( int $site ) use ( $theme ): bool {
				return in_array( $theme, [ get_blog_option( $site, 'stylesheet' ), get_blog_option( $site, 'template' ) ], true );
			}
		);
	}

	/** @return int[] */
	public static function all(): array {
		return self::filter( '__return_true' );
	}

	/** @return int[] */
	private static function filter( callable $is_included ): array {
		if ( ! is_multisite() ) {
			return [];
		}
		$others = array_diff( array_map( 'intval', get_sites( [ 'number' => 0, 'fields' => 'ids' ] ) ), [ get_main_site_id() ] );
		return array_values( array_filter( $others, $is_included ) );
	}
}
