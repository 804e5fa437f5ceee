<?php
/**
 * @package Steward
 */

namespace Steward\Updating;

use WP_Error;

defined( 'ABSPATH' ) || exit;

/** The plugins and themes of wordpress.org. */
final class Public_Directory {

	/**
	 * Returns the download link of exactly this version.
	 *
	 * @param string $type Requested_Items::PLUGIN or Requested_Items::THEME.
	 * @return string|WP_Error
	 */
	public static function find_link( string $type, string $slug, string $version ) {
		require_once ABSPATH . 'wp-admin/includes/plugin-install.php';
		$query = [
			'slug'   => $slug,
			'fields' => [
				'versions' => true,
				'sections' => false,
			],
		];
		$info  = Requested_Items::PLUGIN === $type ? plugins_api( 'plugin_information', $query ) : themes_api( 'theme_information', $query );
		if ( is_wp_error( $info ) ) {
			// An error with data: wordpress.org could not be reached. Without data: wordpress.org responded with an error.
			return $info->get_error_data()
				? $info
				/* translators: 1: Slug of a plugin or theme, 2: error message. */
				: new WP_Error( 'item_not_found', sprintf( __( 'WordPress.org does not offer %1$s: %2$s', 'steward' ), $slug, $info->get_error_message() ) );
		}
		$versions = (array) ( $info->versions ?? [] );
		$link     = ( $info->version ?? '' ) === $version ? $info->download_link ?? '' : $versions[ $version ] ?? '';
		return is_string( $link ) && '' !== $link
			? $link
			/* translators: 1: Slug of a plugin or theme, 2: version. */
			: new WP_Error( 'item_not_found', sprintf( __( 'WordPress.org does not offer %1$s in version %2$s.', 'steward' ), $slug, $version ) );
	}
}
