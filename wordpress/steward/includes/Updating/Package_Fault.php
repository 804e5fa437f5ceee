<?php
/**
 * @package Steward
 */

namespace Steward\Updating;

use WP_Error;

defined( 'ABSPATH' ) || exit;

/** What can be wrong with a package before anything is replaced. */
final class Package_Fault {

	public static function because( string $message ): WP_Error {
		return new WP_Error( 'steward_package', $message );
	}

	/**
	 * @param string $offered The version that was promised.
	 * @param array  $headers Version, RequiresWP and RequiresPHP of what was delivered.
	 * @return true|WP_Error
	 */
	public static function check_versions( string $offered, array $headers ) {
		if ( ! Versions::are_same( $headers['Version'], $offered ) ) {
			/* translators: 1: Version found, 2: version expected. */
			return self::because( sprintf( __( 'The package holds version %1$s instead of %2$s.', 'steward' ), $headers['Version'], $offered ) );
		}
		if ( ! is_php_version_compatible( $headers['RequiresPHP'] ?? '' ) ) {
			/* translators: 1: PHP version needed, 2: PHP version of the site. */
			return self::because( sprintf( __( 'The new version requires PHP %1$s; this site runs %2$s.', 'steward' ), $headers['RequiresPHP'], PHP_VERSION ) );
		}
		if ( ! is_wp_version_compatible( $headers['RequiresWP'] ?? '' ) ) {
			/* translators: 1: WordPress version needed, 2: WordPress version of the site. */
			return self::because( sprintf( __( 'The new version requires WordPress %1$s; this site runs %2$s.', 'steward' ), $headers['RequiresWP'], get_bloginfo( 'version' ) ) );
		}
		return true;
	}
}
