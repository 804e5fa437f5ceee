<?php
/**
 * @package Steward
 */

namespace Steward\Updating;

use Steward\Health\Verdict;
use Steward\Watchdog\Files;
use Throwable;
use WP_Error;

defined( 'ABSPATH' ) || exit;

/**
 * Updates one plugin or theme, or restores a saved version of it. Succeeds if the new version is on disk and the site
 * still works. Update_Batch checks the site, and can roll back the update until it is committed.
 */
final class Item_Update {

	/** @var Item */
	private $item;

	/** @var string */
	private $offered;

	/** @var string */
	private $name;

	/** @var string */
	private $old_version;

	/** @var Swap */
	private $swap;

	/** @var Package|null Accepted package. Null: no package yet, or the update was rolled back. */
	private $package;

	/** @var string|null Saved folder or file to restore. Null: the upgrader of WordPress installs the offered version. */
	private $saved;

	/** @var bool Whether the call named the version. A package with another version is then refused. */
	private $is_exact;

	/** @var string|null */
	private $failure = null;
	/** @var string Code of a failure before the site changed anything, or ''. */
	private $code = '';

	/** @var bool Whether the upgrader has unpacked the package and asked Steward to check it. */
	private $is_unpacked = false;

	/** @var bool */
	private $is_rolled_back = false;

	/** @var bool */
	private $is_verified = true;

	/**
	 * @param Item        $item     Item to update.
	 * @param string      $offered  Offered version, or saved version to restore.
	 * @param string|null $saved    Saved folder or file to restore.
	 * @param bool        $is_exact Whether the call named the version.
	 */
	public function __construct( Item $item, string $offered, ?string $saved = null, bool $is_exact = false ) {
		$this->item        = $item;
		$this->offered     = $offered;
		$this->name        = $item->name();
		$this->old_version = (string) $item->version();
		$this->saved       = $saved;
		$this->is_exact    = $is_exact;
		$this->swap        = new Swap( $item->path(), $item->slug(), Saved_Versions::describe( $item ) );
	}

	public function item(): Item {
		return $this->item;
	}

	/** Replaces the old version with the new one. On failure, restores the old version. */
	public function replace(): void {
		$this->failure = $this->precondition_error() ?? ( null === $this->saved ? $this->upgrade() : $this->copy_saved_version() );
		if ( ! $this->swap->has_backup() ) {
			return;
		}
		$this->swap->invalidate_opcache();
		$this->item->set_current_slug( null === $this->package ? $this->item->slug() : $this->package->slug );
		$failure = $this->failure ?? $this->version_error() ?? $this->item->restore_activation();
		if ( null !== $failure ) {
			$this->roll_back( $failure );
		}
	}

	/**
	 * Whether the old version is in a backup, so that the update can be rolled back. After an exception, the new version
	 * may be incomplete.
	 */
	public function has_backup(): bool {
		return $this->swap->has_backup();
	}

	/** Returns the path of the backup, or '' if there is none. */
	public function backup(): string {
		return $this->swap->backup();
	}

	/** @return string[] Replaced folders and files. */
	public function paths(): array {
		return array_unique( array_filter( [ $this->item->path(), null === $this->package ? '' : $this->package->path ] ) );
	}

	/** @return array<string, string> Plugin file of the installed version by that of the old version. Empty for a theme. */
	public function plugin_files(): array {
		return Requested_Items::PLUGIN === $this->item->type() ? [ $this->item->slug() => null === $this->package ? $this->item->slug() : $this->package->slug ] : [];
	}

	/** Whether the file or plugin belongs to this item. */
	public function contains( string $file ): bool {
		$file = Files::to_wordpress_paths( $file );
		foreach ( $this->paths() as $path ) {
			if ( $file === $path || 0 === strpos( $file, "$path/" ) ) {
				return true;
			}
		}
		return in_array( $file, $this->plugin_files(), true );
	}

	public function describe_failure( Verdict $verdict ): string {
		/* translators: 1: Version, 2: error message. */
		return sprintf( __( 'Version %1$s breaks the site: %2$s', 'steward' ), null === $this->package ? $this->offered : $this->package->version, $verdict->reason() );
	}

