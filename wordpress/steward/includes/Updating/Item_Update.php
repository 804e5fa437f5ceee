<?php
/**
 * @package Steward
 */

namespace Steward\Updating;

use Throwable;
use WP_Error;

defined( 'ABSPATH' ) || exit;

/**
 * Updates one plugin or theme. It is done when the new version was read from disk and the site still works; the second
 * is for the batch to find out, which can take an update back as long as it has not been settled.
 */
final class Item_Update {

	/** @var Item */
	private $item;

	/** @var string */
	private $offered;

	/** @var string */
	private $old_version;

	/** @var Swap */
	private $swap;

	/** @var Package|null What the upgrader has unpacked. */
	private $package;

	/** @var string|null */
	private $failure = null;

	/** @var bool */
	private $is_verified = true;

	/**
	 * @param Item   $item    What to update.
	 * @param string $offered The version that is offered.
	 */
	public function __construct( Item $item, string $offered ) {
		$this->item        = $item;
		$this->offered     = $offered;
		$this->old_version = (string) $item->version();
		$this->swap        = new Swap( $item->path(), $item->slug() );
	}

	public function item(): Item {
		return $this->item;
	}

	/** Puts the new version in the place of the old one. When that fails, the old one is back. */
	public function replace(): void {
		$this->failure = $this->is_a_link() ?? File_Rights::fault_of_replacing( $this->item->path() ) ?? Free_Space::fault_of_updating( $this->item->path() ) ?? $this->upgrade();
		if ( ! $this->swap->is_set_aside() ) {
			return;
		}
		$this->swap->complete();
		$this->item->follow( null === $this->package ? $this->item->slug() : $this->package->slug );
		$failure = $this->failure ?? $this->wrong_version() ?? $this->item->restore_activity();
		if ( null !== $failure ) {
			$this->take_back( $failure );
		}
	}

	/** Whether the new version is there and the old one can still be put back. */
	public function is_replaced(): bool {
		return $this->swap->is_set_aside();
	}

	/** Where the old version is; '' when it is not set aside. */
	public function backup(): string {
		return $this->swap->backup();
	}

	/** @return string[] Of the files that were replaced. */
	public function paths(): array {
		return array_unique( array_filter( [ $this->item->path(), null === $this->package ? '' : $this->package->path ] ) );
	}

	/** What the new version does to the site, in words for the panel. */
	public function fault( Verdict $verdict ): string {
		/* translators: 1: Version, 2: what is wrong. */
		return sprintf( __( 'Version %1$s breaks the site: %2$s', 'steward' ), null === $this->package ? $this->offered : $this->package->version, $verdict->reason() );
	}

	public function take_back( string $failure ): void {
		$this->failure = $failure;
		$is_back = $this->swap->bring_back_old();
		$this->item->follow( $this->item->slug() );
		$this->package = null;
		$is_back       = $is_back && $this->item->version() === $this->old_version;
		$inactive      = $this->item->restore_activity();
		$failure       = rtrim( $failure, '.' ) . '.';
		$this->failure = $is_back
			/* translators: 1: Error message, 2: version. */
			? sprintf( __( '%1$s Version %2$s was put back.', 'steward' ), $failure, $this->old_version )
			/* translators: 1: Error message, 2: version. */
			: sprintf( __( '%1$s Version %2$s could not be put back.', 'steward' ), $failure, $this->old_version );
		if ( null !== $inactive ) {
			$this->add_to_failure( $inactive );
		}
	}

	/** When something was thrown that was not foreseen. */
	public function fail( string $message ): void {
		$this->failure = $this->failure ?? $message;
	}

	public function add_to_failure( string $sentence ): void {
		$this->failure = trim( $this->failure . ' ' . $sentence );
	}

	/**
	 * When the journal has forgotten it: it stays as it is.
	 *
	 * @param bool $is_verified Whether the site was seen working with it.
	 * @return string|null The folder of the old version, when it could not be deleted.
	 */
	public function settle( bool $is_verified ): ?string {
		$this->is_verified = $is_verified || ! $this->item->is_loaded();
		return $this->swap->drop_old();
	}

	/** Neither the site nor the panel has seen yet whether the site works with it. */
	public function leave_unverified(): void {
		$this->is_verified = ! $this->item->is_loaded();
	}

	/** @return array{slug: string, new_version: string, success: bool, error?: string, verified?: false, old_version?: string, new_plugin?: string} */
	public function result(): array {
		$result = [
			'slug'        => $this->item->slug(),
			'new_version' => $this->item->version() ?? $this->old_version,
			'success'     => null === $this->failure,
		];
		if ( null !== $this->failure ) {
			return $result + [ 'error' => $this->failure ];
		}
		if ( ! $this->is_verified ) {
			$result['verified']    = false;
			$result['old_version'] = $this->old_version;
		}
		if ( null !== $this->package && $this->package->slug !== $this->item->slug() ) {
			$result['new_plugin'] = $this->package->slug;
		}
		return $result;
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
	 * @param string          $working    The folder it was unpacked in.
	 * @param object          $upgrader   Not needed.
	 * @param array           $hook_extra Which item it is about.
	 * @return string|WP_Error
	 */
	public function before_replacing( $source, $working, $upgrader, $hook_extra = [] ) {
		if ( ! $this->item->is_meant( (array) $hook_extra ) ) {
			return $source;
		}
		// Newer versions of WordPress refuse some packages before us.
		$refused = is_wp_error( $source ) ? $source : $this->accept( (string) $source );
		if ( ! is_wp_error( $refused ) ) {
			return $source;
		}
		// WordPress leaves what it has unpacked where it is.
		$GLOBALS['wp_filesystem']->delete( (string) $working, true );
		return $refused;
	}

	/** @return true|WP_Error */
	private function accept( string $source ) {
		$package = $this->item->read_package( $source, $this->offered );
		if ( is_wp_error( $package ) ) {
			return $package;
		}
		$full = Free_Space::fault_of_installing( $source, $this->item->path() );
		if ( null !== $full ) {
			return new WP_Error( 'steward_disk_full', $full );
		}
		$this->package = $package;
		return $this->swap->set_aside( $package->path, $package->slug, $this->item->is_loaded() );
	}

	private function wrong_version(): ?string {
		$version  = (string) $this->item->version();
		$expected = null === $this->package ? $this->offered : $this->package->version;
		return Versions::are_same( $version, $expected )
			? null
			/* translators: 1: Version found, 2: version expected. */
			: sprintf( __( 'The version found afterwards is %1$s instead of %2$s.', 'steward' ), $version, $expected );
	}

	/** What it leads to belongs to somebody else; and PHP's processes go on for minutes with what they know of a link. */
	private function is_a_link(): ?string {
		return is_link( $this->item->path() ) ? __( 'It is a link to another folder. Update it where it really is.', 'steward' ) : null;
	}

	/** Gives what the upgrader complained about. That it did not complain means nothing. */
	private function upgrade(): ?string {
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
		if ( null === $error && $result && null !== $this->package ) {
			return null;
		}
		return Free_Space::likely_cause( $this->item->path() ) ?? Upgrade_Message::of( $error );
	}
}
