<?php
/**
 * @package Steward
 */

namespace Steward\Updating;

use Plugin_Upgrader;
use Steward\Watchdog\Files;
use Steward\Watchdog\Journal;
use Steward\Watchdog\State;
use Steward\Watchdog\Undo;
use Theme_Upgrader;
use Throwable;
use WP_Error;

defined( 'ABSPATH' ) || exit;

/** Installs one new plugin or theme, and does not activate it. A failed installation leaves nothing behind. */
final class Item_Install {

	/** Codes of failures before the site changed anything. */
	private const REFUSALS = [ 'already_installed', 'item_not_found', 'management_plugin', 'package_rejected', 'folder_not_writable', 'disk_full' ];

	/** @var string */
	private $type;

	/** @var string Slug of the installed item. Without a package: slug on wordpress.org. */
	private $slug;

	/** @var string */
	private $version;

	/** @var object|null `url`, `sha256` and `size`. Null: the package comes from wordpress.org. */
	private $package;

	/** @var New_Item|null Item in the accepted package, or the same item if it is already installed. */
	private $item = null;

	/** @var WP_Error|null */
	private $failure = null;

	/** @var bool Whether the item was installed before this call. */
	private $was_installed = false;

	/** @var string Backup path that identifies the journal entry; '' if there is no entry. */
	private $journal_entry = '';

	/** @var object|null Upgrader that runs. */
	private $upgrader = null;

	public function __construct( string $type, string $slug, string $version, ?object $package ) {
		$this->type    = $type;
		$this->slug    = $slug;
		$this->version = $version;
		$this->package = $package;
	}

	public function run(): void {
		try {
			$this->failure = $this->refusal();
			if ( null === $this->failure && ! $this->was_installed ) {
				$this->failure = $this->install();
			}
		} catch ( Throwable $thrown ) {
			$this->failure = new WP_Error( 'steward_thrown', $thrown->getMessage() );
		}
		if ( '' !== $this->journal_entry ) {
			null === $this->failure ? Journal::remove( [ $this->journal_entry ] ) : Undo::restore_item( $this->journal_entry, 'failed' );
		}
	}

	public function result(): array {
		$installed = null === $this->item ? '' : (string) $this->item->version();
		$result    = [
			'slug'        => $this->slug,
			'new_version' => $installed,
			'success'     => null === $this->failure,
		];
		if ( $this->was_installed ) {
			$result['old_version'] = $installed;
		}
		if ( '' !== $installed ) {
			$result += array_filter( [ 'name' => $this->item->name() ] );
			if ( Requested_Items::PLUGIN === $this->type && $this->item->slug() !== $this->slug ) {
				$result['new_plugin'] = $this->item->slug();
			}
		}
		if ( null !== $this->failure ) {
			$result['error'] = Plain_Error_Text::from( $this->failure );
			$code            = (string) $this->failure->get_error_code();
			$result         += in_array( $code, self::REFUSALS, true ) ? [ 'code' => $code ] : [];
		}
		return $result;
	}

	/** Returns why the item must not be installed, or null. Sets `was_installed` if the site already has the item. */
	private function refusal(): ?WP_Error {
		if ( Requested_Items::PLUGIN === $this->type && Installed_Plugins::is_steward( $this->slug ) ) {
			return new WP_Error( 'management_plugin', __( 'This action cannot change the Steward plugin itself.', 'steward' ) );
		}
		$this->item = New_Item::find_installed( $this->type, $this->slug, null !== $this->package );
		if ( null === $this->item ) {
			return null;
		}
		// Without a package, the slug names the folder only.
		if ( null !== $this->package && $this->item->slug() !== $this->slug ) {
			$other      = $this->item;
			$this->item = null;
			/* translators: 1: Name of a folder, 2: plugin file, 3: version. */
			$error = __( 'The folder %1$s contains another plugin: %2$s, version %3$s. Delete it before you install this one.', 'steward' );
			return new WP_Error( 'already_installed', sprintf( $error, dirname( $other->slug() ), $other->slug(), (string) $other->version() ) );
		}
		$this->was_installed = true;
		if ( Versions::are_same( (string) $this->item->version(), $this->version ) ) {
			return null;
		}
		if ( '' === (string) $this->item->version() ) {
			/* translators: %s: Name of a folder. */
			return new WP_Error( 'already_installed', sprintf( __( 'The folder %s already exists.', 'steward' ), basename( $this->item->path() ) ) );
		}
		/* translators: %s: Version. */
		return new WP_Error( 'already_installed', sprintf( __( 'Version %s is already installed. Update it instead.', 'steward' ), (string) $this->item->version() ) );
	}

