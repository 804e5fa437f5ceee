<?php
/**
 * @package Steward
 */

namespace Steward\Actions;

use Steward\Updating\Installed_Plugins;
use WP_Error;

defined( 'ABSPATH' ) || exit;

/** Deletes a plugin's files; an active one is switched off first. */
final class Delete_Plugin implements Action {

	public function changes_files(): bool {
		return true;
	}

	public function run( string $plugin ) {
		$dependents = Installed_Plugins::dependents( $plugin );
		if ( [] !== $dependents ) {
			/* translators: %s: Comma-separated names of plugins. */
			return new WP_Error( 'steward_required', sprintf( __( 'Other active plugins require it: %s.', 'steward' ), implode( ', ', $dependents ) ) );
		}
		if ( is_link( Installed_Plugins::path( $plugin ) ) ) {
			return new WP_Error( 'steward_link', __( 'It is a link to another folder, whose files may be needed elsewhere. Remove the link by hand.', 'steward' ) );
		}
		$elsewhere = $this->other_sites_using( $plugin );
		if ( [] !== $elsewhere ) {
			/* translators: %s: Comma-separated addresses of sites. */
			return new WP_Error( 'steward_used', sprintf( __( 'It is active on other sites of this network: %s.', 'steward' ), implode( ', ', $elsewhere ) ) );
		}
		$off = ( new Deactivate_Plugin() )->run( $plugin );
		if ( is_wp_error( $off ) ) {
			return $off;
		}
		$result = delete_plugins( [ $plugin ] );
		if ( is_wp_error( $result ) ) {
			return $result;
		}
		return null === Installed_Plugins::version( $plugin ) ? true : new WP_Error( 'steward_there', __( 'The plugin is still there.', 'steward' ) );
	}

	/** @return string[] */
	private function other_sites_using( string $plugin ): array {
		$sites = [];
		foreach ( is_multisite() ? get_sites( [ 'number' => 0 ] ) : [] as $site ) {
			$active = (array) get_blog_option( (int) $site->blog_id, 'active_plugins', [] );
			if ( ! is_main_site( (int) $site->blog_id ) && in_array( $plugin, $active, true ) ) {
				$sites[] = $site->domain . $site->path;
			}
		}
		return $sites;
	}
}
