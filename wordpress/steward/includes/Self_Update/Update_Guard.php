<?php
/**
 * @package Steward
 */

namespace Steward\Self_Update;

use Steward\Updating\Installed_Plugins;
use Steward\Updating\State_Folder;
use Steward\Watchdog\Call_Signature;
use Steward\Watchdog\Files;
use Steward\Watchdog\State;
use WP_Error;
use const Steward\PLUGIN_FILE;

defined( 'ABSPATH' ) || exit;

/**
 * Installs the guard: a must-use plugin file that restores the previous version of this plugin. The watchdog cannot do
 * that, because its own files are replaced.
 */
final class Update_Guard {

	/** Record of an update by WordPress. `guard.php` reads it. */
	private const RECORD = 'own-update.json';
	private const FAILED = 'own-failed.json';
	/** What the guard has seen of the new version. */
	private const CHECK  = 'guard-check.json';
	/** What the guard needs to verify a verdict of the panel without any other file of this plugin. */
	private const KEYS   = 'guard-keys.json';
	private const LOCK   = 'own-update.lock';
	private const BACKUP = 'own-previous';

	/** @var resource|null Lock of the running update. The operating system releases it when the request ends. */
	private static $lock = null;

	/** @var bool */
	private static $is_locked = false;

	/** @var string Where the plugin was active before the update: '', 'site' or 'network'. */
	private static $activation = '';

	/** Call this before the installation: the update screen of WordPress deactivates a plugin before it replaces the files. */
	public static function record_activation(): void {
		$plugin           = Own_Plugin::file();
		$scope            = Installed_Plugins::is_network_active( $plugin ) ? 'network' : 'site';
		self::$activation = Installed_Plugins::is_active( $plugin ) ? $scope : '';
	}

	public static function install(): bool {
		@unlink( State::file( self::CHECK ) );
		State::write(
			self::KEYS,
			[
				'panel_key' => Call_Signature::public_key(),
				'site_url'  => Call_Signature::site_url(),
			]
		);
		$path      = self::path();
		$temporary = $path . '.new';
		$is_copied = wp_mkdir_p( dirname( $path ) ) && @copy( dirname( PLUGIN_FILE ) . '/watchdog/guard.php', $temporary ) && @rename( $temporary, $path );
		Files::invalidate_opcache_file( $path );
		return $is_copied;
	}

	public static function remove(): void {
		if ( is_file( self::path() ) ) {
			@unlink( self::path() );
			Files::invalidate_opcache_file( self::path() );
		}
	}

	/**
	 * Copies this version before WordPress replaces it. If the update is killed, or the new version fails a check, the
	 * guard restores the copy.
	 *
	 * @param string $version New version.
	 */
	public static function begin( string $version ): ?WP_Error {
		if ( ! State_Folder::ensure( State::folder() ) ) {
			return self::backup_error();
		}
		if ( ! self::acquire_lock() ) {
			return new WP_Error( 'steward_busy', __( 'Another update of the Steward plugin is running. Try again when it has finished.', 'steward' ) );
		}
		// Only with the lock held: the folder of an older version gets another name.
		$folder = State::folder_beside( Own_Plugin::folder() );
		$backup = $folder . '/' . self::BACKUP;
		if ( ! State_Folder::ensure( $folder ) ) {
			return self::backup_error();
		}
		self::end();
		$record = [
			'path'        => Own_Plugin::folder(),
			'backup'      => $backup,
			'plugin'      => Own_Plugin::file(),
			'version'     => $version,
			'activation'  => self::$activation,
			// '' if there is no lock: then the guard decides by the age of the record whether the update still runs.
			'host'        => self::$is_locked ? State::host() : '',
			'started'     => time(),
			'is_complete' => false,
		] + State::place();
		if ( ! self::copy_folder( Own_Plugin::folder(), $backup ) || ! State::write( self::RECORD, $record ) ) {
			self::end();
			return self::backup_error();
		}
		if ( ! self::install() ) {
			error_log( 'Steward: could not install the update guard as ' . self::path() );
		}
		return null;
	}

	/** Returns whether this request may replace the plugin. It then holds the lock until it ends, if the file system has locks. */
	public static function acquire_lock(): bool {
		self::$lock = self::$lock ?? ( @fopen( State::file( self::LOCK ), 'ce' ) ?: null );
		if ( null === self::$lock ) {
			return false;
		}
		$is_held_by_other = 0;
		self::$is_locked  = flock( self::$lock, LOCK_EX | LOCK_NB, $is_held_by_other );
		return self::$is_locked || ! $is_held_by_other;
	}

	/** Runs the work with the lock held, or does nothing if an update of this plugin holds the lock. */
	public static function run_exclusive( callable $work ): void {
		$was_locked = null !== self::$lock;
		if ( self::acquire_lock() ) {
			$work();
		}
		if ( ! $was_locked && null !== self::$lock ) {
			fclose( self::$lock );
			self::$lock      = null;
			self::$is_locked = false;
		}
	}

	/** Whether an update of this plugin is running or on probation, perhaps with the guard of an older version. */
	public static function is_active(): bool {
		return is_file( self::path() ) || is_file( State::file( self::RECORD ) );
	}

	/** Call this when the new version is in place. Then the guard restores the old version only if a check fails. */
	public static function complete(): void {
		$record = State::read( self::RECORD );
		if ( null !== $record ) {
			State::write( self::RECORD, [ 'is_complete' => true, 'started' => time() ] + $record );
		}
	}

	/** Returns the last version that the guard has rolled back, or ''. */
	public static function failed_version(): string {
		return (string) ( State::read( self::FAILED )['version'] ?? '' );
	}

	/** Deletes the record of the update and the copy of the previous version. */
	public static function end(): void {
		@unlink( State::file( self::RECORD ) );
		Files::delete( State::folder_beside( Own_Plugin::folder() ) . '/' . self::BACKUP );
	}

	private static function path(): string {
		// Sorts before the file of the watchdog, because WordPress loads must-use plugins in the order of their names.
		return WPMU_PLUGIN_DIR . '/steward-guard.php';
	}

	private static function backup_error(): WP_Error {
		return new WP_Error( 'steward_no_backup', __( 'The installed version of the Steward plugin could not be backed up. No changes were made. Check the disk space and the owner of the plugin folder.', 'steward' ) );
	}

	private static function copy_folder( string $from, string $to ): bool {
		foreach ( Files::list_files( $from ) as $file ) {
			$target = $to . substr( $file, strlen( $from ) );
			if ( ! wp_mkdir_p( dirname( $target ) ) || ! @copy( $file, $target ) ) {
				return false;
			}
		}
		return is_file( $to . '/' . basename( PLUGIN_FILE ) );
	}
}
