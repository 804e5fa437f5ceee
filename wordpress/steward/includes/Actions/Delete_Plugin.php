<?php
/**
 * @package Steward
 */

namespace Steward\Actions;

use Steward\Health\Health_Check;
use Steward\Updating\File_Permissions;
use Steward\Updating\Installed_Plugins;
use Steward\Updating\Network_Sites;
use WP_Error;

defined( 'ABSPATH' ) || exit;

/** Deletes the files of a plugin. Deactivates an active plugin first. */
final class Delete_Plugin implements Action {

	/** @var Health_Check */
	private $health;

	public function __construct( Health_Check $health ) {
		$this->health = $health;
	}

	public function changes_files(): bool {
		return true;
	}

	public function run( string $plugin ) {
		$dependents = Installed_Plugins::dependents( $plugin );
		if ( [] !== $dependents ) {
			/* translators: %s: Comma-separated names of plugins. */
			return new WP_Error( 'steward_required', sprintf( __( 'Other active plugins require this plugin: %s. Deactivate them first.', 'steward' ), implode( ', ', $dependents ) ) );
		}
		$companions = Installed_Plugins::others_in_folder( $plugin );
		if ( [] !== $companions ) {
			/* translators: %s: Comma-separated files of plugins. */
			return new WP_Error( 'steward_shared', sprintf( __( 'The folder of this plugin contains other plugins that would also be deleted: %s.', 'steward' ), implode( ', ', $companions ) ) );
		}
		if ( is_link( Installed_Plugins::path( $plugin ) ) ) {
			return new WP_Error( 'steward_link', __( 'The plugin is a symbolic link to a folder that may be in use elsewhere. Remove the link manually.', 'steward' ) );
		}
		$other_sites = array_map( 'get_home_url', Network_Sites::using_plugin( $plugin ) );
		if ( [] !== $other_sites ) {
			/* translators: %s: Comma-separated addresses of sites. */
			return new WP_Error( 'steward_used', sprintf( __( 'The plugin is active on other sites of this network: %s. Deactivate it there first.', 'steward' ), implode( ', ', $other_sites ) ) );
		}
		$error = File_Permissions::delete_error( Installed_Plugins::path( $plugin ) );
		if ( null !== $error ) {
			return new WP_Error( 'steward_rights', $error );
		}
		$deactivated = ( new Deactivate_Plugin( $this->health ) )->run( $plugin );
		if ( is_wp_error( $deactivated ) ) {
			return $deactivated;
		}
		$result = delete_plugins( [ $plugin ] );
		if ( is_wp_error( $result ) ) {
			return $result;
		}
		return null === Installed_Plugins::version( $plugin ) ? $deactivated : new WP_Error( 'steward_there', __( 'The plugin is still installed.', 'steward' ) );
	}
}
