<?php
/**
 * @package Steward
 */

namespace Steward\Updating;

use Plugin_Upgrader;

defined( 'ABSPATH' ) || exit;

/** A plugin that is to be updated. */
final class Plugin_Item implements Item {

	/** @var string */
	private $plugin;

	/** @var bool */
	private $was_active;

	/** @var bool */
	private $was_network_active;

	/** @var int[] */
	private $other_sites;

	public function __construct( string $plugin ) {
		$this->plugin             = $plugin;
		$this->was_active         = Installed_Plugins::is_active( $plugin );
		$this->was_network_active = Installed_Plugins::is_network_active( $plugin );
		$this->other_sites        = Network_Sites::using_plugin( $plugin );
	}

	public function slug(): string {
		return $this->plugin;
	}

	public function version(): ?string {
		return Installed_Plugins::version( $this->plugin );
	}

	public function path(): string {
		return Installed_Plugins::path( $this->plugin );
	}

	/** A folder may hold several plugins, and is replaced as a whole. */
	public function is_loaded(): bool {
		return $this->was_active || [] !== $this->other_sites || [] !== array_filter( Installed_Plugins::others_in_folder( $this->plugin ), [ Installed_Plugins::class, 'is_active' ] );
	}

	public function other_sites(): array {
		return $this->other_sites;
	}

	/** Never upgrade(): that deactivates the plugin and leaves it so. */
	public function upgrade( Quiet_Skin $skin ) {
		$upgrader = new class( $skin ) extends Plugin_Upgrader {
			// It would close the site before the package is even downloaded. We close it for the swap alone.
			public function maintenance_mode( $enable = false ) {}
		};
		$results = $upgrader->bulk_upgrade( [ $this->plugin ], [ 'clear_update_cache' => false ] );
		return is_array( $results ) ? $results[ $this->plugin ] ?? null : $results;
	}

	public function check_package( string $source, string $version ) {
		$folder = dirname( $this->plugin );
		if ( '.' === $folder ) {
			return Package_Fault::because( __( 'WordPress moves a plugin that is a single file into a folder when it updates it. Update it by hand.', 'steward' ) );
		}
		$file = trailingslashit( $source ) . basename( $this->plugin );
		$data = is_file( $file ) ? get_plugin_data( $file, false, false ) : [];
		if ( basename( $source ) !== $folder || empty( $data['Name'] ) ) {
			/* translators: %s: Plugin file, such as directory/file.php. */
			return Package_Fault::because( sprintf( __( 'The package does not contain %s.', 'steward' ), $this->plugin ) );
		}
		return Package_Fault::check_versions( $version, $data );
	}

	public function is_meant( array $hook_extra ): bool {
		return ( $hook_extra['plugin'] ?? '' ) === $this->plugin;
	}

	/** WordPress takes a plugin whose file is away for a moment off the list, when an admin page is opened just then. */
	public function restore_activity(): ?string {
		wp_cache_delete( 'alloptions', 'options' );
		$is_as_before = Installed_Plugins::is_active( $this->plugin ) === $this->was_active
			&& Installed_Plugins::is_network_active( $this->plugin ) === $this->was_network_active;
		if ( $is_as_before ) {
			return null;
		}
		if ( ! $this->was_active ) {
			deactivate_plugins( [ $this->plugin ], true );
			return null;
		}
		$result = activate_plugin( $this->plugin, '', $this->was_network_active, true );
		if ( ! is_wp_error( $result ) && Installed_Plugins::is_active( $this->plugin ) ) {
			return null;
		}
		/* translators: %s: Error message. */
		return sprintf( __( 'It was active and can no longer be activated: %s', 'steward' ), Upgrade_Message::of( $result ) );
	}
}