	public function roll_back( string $failure ): void {
		$this->failure = $failure;
		$this->code    = '';
		$is_restored   = $this->swap->restore();
		// Back to the slug before the update.
		$this->item->set_current_slug( $this->item->slug() );
		$this->package        = null;
		$this->is_rolled_back = $is_restored && $this->item->version() === $this->old_version;
		$activation_error     = $this->item->restore_activation();
		$failure              = rtrim( $failure, '.' ) . '.';
		$this->failure        = $this->is_rolled_back
			/* translators: 1: Error message, 2: version. */
			? sprintf( __( '%1$s Rolled back to version %2$s.', 'steward' ), $failure, $this->old_version )
			/* translators: 1: Error message, 2: version. */
			: sprintf( __( '%1$s The rollback to version %2$s failed.', 'steward' ), $failure, $this->old_version );
		if ( null !== $activation_error ) {
			$this->add_to_failure( $activation_error );
		}
	}

	/** Records an unexpected exception. Keeps an earlier failure. */
	public function record_failure( string $message ): void {
		$this->failure = $this->failure ?? $message;
	}

	public function add_to_failure( string $sentence ): void {
		$this->failure = trim( $this->failure . ' ' . $sentence );
	}

	/**
	 * Keeps the new version. Call this after the journal entry is removed.
	 *
	 * @param bool $is_verified Whether the health check has passed.
	 * @return string|null Path of the backup if it could not be deleted.
	 */
	public function commit( bool $is_verified ): ?string {
		$this->is_verified = $is_verified || ! $this->item->is_loaded();
		return $this->swap->release_backup();
	}

	/** Call this if neither the site nor the panel has checked the pages yet. */
	public function mark_unverified(): void {
		$this->is_verified = ! $this->item->is_loaded();
	}

	/** @return array{slug: string, new_version: string, success: bool, old_version: string, name?: string, error?: string, code?: string, rolled_back?: true, verified?: false, new_plugin?: string} */
	public function result(): array {
		$result = [
			'slug'        => $this->item->slug(),
			'new_version' => $this->item->version() ?? $this->old_version,
			'success'     => null === $this->failure,
			'old_version' => $this->old_version,
		] + ( '' === $this->name ? [] : [ 'name' => $this->name ] );
		if ( null !== $this->failure ) {
			return $result + [ 'error' => $this->failure ] + ( $this->is_rolled_back ? [ 'rolled_back' => true ] : [] ) + ( '' === $this->code ? [] : [ 'code' => $this->code ] );
		}
		if ( ! $this->is_verified ) {
			$result['verified'] = false;
		}
		if ( null !== $this->package && $this->package->slug !== $this->item->slug() ) {
			$result['new_plugin'] = $this->package->slug;
		}
		return $result;
	}

	/**
	 * Stops WordPress 6.3 and later from making its own backup: it would restore that backup when the request ends, and
	 * conflict with ours.
	 *
	 * @param array $options Options of the upgrader.
	 */
	public function disable_wordpress_backup( $options ) {
		if ( isset( $options['hook_extra'] ) && $this->item->is_target( (array) $options['hook_extra'] ) ) {
			unset( $options['hook_extra']['temp_backup'] );
		}
		return $options;
	}

	/**
	 * The upgrader calls this after it has unpacked a package and before it deletes the old version.
	 *
	 * @param string|WP_Error $source     Unpacked folder.
	 * @param string          $working    Working folder of the upgrader.
	 * @param object          $upgrader   Unused.
	 * @param array           $hook_extra Identifies the item.
	 * @return string|WP_Error
	 */
	public function check_source( $source, $working, $upgrader, $hook_extra = [] ) {
		if ( ! $this->item->is_target( (array) $hook_extra ) ) {
			return $source;
		}
		$this->is_unpacked = true;
		// `$source` is an error if an earlier callback of this filter, such as one of WordPress itself, has rejected the
		// package.
		$accepted = is_wp_error( $source ) ? $source : $this->accept_package( (string) $source );
		if ( ! is_wp_error( $accepted ) ) {
			return $source;
		}
		// WordPress does not delete the unpacked files of a rejected package.
		$GLOBALS['wp_filesystem']->delete( (string) $working, true );
		return $accepted;
	}

