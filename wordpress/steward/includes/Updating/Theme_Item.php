<?php
/**
 * @package Steward
 */

namespace Steward\Updating;

use Theme_Upgrader;
use WP_Error;

defined( 'ABSPATH' ) || exit;

/** A theme to update. */
final class Theme_Item implements Item {

	/** @var string */
	private $theme;

	public function __construct( string $theme ) {
		$this->theme = $theme;
	}

	public function type(): string {
		return Requested_Items::THEME;
	}

	public function slug(): string {
		return $this->theme;
	}

	public function name(): string {
		return Installed_Themes::name( $this->theme );
	}

	public function version(): ?string {
		return Installed_Themes::version( $this->theme );
	}

	public function path(): string {
		return Installed_Themes::path( $this->theme );
	}

	public function is_loaded(): bool {
		return Installed_Themes::is_active( $this->theme ) || [] !== $this->other_sites();
	}

	public function other_sites(): array {
		return Network_Sites::using_theme( $this->theme );
	}

	public function requirement_error(): ?WP_Error {
		return Requirements::error( Pending_Updates::requirements( Pending_Updates::THEMES, $this->theme ), false );
	}

	public function upgrade( Quiet_Skin $skin ) {
		$upgrader = new class( $skin ) extends Theme_Upgrader {
			// Swap starts maintenance mode, as for plugins.
			public function maintenance_mode( $enable = false ) {}
		};
		$results = $upgrader->bulk_upgrade( [ $this->theme ], [ 'clear_update_cache' => false ] );
		return is_array( $results ) ? $results[ $this->theme ] ?? null : $results;
	}

	public function read_package( string $source, string $offered, bool $is_exact ) {
		$file = trailingslashit( $source ) . 'style.css';
		if ( basename( $source ) !== $this->theme || ! is_file( $file ) ) {
			/* translators: %s: Folder of a theme. */
			return Package::error( sprintf( __( 'The package does not contain the theme %s.', 'steward' ), $this->theme ) );
		}
		$headers = get_file_data(
			$file,
			[
				'Version'     => 'Version',
				'RequiresWP'  => 'Requires at least',
				'RequiresPHP' => 'Requires PHP',
			],
			'theme'
		);
		return Package::version_error( $offered, $headers, $is_exact ) ?? new Package( $headers['Version'], $this->theme, $this->path() );
	}

	public function is_target( array $hook_extra ): bool {
		return ( $hook_extra['theme'] ?? '' ) === $this->theme;
	}

	/** The slug of a theme is its folder, which stays the same. */
	public function set_current_slug( string $slug ): void {}

	/** An update does not change the active theme. */
	public function restore_activation(): ?string {
		return null;
	}
}
