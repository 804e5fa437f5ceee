<?php
/**
 * @package Steward
 */

namespace Steward\Panel;

use Steward\Updating\Admin_Includes;
use Steward\Updating\Auto_Updates;
use Steward\Updating\Installed_Core;
use Steward\Updating\Installed_Plugins;
use Steward\Updating\Installed_Themes;
use Steward\Updating\Pending_Updates;
use Steward\Updating\Requested_Items;
use Steward\Updating\Saved_Versions;

defined( 'ABSPATH' ) || exit;

/** The inventory that the site reports to the panel: installed versions and pending updates. */
final class Inventory {

	private const MAX_NAME_LENGTH    = 500;
	private const MAX_VERSION_LENGTH = 64;

	public static function collect(): array {
		Admin_Includes::load();
		return [
			'plugins' => self::plugins(),
			'themes'  => self::themes(),
			'core'    => self::core(),
		];
	}

	private static function plugins(): array {
		$pending = Pending_Updates::plugins();
		$plugins = [];
		foreach ( Installed_Plugins::all() as $plugin => $data ) {
			$plugins[] = [ 'plugin' => $plugin ] + self::build_item(
				$data['Name'],
				$data['Version'],
				Installed_Plugins::is_active( $plugin ),
				$pending[ $plugin ] ?? null
			) + self::auto_update( Auto_Updates::is_on_for_plugin( $plugin ) ) + self::saved_versions( Requested_Items::PLUGIN, $plugin, $data['Version'] );
		}
		return $plugins;
	}

	private static function themes(): array {
		$pending = Pending_Updates::themes();
		$themes  = [];
		foreach ( Installed_Themes::names() as $theme => $name ) {
			$version  = (string) Installed_Themes::version( (string) $theme );
			$themes[] = [ 'slug' => (string) $theme ] + self::build_item(
				$name,
				$version,
				Installed_Themes::is_active( (string) $theme ),
				$pending[ $theme ] ?? null
			) + self::auto_update( Auto_Updates::is_on_for_theme( (string) $theme ) ) + self::saved_versions( Requested_Items::THEME, (string) $theme, $version );
		}
		return $themes;
	}

	private static function core(): array {
		$offer = Pending_Updates::core();
		return [ 'version' => Installed_Core::version() ] + ( null === $offer ? [] : [ 'new_version' => (string) $offer->version ] )
			+ self::auto_update( Auto_Updates::is_on_for_core( $offer ) );
	}

	private static function auto_update( bool $is_on ): array {
		return $is_on ? [ 'auto_update' => true ] : [];
	}

	private static function saved_versions( string $type, string $slug, string $installed ): array {
		$versions = Saved_Versions::versions( $type, $slug, $installed );
		return [] === $versions ? [] : [ 'saved_versions' => $versions ];
	}

	private static function build_item( string $name, string $version, bool $active, ?string $new_version ): array {
		$item = [
			'name'    => wp_html_excerpt( $name, self::MAX_NAME_LENGTH ),
			'version' => substr( $version, 0, self::MAX_VERSION_LENGTH ),
			'active'  => $active,
		];
		return null === $new_version ? $item : $item + [ 'new_version' => substr( $new_version, 0, self::MAX_VERSION_LENGTH ) ];
	}
}