	private function install(): ?WP_Error {
		$zip = $this->download();
		if ( is_wp_error( $zip ) ) {
			return $zip;
		}
		try {
			$bytes = Package_Zip::check( $zip );
			if ( is_wp_error( $bytes ) ) {
				return $bytes;
			}
			$error = Free_Space::unpack_error( $bytes, New_Item::root( $this->type ) );
			return null === $error ? $this->run_upgrader( $zip ) : new WP_Error( 'disk_full', $error );
		} finally {
			@unlink( $zip );
		}
	}

	/** @return string|WP_Error Path of the zip. */
	private function download() {
		// The last path segment is a placeholder.
		$error = File_Permissions::replace_error( New_Item::root( $this->type ) . '/item' );
		if ( null !== $error ) {
			return new WP_Error( 'folder_not_writable', $error );
		}
		if ( null !== $this->package ) {
			return Package_Download::from_panel( $this->package );
		}
		$link = Public_Directory::find_link( $this->type, $this->slug, $this->version );
		return is_wp_error( $link ) ? $link : Package_Download::from_directory( $link );
	}

	private function run_upgrader( string $zip ): ?WP_Error {
		$skin           = new Quiet_Skin();
		$this->upgrader = Requested_Items::PLUGIN === $this->type ? new Plugin_Upgrader( $skin ) : new class( $skin ) extends Theme_Upgrader {
			// WordPress would also install the parent theme, which the panel did not request.
			public function check_parent_theme_filter( $install_result, $hook_extra, $child_result ) {
				return $install_result;
			}
		};
		add_filter( 'upgrader_source_selection', [ $this, 'check_source' ], PHP_INT_MAX, 3 );
		try {
			$result = $this->upgrader->install( $zip, [ 'clear_update_cache' => false ] );
		} catch ( Throwable $thrown ) {
			$result = new WP_Error( 'steward_thrown', $thrown->getMessage() );
		} finally {
			remove_filter( 'upgrader_source_selection', [ $this, 'check_source' ], PHP_INT_MAX );
		}
		$error = is_wp_error( $result ) ? $result : $skin->first_error();
		if ( null === $this->item ) {
			return $this->explain_rejection( $error );
		}
		Files::invalidate_opcache( $this->item->path(), '' );
		$installed = $this->item->version();
		if ( null !== $error || ! $result || null === $installed || ! Versions::are_same( $installed, $this->version ) ) {
			return new WP_Error( 'steward_install', Free_Space::disk_full_error( $this->item->path() ) ?? Plain_Error_Text::from( $error ) );
		}
		return null;
	}

	/** @param WP_Error|string|null $error Why the upgrader did not accept the package. */
	private function explain_rejection( $error ): WP_Error {
		$code = is_wp_error( $error ) ? (string) $error->get_error_code() : '';
		if ( in_array( $code, self::REFUSALS, true ) || 0 === strpos( $code, 'steward_' ) ) {
			return $error;
		}
		$space_error = Free_Space::disk_full_error( New_Item::root( $this->type ) . '/item' );
		// Other errors come from WordPress: the package is damaged, or this site does not meet its requirements.
		return null === $space_error ? Package_Zip::reject( Plain_Error_Text::from( $error ) ) : new WP_Error( 'disk_full', $space_error );
	}

	/**
	 * The upgrader calls this after it has unpacked the package and before it copies any file to its place.
	 *
	 * @param string|WP_Error $source   Unpacked folder.
	 * @param string          $working  Working folder of the upgrader.
	 * @param object          $upgrader Upgrader.
	 * @return string|WP_Error
	 */
	public function check_source( $source, $working, $upgrader ) {
		if ( $upgrader !== $this->upgrader ) {
			return $source;
		}
		$error = is_wp_error( $source ) ? $source : $this->accept( (string) $source );
		if ( null === $error ) {
			return $source;
		}
		// WordPress does not delete the unpacked files of a rejected package.
		$GLOBALS['wp_filesystem']->delete( (string) $working, true );
		return $error;
	}

	private function accept( string $source ): ?WP_Error {
		$item = New_Item::read( $this->type, $this->slug, null !== $this->package, $source, $this->version );
		if ( is_wp_error( $item ) ) {
			return $item;
		}
		$entry = State::folder() . '/previous-' . uniqid();
		$host  = Site_Lock::holds_file_lock() ? State::host() : '';
		// If the request is killed, the watchdog deletes the new files.
		$journal = [
			'label'    => $item->slug(),
			'path'     => $item->path(),
			'new_path' => $item->path(),
			'backup'   => $entry,
			'is_new'   => true,
		];
		if ( ! Journal::add( $journal, $host ) ) {
			return new WP_Error( 'folder_not_writable', __( 'PHP cannot write to the folder wp-content. Make PHP its owner, or make it writable.', 'steward' ) );
		}
		$this->journal_entry = $entry;
		$this->item          = $item;
		return null;
	}
}
