<?php
/**
 * @package Steward
 */

namespace Steward\Updating;

defined( 'ABSPATH' ) || exit;

/** The pending updates, from the update transients of WordPress. */
final class Pending_Updates {

	const PLUGINS = 'update_plugins';
	const THEMES  = 'update_themes';
	const CORE    = 'update_core';

	private const CHECKS = [
		self::PLUGINS => 'wp_update_plugins',
		self::THEMES  => 'wp_update_themes',
		self::CORE    => 'wp_version_check',
	];

	/**
	 * Omits the Steward plugin, which has its own call: remote/self-update.
	 *
	 * @return array<string, string> New version by plugin file, for installed plugins with an older version.
	 */
	public static function plugins(): array {
		$versions = [];
		foreach ( self::read_offers( self::PLUGINS ) as $plugin => $offer ) {
			$versions[ $plugin ] = Installed_Plugins::is_steward( $plugin ) ? null : self::offered_version( Installed_Plugins::version( $plugin ), $offer );
		}
		return array_filter( $versions );
	}

	/** @return array<string, string> New version by theme folder. */
	public static function themes(): array {
		$versions = [];
		foreach ( self::read_offers( self::THEMES ) as $theme => $offer ) {
			$versions[ $theme ] = self::offered_version( Installed_Themes::version( $theme ), $offer );
		}
		return array_filter( $versions );
	}

	/**
	 * Returns what the offered version of an item needs.
	 *
	 * @param string $name Name of the list.
	 * @param string $slug Plugin file or theme folder.
	 */
	public static function requirements( string $name, string $slug ): array {
		return Requirements::of_offer( self::read_offers( $name )[ $slug ] ?? null );
	}

	/** Returns the offer from the transient, or null if core is up to date. */
	public static function core(): ?object {
		$list = get_site_transient( self::CORE );
		foreach ( $list->updates ?? [] as $offer ) {
			if ( 'upgrade' === ( $offer->response ?? '' ) && Versions::is_older( Installed_Core::version(), (string) $offer->version ) ) {
				return $offer;
			}
		}
		return null;
	}

	/** Checks for updates of which WordPress has no list. */
	public static function refresh_missing(): void {
		foreach ( array_keys( self::CHECKS ) as $name ) {
			if ( false === get_site_transient( $name ) ) {
				self::check( $name );
			}
		}
	}

	/**
	 * Checks for updates. Keeps the old lists if the update server is unreachable.
	 *
	 * @param string[] $names Names of the lists.
	 * @return bool Whether all lists are new.
	 */
	public static function refresh( array $names = [ self::PLUGINS, self::THEMES, self::CORE ] ): bool {
		wp_clean_plugins_cache( false );
		wp_clean_themes_cache( false );
		$are_new = true;
		foreach ( $names as $name ) {
			$list = get_site_transient( $name );
			if ( is_object( $list ) ) {
				// The old date forces a check. Only an old list has the marker steward_old.
				$list->last_checked = 0;
				$list->steward_old  = true;
				set_site_transient( $name, $list );
			}
			self::check( $name );
			$are_new = self::is_new( get_site_transient( $name ) ) && $are_new;
		}
		return $are_new;
	}

	/** Disables wp_maybe_auto_update during the check: in WP-Cron, wp_version_check() would install background updates. */
	private static function check( string $name ): void {
		$is_hooked = remove_action( 'wp_maybe_auto_update', 'wp_maybe_auto_update' );
		self::CHECKS[ $name ]();
		if ( $is_hooked ) {
			add_action( 'wp_maybe_auto_update', 'wp_maybe_auto_update' );
		}
	}

	/**
	 * Whether a check succeeded. WordPress reports no error: after a failure it keeps the old list or stores an empty one.
	 *
	 * @param mixed $list Stored list.
	 */
	private static function is_new( $list ): bool {
		return ! isset( $list->steward_old ) && ( isset( $list->response ) || ! empty( $list->updates ) );
	}

	/**
	 * Pins the lists while the work runs: WordPress deletes and fetches them again after each item.
	 *
	 * @param callable(): mixed $work Work to run.
	 * @return mixed
	 */
	public static function with_pinned_lists( callable $work ) {
		$unhooked = self::unhook_checks();
		$pins     = [];
		foreach ( array_keys( self::CHECKS ) as $name ) {
			$list          = get_site_transient( $name );
			$pins[ $name ] = static function () use ( $list ) {
				return $list;
			};
			add_filter( "pre_site_transient_{$name}", $pins[ $name ] );
		}
		try {
			return $work();
		} finally {
			foreach ( $pins as $name => $pin ) {
				remove_filter( "pre_site_transient_{$name}", $pin );
			}
			foreach ( $unhooked as [ $hook, $priority ] ) {
				add_action( 'upgrader_process_complete', $hook, $priority, 0 );
			}
		}
	}

	/** Stops WordPress from checking for updates after each item. Steward checks once at the end. */
	private static function unhook_checks(): array {
		$unhooked = [];
		foreach ( array_merge( array_values( self::CHECKS ), [ [ 'Language_Pack_Upgrader', 'async_upgrade' ] ] ) as $hook ) {
			$priority = has_action( 'upgrader_process_complete', $hook );
			if ( false !== $priority && remove_action( 'upgrader_process_complete', $hook, $priority ) ) {
				$unhooked[] = [ $hook, $priority ];
			}
		}
		return $unhooked;
	}

	private static function read_offers( string $name ): array {
		$list = get_site_transient( $name );
		return isset( $list->response ) && is_array( $list->response ) ? $list->response : [];
	}

	/**
	 * Returns the offered version, or null if it is not newer.
	 *
	 * @param array|object $offer Offers of plugins are objects, offers of themes are arrays.
	 */
	private static function offered_version( ?string $installed, $offer ): ?string {
		$new = (string) ( ( (array) $offer )['new_version'] ?? '' );
		return null !== $installed && Versions::is_older( $installed, $new ) ? $new : null;
	}
}
