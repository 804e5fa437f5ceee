<?php
/**
 * @package Steward
 */

namespace Steward\Updating;

defined( 'ABSPATH' ) || exit;

/** The plan of a call: updates and installations to run, and the results of items that stay unchanged. */
final class Update_Plan {

	/** @var array<int, Item_Update|Item_Install|array> Updates, installations and results, in the order of the response. */
	private $plugins = [];

	/** @var array<int, Item_Update|Item_Install|array> */
	private $themes = [];

	/** @var object|array|null Offer to install, result, or null if core is not in the plan. */
	private $core = null;

	/** @var bool */
	private $has_translations = false;

	private function __construct() {}

	public static function all_pending(): self {
		$plan = new self();
		foreach ( Pending_Updates::plugins() as $plugin => $version ) {
			$plan->plugins[] = new Item_Update( new Plugin_Item( $plugin ), $version );
		}
		foreach ( Pending_Updates::themes() as $theme => $version ) {
			$plan->themes[] = new Item_Update( new Theme_Item( $theme ), $version );
		}
		$plan->core = Pending_Updates::core();
		return $plan;
	}

	public static function requested( Requested_Items $items ): self {
		$plan      = new self();
		$offers    = Pending_Updates::plugins();
		$installed = Installed_Plugins::all();
		foreach ( $items->versions( Requested_Items::PLUGIN ) as $plugin => $version ) {
			$plan->plugins[] = self::plan_plugin( $plugin, $version, $offers[ $plugin ] ?? null, isset( $installed[ $plugin ] ) );
		}
		$offers    = Pending_Updates::themes();
		$installed = Installed_Themes::all();
		foreach ( $items->versions( Requested_Items::THEME ) as $theme => $version ) {
			$plan->themes[] = self::plan_theme( (string) $theme, $version, $offers[ $theme ] ?? null, isset( $installed[ $theme ] ) );
		}
		foreach ( $items->versions( Requested_Items::CORE ) as $version ) {
			$offer      = Pending_Updates::core();
			$offered    = null === $offer ? null : (string) $offer->version;
			$plan->core = Unchanged_Item::for_offer( Requested_Items::CORE_SLUG, '', Installed_Core::version(), $offered, $version ) ?? $offer;
		}
		$plan->has_translations = [] !== $items->versions( Requested_Items::TRANSLATION );
		return $plan;
	}

	public static function to_install( Requested_Items $items ): self {
		$plan = new self();
		foreach ( $items->versions( Requested_Items::PLUGIN ) as $slug => $version ) {
			$plan->plugins[] = new Item_Install( Requested_Items::PLUGIN, (string) $slug, (string) $version, $items->package( Requested_Items::PLUGIN, (string) $slug ) );
		}
		foreach ( $items->versions( Requested_Items::THEME ) as $slug => $version ) {
			$plan->themes[] = new Item_Install( Requested_Items::THEME, (string) $slug, (string) $version, $items->package( Requested_Items::THEME, (string) $slug ) );
		}
		return $plan;
	}

	public static function to_restore( Requested_Items $items ): self {
		$plan      = new self();
		$installed = Installed_Plugins::all();
		foreach ( $items->versions( Requested_Items::PLUGIN ) as $plugin => $version ) {
			$plan->plugins[] = self::plugin_refusal( $plugin, isset( $installed[ $plugin ] ) )
				?? self::plan_restore( new Plugin_Item( $plugin ), (string) $version );
		}
		$installed = Installed_Themes::all();
		foreach ( $items->versions( Requested_Items::THEME ) as $theme => $version ) {
			$plan->themes[] = self::theme_refusal( (string) $theme, isset( $installed[ $theme ] ) )
				?? self::plan_restore( new Theme_Item( (string) $theme ), (string) $version );
		}
		return $plan;
	}

	/** @return Item_Update[] Updates to run, in order. */
	public function updates(): array {
		return $this->select( Item_Update::class );
	}

	/** @return Item_Install[] Installations to run, in order. */
	public function installs(): array {
		return $this->select( Item_Install::class );
	}

	private function select( string $class ): array {
		return array_values(
			array_filter(
				array_merge( $this->plugins, $this->themes ),
				static function ( $planned ) use ( $class ): bool {
					return $planned instanceof $class;
				}
			)
		);
	}

	/** @return array[] Call this after the updates are finished. */
	public function plugin_results(): array {
		return array_map( [ self::class, 'result_of' ], $this->plugins );
	}

	/** @return array[] Call this after the updates are finished. */
	public function theme_results(): array {
		return array_map( [ self::class, 'result_of' ], $this->themes );
	}

	/** @return object|array|null Offer to install, result, or null if core is not in the plan. */
	public function core() {
		return $this->core;
	}

	public function has_translations(): bool {
		return $this->has_translations;
	}

	/** @return Item_Update|array */
	private static function plan_plugin( string $plugin, ?string $requested, ?string $offered, bool $is_installed ) {
		return self::plugin_refusal( $plugin, $is_installed )
			?? Unchanged_Item::for_offer( $plugin, Installed_Plugins::name( $plugin ), (string) Installed_Plugins::version( $plugin ), $offered, $requested )
			?? new Item_Update( new Plugin_Item( $plugin ), $offered, null, null !== $requested );
	}

	/** @return Item_Update|array */
	private static function plan_theme( string $theme, ?string $requested, ?string $offered, bool $is_installed ) {
		return self::theme_refusal( $theme, $is_installed )
			?? Unchanged_Item::for_offer( $theme, Installed_Themes::name( $theme ), (string) Installed_Themes::version( $theme ), $offered, $requested )
			?? new Item_Update( new Theme_Item( $theme ), $offered, null, null !== $requested );
	}

	/** @return Item_Update|array */
	private static function plan_restore( Item $item, string $version ) {
		$installed = (string) $item->version();
		if ( Versions::are_same( $installed, $version ) ) {
			return Unchanged_Item::up_to_date( $item->slug(), $item->name(), $installed );
		}
		$saved = Saved_Versions::find( $item->type(), $item->slug(), $version );
		return null === $saved
			/* translators: %s: Version. */
			? Unchanged_Item::refused( $item->slug(), $item->name(), $installed, 'saved_version_missing', sprintf( __( 'The site has no saved version %s. No changes were made. Sync the site to see its saved versions.', 'steward' ), $version ) )
			: new Item_Update( $item, $version, $saved );
	}

	private static function plugin_refusal( string $plugin, bool $is_installed ): ?array {
		if ( Installed_Plugins::is_steward( $plugin ) ) {
			$version = (string) Installed_Plugins::version( $plugin );
			return Unchanged_Item::refused( $plugin, Installed_Plugins::name( $plugin ), $version, 'management_plugin', __( 'This action cannot change the Steward plugin itself.', 'steward' ) );
		}
		return $is_installed ? null : Unchanged_Item::refused( $plugin, '', '', 'item_not_found', __( 'This plugin is not installed on the site any more: its files were deleted or moved. No changes were made. Sync the site to see its plugins.', 'steward' ) );
	}

	private static function theme_refusal( string $theme, bool $is_installed ): ?array {
		return $is_installed ? null : Unchanged_Item::refused( $theme, '', '', 'item_not_found', __( 'This theme is not installed on the site any more: its files were deleted or moved. No changes were made. Sync the site to see its themes.', 'steward' ) );
	}

	/** @param Item_Update|Item_Install|array $planned Finished update or installation, or result. */
	private static function result_of( $planned ): array {
		return is_array( $planned ) ? $planned : $planned->result();
	}
}
