<?php
/**
 * @package Steward
 */

namespace Steward\Updating;

use WP_Error;

defined( 'ABSPATH' ) || exit;

/**
 * Reads and checks what an offered version needs, according to the update server. The inventory reports the requirements,
 * so that the panel can predict a failure. An update checks them before the download. Both give the same reason.
 */
final class Requirements {

	/**
	 * Error codes that the panel knows. Their messages below must equal `describeOldPhp`, `describeOldCms` and
	 * `describeMissingPlugins` in `packages/contract/src/preflight-reasons.ts`.
	 */
	const CODES = [ 'php_too_old', 'cms_too_old', 'plugin_missing' ];

	private const MAX_PLUGINS     = 50;
	private const MAX_VERSION_LENGTH      = 64;
	private const MAX_SLUG_LENGTH = 200;

	/**
	 * Reads the requirements of an offer. Update servers of premium plugins send false, null or other types.
	 *
	 * @param array|object|null $offer Offer from an update transient.
	 * @return array{requires_php?: string, requires?: string, requires_plugins?: string[]}
	 */
	public static function of_offer( $offer ): array {
		$offer        = (array) $offer;
		$requirements = array_filter(
			[
				'requires_php' => self::version( $offer['requires_php'] ?? null ),
				'requires'     => self::version( $offer['requires'] ?? null ),
			],
			'strlen'
		);
		$plugins      = self::slugs( $offer['requires_plugins'] ?? [] );
		return $requirements + ( [] === $plugins ? [] : [ 'requires_plugins' => $plugins ] );
	}

	/**
	 * Reads the requirements of core, which has another name for the required PHP version.
	 *
	 * @param object|null $offer Offer of core.
	 */
	public static function of_core( ?object $offer ): array {
		return self::of_offer( [ 'requires_php' => $offer->php_version ?? null ] );
	}

	/**
	 * Returns the first requirement that this site does not meet, or null.
	 *
	 * @param array $requirements Result of of_offer().
	 * @param bool  $is_active    Whether the plugin is active. Only an active plugin needs other plugins.
	 */
	public static function error( array $requirements, bool $is_active ): ?WP_Error {
		return self::version_error( $requirements['requires_php'] ?? '', $requirements['requires'] ?? '' )
			?? self::plugins_error( $is_active ? Installed_Plugins::inactive_slugs( $requirements['requires_plugins'] ?? [] ) : [] );
	}

	public static function version_error( string $php, string $wordpress ): ?WP_Error {
		if ( ! is_php_version_compatible( $php ) ) {
			/* translators: 1: PHP version needed, 2: PHP version of the site. */
			return new WP_Error( 'php_too_old', sprintf( __( 'The new version requires PHP %1$s; this site runs %2$s.', 'steward' ), $php, PHP_VERSION ) );
		}
		if ( ! is_wp_version_compatible( $wordpress ) ) {
			/* translators: 1: Version needed, 2: version of the site. */
			return new WP_Error( 'cms_too_old', sprintf( __( 'The new version requires core version %1$s; this site runs %2$s.', 'steward' ), $wordpress, Installed_Core::version() ) );
		}
		return null;
	}

	/** @param string[] $missing Slugs of required plugins that are not active. */
	public static function plugins_error( array $missing ): ?WP_Error {
		return [] === $missing
			? null
			/* translators: %s: Comma-separated slugs of plugins. */
			: new WP_Error( 'plugin_missing', sprintf( __( 'The new version requires plugins that are not active: %s.', 'steward' ), implode( ', ', $missing ) ) );
	}

	/** @param mixed $value Value of the update server. */
	private static function version( $value ): string {
		$version = is_scalar( $value ) && ! is_bool( $value ) ? trim( (string) $value ) : '';
		return 1 === preg_match( '/^\d/', $version ) ? substr( $version, 0, self::MAX_VERSION_LENGTH ) : '';
	}

	/** @param mixed $value Value of the update server. */
	private static function slugs( $value ): array {
		$slugs = is_string( $value ) ? explode( ',', $value ) : ( is_array( $value ) ? $value : [] );
		$slugs = array_map( 'trim', array_filter( $slugs, 'is_string' ) );
		$slugs = array_filter(
			$slugs,
			static function ( string $slug ): bool {
				return '' !== $slug && strlen( $slug ) <= self::MAX_SLUG_LENGTH;
			}
		);
		return array_slice( array_values( array_unique( $slugs ) ), 0, self::MAX_PLUGINS );
	}
}