	/** @return true|WP_Error */
	private function accept_package( string $source ) {
		$package = $this->item->read_package( $source, $this->offered, $this->is_exact );
		if ( is_wp_error( $package ) ) {
			return $package;
		}
		$space_error = Free_Space::install_error( $source, $this->item->path() );
		if ( null !== $space_error ) {
			return new WP_Error( 'disk_full', $space_error );
		}
		$this->package = $package;
		return $this->swap->back_up( $package->path, $package->slug, $this->item->is_loaded() );
	}

	/** Returns why the update cannot succeed, before anything is downloaded or changed. */
	private function precondition_error(): ?string {
		$error = $this->link_error();
		if ( null !== $error ) {
			$this->code = 'linked_folder';
			return $error;
		}
		$requirement = null === $this->saved ? $this->item->requirement_error() : null;
		if ( null !== $requirement ) {
			$this->code = (string) $requirement->get_error_code();
			return $requirement->get_error_message();
		}
		$error = File_Permissions::replace_error( $this->item->path() );
		if ( null !== $error ) {
			$this->code = 'folder_not_writable';
			return $error;
		}
		$error = Free_Space::update_error( $this->item->path() );
		if ( null !== $error ) {
			$this->code = 'disk_full';
		}
		return $error;
	}

	private function version_error(): ?string {
		$version  = (string) $this->item->version();
		$expected = null === $this->package ? $this->offered : $this->package->version;
		return Versions::are_same( $version, $expected )
			? null
			/* translators: 1: Version found, 2: version expected. */
			: sprintf( __( 'After the change, the installed version is %1$s, not %2$s.', 'steward' ), $version, $expected );
	}

	/** Refuses links: their target may be shared, and PHP processes cache resolved links for minutes. */
	private function link_error(): ?string {
		return is_link( $this->item->path() ) ? __( 'This is a symbolic link. Update the folder that it points to.', 'steward' ) : null;
	}

	/** Copies the files: the saved version must stay until the restored version is verified. */
	private function copy_saved_version(): ?string {
		$accepted = $this->accept_package( (string) $this->saved );
		if ( is_wp_error( $accepted ) ) {
			$this->code = Refusal_Code::of( $accepted );
			return Plain_Error_Text::from( $accepted );
		}
		return Saved_Versions::copy( (string) $this->saved, $this->package->path )
			? null
			: Free_Space::disk_full_error( $this->item->path() ) ?? __( 'The saved version could not be copied.', 'steward' );
	}

	/** Returns the error of the upgrader. Null does not prove success: replace() checks the installed version. */
	private function upgrade(): ?string {
		$skin = new Quiet_Skin();
		add_filter( 'upgrader_source_selection', [ $this, 'check_source' ], PHP_INT_MAX, 4 );
		add_filter( 'upgrader_package_options', [ $this, 'disable_wordpress_backup' ], PHP_INT_MAX );
		try {
			$result = $this->item->upgrade( $skin );
		} catch ( Throwable $thrown ) {
			$result = new WP_Error( 'steward_thrown', $thrown->getMessage() );
		} finally {
			remove_filter( 'upgrader_source_selection', [ $this, 'check_source' ], PHP_INT_MAX );
			remove_filter( 'upgrader_package_options', [ $this, 'disable_wordpress_backup' ], PHP_INT_MAX );
		}
		$error = is_wp_error( $result ) ? $result : $skin->first_error();
		if ( null === $error && $result && null !== $this->package ) {
			return null;
		}
		$space_error = Free_Space::disk_full_error( $this->item->path() );
		// Until the old version is in the backup, the upgrader has changed only its working folder.
		if ( ( null !== $error || ! $result ) && ! $this->swap->has_backup() && $this->item->version() === $this->old_version ) {
			$this->code = null === $space_error ? Refusal_Code::of( $error, $this->is_unpacked ? 'package_rejected' : Refusal_Code::NOT_STARTED ) : 'disk_full';
		}
		return $space_error ?? Plain_Error_Text::from( $error );
	}
}
