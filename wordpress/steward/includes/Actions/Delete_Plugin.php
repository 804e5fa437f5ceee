<?php
/**
 * @package Steward
 */

namespace Steward\Actions;

use Steward\Updating\File_Rights;
use Steward\Updating\Installed_Plugins;
use Steward\Updating\Network_Sites;
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
		$companions = Installed_Plugins::others_in_folder( $plugin );
		if ( [] !== $companions ) {
			/* translators: %s: Comma-separated files of plugins. */
			return new WP_Error( 'steward_shared', sprintf( __( 'Its folder holds other plugins, which would be deleted with it: %s.', 'steward' ), implode( ', ', $companions ) ) );
		}
		if ( is_link( Installed_Plugins::path( $plugin ) ) ) {
			return new WP_Error( 'steward_link', __( 'It is a link to another folder, whose files may be needed elsewhere. Remove the link by hand.', 'steward' ) );
		}
		$elsewhere = array_map( 'get_home_url', Network_Sites::using_plugin( $plugin ) );
		if ( [] !== $elsewhere ) {
			/* translators: %s: Comma-separated addresses of sites. */
			return new WP_Error( 'steward_used', sprintf( __( 'It is active on other sites of this network: %s.', 'steward' ), implode( ', ', $elsewhere ) ) );
		}
		$rights = File_Rights::fault_of_removing( Installed_Plugins::path( $plugin ) );
		if ( null !== $rights ) {
			return new WP_Error( 'steward_rights', $rights );
		}
		$off = ( new Deactivate_Plugin() )->run( $plugin );
		if ( is_wp_error( $off ) ) {
			return $off;
		}
		$result = delete_plugins( [ $plugin ] );
		if ( is_wp_error( $result ) ) {
			return $result;
		}
		return null === Installed_Plugins::version( $plugin ) ? $off : new WP_Error( 'steward_there', __( 'The plugin is still there.', 'steward' ) );
	}
}
