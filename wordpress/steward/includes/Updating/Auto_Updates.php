<?php
/**
 * @package Steward
 */

namespace Steward\Updating;

use Core_Upgrader;
use Throwable;

defined( 'ABSPATH' ) || exit;

/** Finds the items that WordPress updates automatically. The panel shows them, because its rules do not stop WordPress. */
final class Auto_Updates {

	public static function is_on_for_plugin( string $plugin ): bool {
		return self::is_on( 'plugin', 'auto_update_plugins', 'update_plugins', $plugin );
	}

	public static function is_on_for_theme( string $theme ): bool {
		return self::is_on( 'theme', 'auto_update_themes', 'update_themes', $theme );
	}

	/** @param object|null $offer The pending update of core. */
	public static function is_on_for_core( $offer ): bool {
		if ( null === $offer || self::is_disabled() ) {
			return false;
		}
		return self::without_errors(
			static function () use ( $offer ) {
				if ( ! class_exists( Core_Upgrader::class ) ) {
					require_once ABSPATH . 'wp-admin/includes/class-wp-upgrader.php';
				}
				return (bool) Core_Upgrader::should_update_to_version( (string) $offer->version );
			}
		);
	}

	private static function is_on( string $type, string $option, string $transient, string $slug ): bool {
		if ( self::is_disabled() || ! function_exists( 'wp_is_auto_update_enabled_for_type' ) ) {
			return false;
		}
		return self::without_errors(
			static function () use ( $type, $option, $transient, $slug ) {
				// A filter such as `auto_update_plugin` overrides the setting of the user.
				$forced = self::forced( $type, $transient, $slug );
				if ( null !== $forced ) {
					return $forced;
				}
				return wp_is_auto_update_enabled_for_type( $type )
					&& in_array( $slug, (array) get_site_option( $option, [] ), true );
			}
		);
	}

	/** Returns the decision of a filter; null if no filter decides. */
	private static function forced( string $type, string $transient, string $slug ): ?bool {
		$updates = get_site_transient( $transient );
		$offer   = is_object( $updates ) ? ( $updates->response[ $slug ] ?? $updates->no_update[ $slug ] ?? null ) : null;
		if ( null === $offer || ! function_exists( 'wp_is_auto_update_forced_for_item' ) ) {
			return null;
		}
		$forced = wp_is_auto_update_forced_for_item( $type, null, (object) $offer );
		return null === $forced ? null : (bool) $forced;
	}

	private static function is_disabled(): bool {
		$disabled = defined( 'AUTOMATIC_UPDATER_DISABLED' ) && AUTOMATIC_UPDATER_DISABLED;
		$disabled = $disabled || ( defined( 'DISALLOW_FILE_MODS' ) && DISALLOW_FILE_MODS );
		return self::without_errors(
			static function () use ( $disabled ) {
				// phpcs:ignore WordPress.NamingConventions.PrefixAllGlobals.NonPrefixedHooknameFound -- a hook of WordPress.
				return (bool) apply_filters( 'automatic_updater_disabled', $disabled );
			}
		);
	}

	/** The filters run code of other plugins, whose errors must not prevent the report. */
	private static function without_errors( callable $check ): bool {
		try {
			return $check();
		} catch ( Throwable $error ) {
			return false;
		}
	}
}
