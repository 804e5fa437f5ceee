<?php
/**
 * @package Steward
 */

namespace Steward\Updating;

use WP_Error;

defined( 'ABSPATH' ) || exit;

/** An unpacked package that may take the place of what is installed. */
final class Package {

	/** @var string */
	public $version;

	/** @var string What the item is called once it is installed. */
	public $slug;

	/** @var string Where it will be. */
	public $path;

	public function __construct( string $version, string $slug, string $path ) {
		$this->version = $version;
		$this->slug    = $slug;
		$this->path    = $path;
	}

	public static function fault( string $message ): WP_Error {
		return new WP_Error( 'steward_package', $message );
	}

	/**
	 * What keeps a delivered version from being installed. A newer one than was offered is as good.
	 *
	 * @param string $offered The version that was promised.
	 * @param array  $headers Version, RequiresWP and RequiresPHP of what was delivered.
	 */
	public static function fault_of_version( string $offered, array $headers ): ?WP_Error {
		if ( Versions::is_older( $headers['Version'], $offered ) ) {
			/* translators: 1: Version found, 2: version expected. */
			return self::fault( sprintf( __( 'The package holds version %1$s instead of %2$s.', 'steward' ), $headers['Version'], $offered ) );
		}
		if ( ! is_php_version_compatible( $headers['RequiresPHP'] ?? '' ) ) {
			/* translators: 1: PHP version needed, 2: PHP version of the site. */
			return self::fault( sprintf( __( 'The new version requires PHP %1$s; this site runs %2$s.', 'steward' ), $headers['RequiresPHP'], PHP_VERSION ) );
		}
		if ( ! is_wp_version_compatible( $headers['RequiresWP'] ?? '' ) ) {
			/* translators: 1: WordPress version needed, 2: WordPress version of the site. */
			return self::fault( sprintf( __( 'The new version requires WordPress %1$s; this site runs %2$s.', 'steward' ), $headers['RequiresWP'], get_bloginfo( 'version' ) ) );
		}
		return null;
	}
}
