<?php
/**
 * @package Steward
 */

namespace Steward\Updating;

use Plugin_Upgrader;
use Steward\Watchdog\Plugin_Rename;
use WP_Error;

defined( 'ABSPATH' ) || exit;

/** A plugin to update. */
final class Plugin_Item implements Item {

	/** @var string Plugin file before the update. */
	private $plugin;

	/** @var string Current plugin file: a new version can have another main file. */
	private $current;

	/** @var bool */
	private $was_active;

	/** @var bool */
	private $was_network_active;

	/** @var int[] */
	private $other_sites;

	/** @var bool */
	private $is_loaded;

	public function __construct( string $plugin ) {
		$this->plugin             = $plugin;
		$this->current            = $plugin;
		$this->was_active         = Installed_Plugins::is_active( $plugin );
		$this->was_network_active = Installed_Plugins::is_network_active( $plugin );
		$this->other_sites        = Network_Sites::using_plugin( $plugin );
		// A folder can contain several plugins, and an update replaces the whole folder.
		$companions      = array_filter( Installed_Plugins::others_in_folder( $plugin ), [ Installed_Plugins::class, 'is_active' ] );
		$this->is_loaded = $this->was_active || [] !== $this->other_sites || [] !== $companions;
	}

	public function type(): string {
		return Requested_Items::PLUGIN;
	}

	public function slug(): string {
		return $this->plugin;
	}

	public function name(): string {
		return Installed_Plugins::name( $this->current );
	}

	public function version(): ?string {
		return Installed_Plugins::version( $this->current );
	}

	public function path(): string {
		return Installed_Plugins::path( $this->plugin );
	}

	public function is_loaded(): bool {
		return $this->is_loaded;
	}

	public function other_sites(): array {
		return $this->other_sites;
	}

	public function requirement_error(): ?WP_Error {
		return Requirements::error( Pending_Updates::requirements( Pending_Updates::PLUGINS, $this->plugin ), $this->was_active );
	}

	/** Does not use Plugin_Upgrader::upgrade(), which deactivates the plugin and leaves it inactive. */
	public function upgrade( Quiet_Skin $skin ) {
		$upgrader = new class( $skin ) extends Plugin_Upgrader {
			// WordPress would start maintenance mode before the download. Swap starts it only to replace the files.
			public function maintenance_mode( $enable = false ) {}
		};
		$results = $upgrader->bulk_upgrade( [ $this->plugin ], [ 'clear_update_cache' => false ] );
		return is_array( $results ) ? $results[ $this->plugin ] ?? null : $results;
	}

	public function read_package( string $source, string $offered, bool $is_exact ) {
		$file = $this->find_main_file( $source );
		if ( null === $file ) {
			/* translators: %s: Plugin file, such as directory/file.php. */
			return Package::error( sprintf( __( 'The package does not contain %s.', 'steward' ), $this->plugin ) );
		}
		$main  = is_file( $source ) ? $source : trailingslashit( $source ) . $file;
		$data  = get_plugin_data( $main, false, false );
		$error = Package::version_error( $offered, $data, $is_exact );
		if ( null !== $error ) {
			return $error;
		}
		$error = Requirements::plugins_error( $this->was_active ? Installed_Plugins::missing_requirements( $main ) : [] );
		if ( null !== $error ) {
			return $error;
		}
		$folder = basename( $source );
		$path   = WP_PLUGIN_DIR . '/' . $folder;
		// The path differs for a single-file plugin: its update installs it in a folder.
		if ( $path !== $this->path() && file_exists( $path ) ) {
			/* translators: %s: Name of a folder. */
			return Package::error( sprintf( __( 'The new version would be installed in the folder %s, which already exists.', 'steward' ), $folder ) );
		}
		$slug = is_file( $source ) ? $file : $folder . '/' . $file;
		if ( $slug !== $this->plugin && [] !== $this->other_sites ) {
			/* translators: %s: Plugin file, such as directory/file.php. */
			return Package::error( sprintf( __( 'The new version changes the main file to %s, but the plugin is active on other sites of this network. Update it manually.', 'steward' ), $slug ) );
		}
		return new Package( $data['Version'], $slug, $path );
	}

	public function is_target( array $hook_extra ): bool {
		return ( $hook_extra['plugin'] ?? '' ) === $this->plugin;
	}

	public function set_current_slug( string $slug ): void {
		if ( $slug !== $this->current ) {
			Plugin_Rename::rename_active_plugin( $this->current, $slug );
		}
		$this->current = $slug;
	}

	/**
	 * Needed because WordPress deactivates a plugin if a user opens an admin page while its file is missing. A plugin with
	 * a new main file stays active under the new name.
	 */
	public function restore_activation(): ?string {
		wp_cache_delete( 'alloptions', 'options' );
		is_multisite() && wp_cache_delete( get_current_network_id() . ':active_sitewide_plugins', 'site-options' );
		$is_as_before = Installed_Plugins::is_active( $this->current ) === $this->was_active
			&& Installed_Plugins::is_network_active( $this->current ) === $this->was_network_active;
		if ( $is_as_before ) {
			return null;
		}
		if ( ! $this->was_active ) {
			deactivate_plugins( [ $this->current ], true );
			return null;
		}
		wp_clean_plugins_cache( false );
		$result = activate_plugin( $this->current, '', $this->was_network_active, true );
		if ( ! is_wp_error( $result ) && Installed_Plugins::is_active( $this->current ) ) {
			return null;
		}
		/* translators: %s: Error message. */
		return sprintf( __( 'The plugin was active and can no longer be activated: %s', 'steward' ), Plain_Error_Text::from( $result ) );
	}

	/** Returns the same file as before or, if it is missing, the only plugin in the package. */
	private function find_main_file( string $source ): ?string {
		if ( is_file( $source ) ) {
			return '' === get_plugin_data( $source, false, false )['Name'] ? null : basename( $source );
		}
		$is_single_file = '.' === dirname( $this->plugin );
		$is_renamed     = ! $is_single_file && basename( $source ) !== dirname( $this->plugin );
		if ( $is_renamed ) {
			return null;
		}
		$plugins = [];
		foreach ( glob( trailingslashit( $source ) . '*.php' ) ?: [] as $file ) {
			if ( '' !== get_plugin_data( $file, false, false )['Name'] ) {
				$plugins[] = basename( $file );
			}
		}
		if ( in_array( basename( $this->plugin ), $plugins, true ) ) {
			return basename( $this->plugin );
		}
		return 1 === count( $plugins ) ? $plugins[0] : null;
	}
}
