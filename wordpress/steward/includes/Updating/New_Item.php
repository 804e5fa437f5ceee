<?php
/**
 * @package Steward
 */

namespace Steward\Updating;

use Steward\Watchdog\Files;
use WP_Error;

defined( 'ABSPATH' ) || exit;

/** A plugin or theme to install, or the installed item that already uses its folder. */
final class New_Item {

	private const THEME_HEADERS = [
		'Name'        => 'Theme Name',
		'Version'     => 'Version',
		'RequiresWP'  => 'Requires at least',
		'RequiresPHP' => 'Requires PHP',
	];

	/** @var string */
	private $type;

	/** @var string */
	private $slug;

	private function __construct( string $type, string $slug ) {
		$this->type = $type;
		$this->slug = $slug;
	}

	public function slug(): string {
		return $this->slug;
	}

	/** Returns the version on disk, or null if the item is not installed. */
	public function version(): ?string {
		return Requested_Items::PLUGIN === $this->type ? Installed_Plugins::version( $this->slug ) : Installed_Themes::version( $this->slug );
	}

	public function name(): string {
		return Requested_Items::PLUGIN === $this->type ? Installed_Plugins::name( $this->slug ) : Installed_Themes::name( $this->slug );
	}

	public function path(): string {
		return Requested_Items::PLUGIN === $this->type ? Installed_Plugins::path( $this->slug ) : self::root( $this->type ) . '/' . $this->slug;
	}

	/** Returns the folder of all items of a type. */
	public static function root( string $type ): string {
		return Requested_Items::PLUGIN === $type ? WP_PLUGIN_DIR : get_theme_root();
	}

	/**
	 * Returns the installed item that already uses the folder of the new item, or null. A plugin folder can contain a plugin
	 * with another file.
	 *
	 * @param bool $is_file Whether the slug of a plugin is its file. False: the slug is its folder.
	 */
	public static function find_installed( string $type, string $slug, bool $is_file ): ?self {
		if ( Requested_Items::THEME === $type ) {
			$theme = new self( $type, $slug );
			return null !== $theme->version() || Files::exists( $theme->path() ) ? $theme : null;
		}
		if ( $is_file && null !== Installed_Plugins::version( $slug ) ) {
			return new self( $type, $slug );
		}
		$folder = $is_file ? dirname( $slug ) : $slug;
		foreach ( array_keys( Installed_Plugins::all() ) as $plugin ) {
			$is_in_folder = '.' !== $folder && dirname( $plugin ) === $folder;
			if ( $is_in_folder || ( ! $is_file && $plugin === $slug . '.php' ) ) {
				return new self( $type, $plugin );
			}
		}
		$item = new self( $type, $is_file ? $slug : $slug . '/' . $slug . '.php' );
		return Files::exists( $item->path() ) ? $item : null;
	}

	/**
	 * Reads an unpacked package. Returns an error if it is not this item in this version, or cannot run on this site.
	 *
	 * @param bool   $is_file Whether the slug of a plugin is its file.
	 * @param string $source  Unpacked folder.
	 * @return self|WP_Error
	 */
	public static function read( string $type, string $slug, bool $is_file, string $source, string $version ) {
		$is_plugin = Requested_Items::PLUGIN === $type;
		$main_file = $is_plugin ? self::find_main_file( $slug, $is_file, $source ) : self::find_style( $slug, $source );
		if ( null === $main_file ) {
			/* translators: %s: Plugin file or folder of a theme. */
			return Package_Zip::reject( sprintf( __( 'The package does not contain %s.', 'steward' ), $slug ) );
		}
		$file    = trailingslashit( $source ) . $main_file;
		$headers = $is_plugin ? get_plugin_data( $file, false, false ) : get_file_data( $file, self::THEME_HEADERS, 'theme' );
		if ( ! Versions::are_same( $headers['Version'], $version ) ) {
			/* translators: 1: Version found, 2: version expected. */
			return Package_Zip::reject( sprintf( __( 'The package contains version %1$s, not %2$s.', 'steward' ), $headers['Version'], $version ) );
		}
		$error = Package::version_error( $version, $headers );
		if ( null !== $error ) {
			return Package_Zip::reject( $error->get_error_message() );
		}
		$item = new self( $type, $is_plugin ? basename( $source ) . '/' . $main_file : $slug );
		if ( Files::exists( $item->path() ) ) {
			/* translators: %s: Name of a folder. */
			return new WP_Error( 'already_installed', sprintf( __( 'The folder %s already exists.', 'steward' ), basename( $item->path() ) ) );
		}
		$space_error = Free_Space::install_error( $source, $item->path() );
		return null === $space_error ? $item : new WP_Error( 'disk_full', $space_error );
	}

	private static function find_main_file( string $slug, bool $is_file, string $source ): ?string {
		if ( basename( $source ) !== ( $is_file ? dirname( $slug ) : $slug ) ) {
			return null;
		}
		$plugins = [];
		foreach ( glob( trailingslashit( $source ) . '*.php' ) ?: [] as $file ) {
			if ( '' !== get_plugin_data( $file, false, false )['Name'] ) {
				$plugins[] = basename( $file );
			}
		}
		$expected = $is_file ? basename( $slug ) : $slug . '.php';
		if ( in_array( $expected, $plugins, true ) ) {
			return $expected;
		}
		return $is_file ? null : $plugins[0] ?? null;
	}

	private static function find_style( string $slug, string $source ): ?string {
		$file = trailingslashit( $source ) . 'style.css';
		return basename( $source ) === $slug && is_file( $file ) && '' !== get_file_data( $file, self::THEME_HEADERS, 'theme' )['Name'] ? 'style.css' : null;
	}
}
