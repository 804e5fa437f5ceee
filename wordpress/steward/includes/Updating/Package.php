<?php
/**
 * @package Steward
 */

namespace Steward\Updating;

use WP_Error;

defined( 'ABSPATH' ) || exit;

/** An unpacked package that can replace the installed version. */
final class Package {

	/** @var string */
	public $version;

	/** @var string Slug of the item after installation. */
	public $slug;

	/** @var string Path of the item after installation. */
	public $path;

	public function __construct( string $version, string $slug, string $path ) {
		$this->version = $version;
		$this->slug    = $slug;
		$this->path    = $path;
	}

	public static function error( string $message ): WP_Error {
		return new WP_Error( 'package_rejected', $message );
	}

	/**
	 * Returns the reason why the version in a package cannot be installed, or null. The download address of an offer can
	 * already serve a newer version, which is allowed if the call did not name a version.
	 *
	 * @param string $offered  Offered version.
	 * @param array  $headers  Version, RequiresWP and RequiresPHP of the package.
	 * @param bool   $is_exact Whether the call named the offered version.
	 */
	public static function version_error( string $offered, array $headers, bool $is_exact = false ): ?WP_Error {
		if ( $is_exact && ! Versions::are_same( $headers['Version'], $offered ) ) {
			/* translators: 1: Version found, 2: version expected. */
			return new WP_Error( 'offer_changed', sprintf( __( 'The package contains version %1$s, not %2$s. No changes were made.', 'steward' ), $headers['Version'], $offered ) );
		}
		if ( Versions::is_older( $headers['Version'], $offered ) ) {
			/* translators: 1: Version found, 2: version expected. */
			return self::error( sprintf( __( 'The package contains version %1$s, not %2$s.', 'steward' ), $headers['Version'], $offered ) );
		}
		return Requirements::version_error( $headers['RequiresPHP'] ?? '', $headers['RequiresWP'] ?? '' );
	}
}
