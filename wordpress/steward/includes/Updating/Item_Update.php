<?php
/**
 * @package Steward
 */

namespace Steward\Updating;

use Throwable;
use WP_Error;

defined( 'ABSPATH' ) || exit;

/** Updates one plugin or theme. It is done when the new version was read from disk and the site still works. */
final class Item_Update {

	/** @var Item */
	private $item;

	/** @var string */
	private $wanted;

	/** @var Health_Check */
	private $health;

	/** @var Swap */
	private $swap;

	/**
	 * @param Item         $item   What to update.
	 * @param string       $wanted The version that is offered.
	 * @param Health_Check $health Shared by all items of a request: how things were before is asked once.
	 */
	public function __construct( Item $item, string $wanted, Health_Check $health ) {
		$this->item   = $item;
		$this->wanted = $wanted;
		$this->health = $health;
		$this->swap   = new Swap( $item->path(), $item->slug() );
	}

	/** @return array{slug: string, new_version: string, success: bool, error?: string} */
	public function run(): array {
		$before = (string) $this->item->version();
		try {
			$failure = $this->replace( $before );
		} catch ( Throwable $thrown ) {
			$failure = $thrown->getMessage();
		}
		$result = [
			'slug'        => $this->item->slug(),
			'new_version' => $this->item->version() ?? $before,
		];
		return $result + ( null === $failure ? [ 'success' => true ] : [ 'success' => false, 'error' => $failure ] );
	}

	/** Gives what went wrong. */
	private function replace( string $before ): ?string {
		$failure = $this->is_a_link() ?? $this->upgrade();
		if ( $this->swap->is_set_aside() ) {
			$this->swap->let_visitors_in();
			$failure = $failure ?? $this->fault_of_new_version();
			$failure = null === $failure ? $this->keep() : $this->take_back( $failure, $before );
		}
		$inactive = $this->item->restore_activity();
		return $failure ?? $inactive ?? $this->wrong_version();
	}

	private function wrong_version(): ?string {
		$version = (string) $this->item->version();
		return Versions::are_same( $version, $this->wanted )
			? null
			/* translators: 1: Version found, 2: version expected. */
			: sprintf( __( 'The version found afterwards is %1$s instead of %2$s.', 'steward' ), $version, $this->wanted );
	}

	/**
	 * Since 6.3 WordPress moves the old version away itself, and puts its own backup back when the request ends. There
	 * must be only one who does that.
	 *
	 * @param array $options What the upgrader is about to do.
	 */
	public function without_second_backup( $options ) {
		if ( isset( $options['hook_extra'] ) && $this->item->is_meant( (array) $options['hook_extra'] ) ) {
			unset( $options['hook_extra']['temp_backup'] );
		}
		return $options;
	}

	/**
	 * Called by the upgrader when a package is unpacked, just before it deletes the old version.
	 *
	 * @param string|WP_Error $source     The unpacked folder.
	 * @param string          $remote     Not needed.
	 * @param object          $upgrader   Not needed.
	 * @param array           $hook_extra Which item it is about.
	 * @return string|WP_Error
	 */
	public function before_replacing( $source, $remote, $upgrader, $hook_extra = [] ) {
		if ( is_wp_error( $source ) || ! $this->item->is_meant( (array) $hook_extra ) ) {
			return $source;
		}
		$package = $this->item->check_package( $source, $this->wanted );
		if ( is_wp_error( $package ) ) {
			return $package;
		}
		$aside = $this->swap->set_aside( $this->item->is_loaded() );
		return is_wp_error( $aside ) ? $aside : $source;
	}

	/** What it leads to belongs to somebody else; and PHP's processes go on for minutes with what they know of a link. */
	private function is_a_link(): ?string {
		return is_link( $this->item->path() ) ? __( 'It is a link to another folder. Update it where it really is.', 'steward' ) : null;
	}

	/** Gives what the upgrader complained about. That it did not complain means nothing. */
	private function upgrade(): ?string {
		if ( $this->item->is_loaded() ) {
			$this->health->remember( $this->item->other_sites() );
		}
		$skin = new Quiet_Skin();
		add_filter( 'upgrader_source_selection', [ $this, 'before_replacing' ], PHP_INT_MAX, 4 );
		add_filter( 'upgrader_package_options', [ $this, 'without_second_backup' ], PHP_INT_MAX );
		try {
			$result = $this->item->upgrade( $skin );
		} catch ( Throwable $thrown ) {
			$result = new WP_Error( 'steward_thrown', $thrown->getMessage() );
		} finally {
			remove_filter( 'upgrader_source_selection', [ $this, 'before_replacing' ], PHP_INT_MAX );
			remove_filter( 'upgrader_package_options', [ $this, 'without_second_backup' ], PHP_INT_MAX );
		}
		$error = is_wp_error( $result ) ? $result : $skin->first_error();
		return null === $error && $result ? null : Upgrade_Message::of( $error );
	}

	private function fault_of_new_version(): ?string {
		$wrong = $this->wrong_version();
		if ( null !== $wrong ) {
			return $wrong;
		}
		if ( ! $this->item->is_loaded() ) {
			return null;
		}
		Compiled_Files::wait_until_noticed();
		$fault = $this->health->fault();
		/* translators: 1: Version, 2: error message. */
		return null === $fault ? null : sprintf( __( 'Version %1$s breaks the site: %2$s', 'steward' ), $this->wanted, $fault );
	}

	private function keep(): ?string {
		$this->swap->keep_new();
		return null;
	}

	private function take_back( string $failure, string $before ): string {
		$is_back = $this->swap->bring_back_old() && $this->item->version() === $before;
		if ( $this->item->is_loaded() ) {
			// Visitors should get the old version by the time the panel says that they do.
			Compiled_Files::wait_until_noticed();
		}
		if ( $is_back ) {
			/* translators: 1: Error message, 2: version. */
			return sprintf( __( '%1$s Version %2$s was put back.', 'steward' ), rtrim( $failure, '.' ) . '.', $before );
		}
		/* translators: 1: Error message, 2: version. */
		return sprintf( __( '%1$s Version %2$s could not be put back.', 'steward' ), rtrim( $failure, '.' ) . '.', $before );
	}
}
