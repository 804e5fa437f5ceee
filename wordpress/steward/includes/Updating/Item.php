<?php
/**
 * @package Steward
 */

namespace Steward\Updating;

use WP_Error;

defined( 'ABSPATH' ) || exit;

/** A plugin or a theme, as something that can be replaced by a newer version of itself. */
interface Item {

	public function slug(): string;

	/** As it is on disk at this moment; null: not there. */
	public function version(): ?string;

	/** The folder or file that a new version replaces. */
	public function path(): string;

	/** Whether pages are built with it, on this site or another of its network. */
	public function is_loaded(): bool;

	/** @return int[] Other sites of the network whose pages are built with it. */
	public function other_sites(): array;

	/**
	 * Hands it to WordPress's upgrader.
	 *
	 * @return mixed What the upgrader says, which may be anything.
	 */
	public function upgrade( Quiet_Skin $skin );

	/**
	 * What an unpacked package holds: this item in a newer version that can run here, or else why not.
	 *
	 * @param string $source  The unpacked folder.
	 * @param string $offered The version that was offered.
	 * @return Package|WP_Error
	 */
	public function read_package( string $source, string $offered );

	/** Whether WordPress's upgrader is at work on this item. */
	public function is_meant( array $hook_extra ): bool;

	/**
	 * Follows the item to where its new version is, or back to where its old one was.
	 *
	 * @param string $slug Of the item from now on.
	 */
	public function follow( string $slug ): void;

	/** Makes it active or inactive as it was; gives what went wrong, or null. */
	public function restore_activity(): ?string;
}
