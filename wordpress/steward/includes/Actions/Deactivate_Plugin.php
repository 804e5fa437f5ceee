<?php
/**
 * @package Steward
 */

namespace Steward\Actions;

use Steward\Health\Health_Check;
use Steward\Updating\Installed_Plugins;
use WP_Error;

defined( 'ABSPATH' ) || exit;

/** Deactivates a plugin, also network-wide. Activates it again if the site breaks without it. */
final class Deactivate_Plugin implements Action {

	/** @var Health_Check */
	private $health;

	public function __construct( Health_Check $health ) {
		$this->health = $health;
	}

	public function changes_files(): bool {
		return false;
	}

	public function run( string $plugin ) {
		if ( ! Installed_Plugins::is_active( $plugin ) ) {
			return [];
		}
		$dependents = Installed_Plugins::dependents( $plugin );
		if ( [] !== $dependents ) {
			/* translators: %s: Comma-separated names of plugins. */
			return new WP_Error( 'steward_required', sprintf( __( 'Other active plugins require this plugin: %s. Deactivate them first.', 'steward' ), implode( ', ', $dependents ) ) );
		}
		$this->health->prepare_switch();
		$is_network_active = Installed_Plugins::is_network_active( $plugin );
		deactivate_plugins( [ $plugin ] );
		if ( Installed_Plugins::is_active( $plugin ) ) {
			return new WP_Error( 'steward_active', __( 'The plugin is still active.', 'steward' ) );
		}
		$verdict = $this->health->check_after_switch();
		if ( $verdict->is_broken() ) {
			activate_plugin( $plugin, '', $is_network_active, true );
			/* translators: %s: Error message. */
			return new WP_Error( 'steward_breaks', sprintf( __( 'The site does not work without this plugin: %s', 'steward' ), $verdict->reason() ) );
		}
		return ( $verdict->is_verified() ? [] : [ 'verified' => false ] ) + $this->health->describe();
	}
}
