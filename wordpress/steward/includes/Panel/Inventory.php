<?php
/**
 * @package Steward
 */

namespace Steward\Panel;

use Steward\Updating\Installed_Core;
use Steward\Updating\Installed_Plugins;
use Steward\Updating\Installed_Themes;
use Steward\Updating\Offers;
use Steward\Updating\Wordpress_Admin;

defined( 'ABSPATH' ) || exit;

/** What is installed, and what newer versions there are: the report to the panel. */
final class Inventory {

	private const LONGEST_NAME    = 500;
	private const LONGEST_VERSION = 64;

	public static function take(): array {
		Wordpress_Admin::load();
		return [
			'plugins' => self::plugins(),
			'themes'  => self::themes(),
			'core'    => self::core(),
		];
	}

	private static function plugins(): array {
		$offered = Offers::plugins();
		$plugins = [];
		foreach ( Installed_Plugins::all() as $plugin => $data ) {
			$plugins[] = [ 'plugin' => $plugin ] + self::item(
				$data['Name'],
				$data['Version'],
				Installed_Plugins::is_active( $plugin ),
				$offered[ $plugin ] ?? null
			);
		}
		return $plugins;
	}

	private static function themes(): array {
		$offered = Offers::themes();
		$themes  = [];
		foreach ( Installed_Themes::names() as $theme => $name ) {
			$themes[] = [ 'slug' => (string) $theme ] + self::item(
				$name,
				(string) Installed_Themes::version( (string) $theme ),
				Installed_Themes::is_active( (string) $theme ),
				$offered[ $theme ] ?? null
			);
		}
		return $themes;
	}

	private static function core(): array {
		$offer = Offers::core();
		return [ 'version' => Installed_Core::version() ] + ( null === $offer ? [] : [ 'new_version' => (string) $offer->version ] );
	}

	private static function item( string $name, string $version, bool $active, ?string $new_version ): array {
		$item = [
			'name'    => wp_html_excerpt( $name, self::LONGEST_NAME ),
			'version' => substr( $version, 0, self::LONGEST_VERSION ),
			'active'  => $active,
		];
		return null === $new_version ? $item : $item + [ 'new_version' => substr( $new_version, 0, self::LONGEST_VERSION ) ];
	}
}
