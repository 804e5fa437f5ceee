<?php
/**
 * @package Steward
 */

namespace Steward\Updating;

use WP_Error;

defined( 'ABSPATH' ) || exit;

/** A plugin or theme to update. */
interface Item {

	/** Returns Requested_Items::PLUGIN or Requested_Items::THEME. */
	public function type(): string;

	/** Returns the slug before the update, also after set_current_slug(). */
	public function slug(): string;

	/** Returns the name for users, without markup. */
	public function name(): string;

	/** Returns the current version on disk, or null if the item is not installed. */
	public function version(): ?string;

	/** Returns the folder or file that a new version replaces. */
	public function path(): string;

	/** Whether pages load this item, on this site or another site of the network. */
	public function is_loaded(): bool;

	/** @return int[] Other sites of the network whose pages load this item. */
	public function other_sites(): array;

	/** Returns the requirement of the offered version that this site does not meet, or null. */
	public function requirement_error(): ?WP_Error;

	/**
	 * Runs the upgrader of WordPress.
	 *
	 * @return mixed Result of the upgrader, of any type.
	 */
	public function upgrade( Quiet_Skin $skin );

	/**
	 * Reads an unpacked package. Returns an error if it is not this item, is older than the offered version, or
	 * cannot run on this site.
	 *
	 * @param string $source   Unpacked folder; for a saved version also the file of a single-file plugin.
	 * @param string $offered  Offered version.
	 * @param bool   $is_exact Whether the package must contain exactly this version.
	 * @return Package|WP_Error
	 */
	public function read_package( string $source, string $offered, bool $is_exact );

	/** Whether a hook of the upgrader concerns this item. */
	public function is_target( array $hook_extra ): bool;

	/**
	 * Sets the slug after an update or a rollback: a new version can have another main file.
	 *
	 * @param string $slug Current slug of the item.
	 */
	public function set_current_slug( string $slug ): void;

	/** Restores the activation state from before the update. Returns an error message or null. */
	public function restore_activation(): ?string;
}
