<?php
/**
 * @package Steward
 */

namespace Steward\Updating;

use Plugin_Upgrader;
use Steward\Watchdog\Renamed;

defined( 'ABSPATH' ) || exit;

/** A plugin that is to be updated. */
final class Plugin_Item implements Item {

	/** @var string As it was when the update began. */
	private $plugin;

	/** @var string As it is now: a new version can have another main file. */
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
		// A folder may hold several plugins, and is replaced as a whole.
		$companions      = array_filter( Installed_Plugins::others_in_folder( $plugin ), [ Installed_Plugins::class, 'is_active' ] );
		$this->is_loaded = $this->was_active || [] !== $this->other_sites || [] !== $companions;
	}

	public function slug(): string {
		return $this->plugin;
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

	/** Never upgrade(): that deactivates the plugin and leaves it so. */
	public function upgrade( Quiet_Skin $skin ) {
		$upgrader = new class( $skin ) extends Plugin_Upgrader {
			// It would close the site before the package is even downloaded. We close it for the swap alone.
			public function maintenance_mode( $enable = false ) {}
		};
		$results = $upgrader->bulk_upgrade( [ $this->plugin ], [ 'clear_update_cache' => false ] );
		return is_array( $results ) ? $results[ $this->plugin ] ?? null : $results;
	}

	public function read_package( string $source, string $offered ) {
		$file = $this->main_file_in( $source );
		if ( null === $file ) {
			/* translators: %s: Plugin file, such as directory/file.php. */
			return Package::fault( sprintf( __( 'The package does not contain %s.', 'steward' ), $this->plugin ) );
		}
		$data  = get_plugin_data( trailingslashit( $source ) . $file, false, false );
		$fault = Package::fault_of_version( $offered, $data );
		if ( null !== $fault ) {
			return $fault;
		}
		$missing = $this->was_active ? Installed_Plugins::missing_requirements( trailingslashit( $source ) . $file ) : [];
		if ( [] !== $missing ) {
			/* translators: %s: Comma-separated names of plugins. */
			return Package::fault( sprintf( __( 'The new version requires plugins that are not active: %s.', 'steward' ), implode( ', ', $missing ) ) );
		}
		$folder = basename( $source );
		$path   = WP_PLUGIN_DIR . '/' . $folder;
		// WordPress installs a plugin that is a single file into a folder when it updates it.
		if ( $path !== $this->path() && file_exists( $path ) ) {
			/* translators: %s: Name of a folder. */
			return Package::fault( sprintf( __( 'The new version would be installed into the folder %s, which is there already.', 'steward' ), $folder ) );
		}
		$slug = $folder . '/' . $file;
		if ( $slug !== $this->plugin && [] !== $this->other_sites ) {
			/* translators: %s: Plugin file, such as directory/file.php. */
			return Package::fault( sprintf( __( 'Its main file would be %s from now on, and other sites of this network have it active. Update it by hand.', 'steward' ), $slug ) );
		}
		return new Package( $data['Version'], $slug, $path );
	}

	public function is_meant( array $hook_extra ): bool {
		return ( $hook_extra['plugin'] ?? '' ) === $this->plugin;
	}

	public function follow( string $slug ): void {
		if ( $slug !== $this->current ) {
			Renamed::follow( $this->current, $slug );
		}
		$this->current = $slug;
	}

	/**
	 * WordPress takes a plugin whose file is away for a moment off the list, when an admin page is opened just then. One
	 * whose main file has another name now is on the list under that name.
	 */
	public function restore_activity(): ?string {
		wp_cache_delete( 'alloptions', 'options' );
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
		return sprintf( __( 'It was active and can no longer be activated: %s', 'steward' ), Upgrade_Message::of( $result ) );
	}

	/** The same file as before; or, when there is none, the only plugin in the package. */
	private function main_file_in( string $source ): ?string {
		$is_single  = '.' === dirname( $this->plugin );
		$is_renamed = ! $is_single && basename( $source ) !== dirname( $this->plugin );
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
