<?php
/**
 * @package Steward
 */

namespace Steward\Self_Update;

use Steward\Panel\License;
use Steward\Updating\Package;
use WP_Error;

defined( 'ABSPATH' ) || exit;

/**
 * Downloads and verifies the package of this plugin for each upgrader of WordPress: the update screen, background
 * updates, WP-CLI and remote/self-update. Refuses a package that the connected panel has not signed.
 */
final class Own_Package {

	private const TIMEOUT_SECONDS = 300;

	/** @var string|null Version of the verified package of this request. */
	private static $verified_version = null;

	/** @var bool Whether the package could not be downloaded or was refused, in this request. */
	private static $has_rejected = false;

	/** @var bool Whether remote/self-update runs. It backs up and restores the plugin itself. */
	private static $is_remote = false;

	public static function register(): void {
		add_filter( 'upgrader_pre_download', [ self::class, 'download' ], PHP_INT_MAX, 4 );
		// Item_Update moves the old version away at PHP_INT_MAX.
		add_filter( 'upgrader_source_selection', [ self::class, 'check_source' ], PHP_INT_MAX - 1, 4 );
		add_filter( 'upgrader_install_package_result', [ self::class, 'complete' ], 10, 2 );
		add_filter( 'auto_update_plugin', [ self::class, 'skip_failed_version' ], PHP_INT_MAX, 2 );
	}

	/**
	 * Stops background updates to a version that was rolled back: the site would fail again twice a day.
	 *
	 * @param bool|null $is_enabled Whether WordPress installs this update in the background.
	 * @param object    $offer      Offer.
	 */
	public static function skip_failed_version( $is_enabled, $offer = null ) {
		$is_failed = Own_Plugin::file() === ( $offer->plugin ?? '' ) && ( $offer->new_version ?? '' ) === Update_Guard::failed_version();
		return $is_failed ? false : $is_enabled;
	}

	/** Call this at the start of remote/self-update. */
	public static function start_remote_update(): void {
		self::$is_remote = true;
	}

	/** Whether the package could not be downloaded or was refused. Then nothing has changed. */
	public static function has_rejected(): bool {
		return self::$has_rejected;
	}

	/**
	 * @param bool|string|WP_Error $reply      Result of other code.
	 * @param mixed                $package    Address of the package.
	 * @param object               $upgrader   Unused.
	 * @param mixed                $hook_extra Item that is updated.
	 * @return bool|string|WP_Error Path of the verified package.
	 */
	public static function download( $reply, $package, $upgrader = null, $hook_extra = [] ) {
		$version = is_string( $package ) ? Plugin_Offer::version_of_package( $package ) : null;
		$is_own  = self::is_own( $hook_extra );
		if ( null === $version && ! $is_own ) {
			return $reply;
		}
		Update_Guard::record_activation();
		self::$verified_version = null;
		$file                   = null === $version
			? Signed_Version::error( __( 'The package is not from the panel of this site. Check for updates again.', 'steward' ) )
			: self::download_version( $version );
		self::$has_rejected     = is_wp_error( $file );
		return $file;
	}

	/**
	 * Checks the unpacked package before WordPress replaces any file.
	 *
	 * @param string|WP_Error $source     Unpacked folder.
	 * @param string          $working    Folder with all unpacked files.
	 * @param object          $upgrader   Unused.
	 * @param mixed           $hook_extra Item that is updated.
	 * @return string|WP_Error
	 */
	public static function check_source( $source, $working, $upgrader = null, $hook_extra = [] ) {
		if ( ! self::is_own( $hook_extra ) ) {
			return $source;
		}
		$error = is_wp_error( $source ) ? $source : self::find_source_error( (string) $source );
		if ( null === $error ) {
			Own_Plugin::load_all_classes();
			$error = self::$is_remote ? null : Update_Guard::begin( (string) self::$verified_version );
		}
		if ( null === $error ) {
			return $source;
		}
		self::$has_rejected = true;
		// WordPress does not delete the unpacked files of a rejected package.
		$GLOBALS['wp_filesystem']->delete( (string) $working, true );
		return $error;
	}

	/**
	 * @param array|WP_Error $result     Result of the installation.
	 * @param mixed          $hook_extra Item that was updated.
	 */
	public static function complete( $result, $hook_extra = [] ) {
		if ( self::is_own( $hook_extra ) && ! self::$is_remote && ! is_wp_error( $result ) && null !== self::$verified_version && Own_Plugin::version() === self::$verified_version ) {
			Update_Guard::complete();
		}
		return $result;
	}

	/** @param mixed $hook_extra Item that is updated. */
	private static function is_own( $hook_extra ): bool {
		return is_array( $hook_extra ) && ( $hook_extra['plugin'] ?? '' ) === Own_Plugin::file();
	}

	/** @return string|WP_Error */
	private static function download_version( string $version ) {
		$response = License::send( 'plugin/link', [ 'version' => $version ], [ 'package' ] );
		if ( is_wp_error( $response ) ) {
			return $response;
		}
		$signed = Signed_Version::read( $response['package'] );
		if ( is_wp_error( $signed ) ) {
			return $signed;
		}
		if ( $signed->version !== $version ) {
			/* translators: 1: Version found, 2: version expected. */
			return Signed_Version::error( sprintf( __( 'The panel sent version %1$s of the Steward plugin, not %2$s. No changes were made.', 'steward' ), $signed->version, $version ) );
		}
		$error = $signed->downgrade_error();
		if ( null !== $error ) {
			return $error;
		}
		$link = $response['package']['link'] ?? '';
		$file = self::fetch_file( Plugin_Offer::package_url( $version ) . '?link=' . rawurlencode( is_string( $link ) ? $link : '' ), $signed );
		if ( ! is_wp_error( $file ) ) {
			self::$verified_version = $version;
		}
		return $file;
	}

	/** @return string|WP_Error */
	private static function fetch_file( string $url, Signed_Version $signed ) {
		$file = wp_tempnam( Own_Plugin::SLUG . '.zip' );
		if ( ! $file ) {
			return Signed_Version::error( __( 'WordPress could not create a temporary file.', 'steward' ) );
		}
		// Not download_url(): WordPress refuses panels on a private address or another port.
		$response = wp_remote_get(
			$url,
			[
				'timeout'             => self::TIMEOUT_SECONDS,
				'redirection'         => 0,
				'stream'              => true,
				'filename'            => $file,
				'limit_response_size' => $signed->size + 1,
			]
		);
		$error    = self::find_download_error( $response, $file, $signed );
		if ( null === $error ) {
			return $file;
		}
		@unlink( $file );
		return $error;
	}

	/** @param array|WP_Error $response Response of the download. */
	private static function find_download_error( $response, string $file, Signed_Version $signed ): ?WP_Error {
		if ( is_wp_error( $response ) ) {
			/* translators: %s: Error message. */
			return Signed_Version::error( sprintf( __( 'The Steward plugin could not be downloaded: %s', 'steward' ), $response->get_error_message() ) );
		}
		$status = (int) wp_remote_retrieve_response_code( $response );
		if ( 200 !== $status ) {
			/* translators: %d: HTTP status code. */
			return Signed_Version::error( sprintf( __( 'The Steward plugin could not be downloaded: the panel responded with status %d.', 'steward' ), $status ) );
		}
		clearstatcache( true, $file );
		return filesize( $file ) === $signed->size && hash_equals( $signed->sha256, (string) hash_file( 'sha256', $file ) )
			? null
			: Signed_Version::error( __( 'The downloaded Steward plugin is not the one that the panel has signed. No changes were made.', 'steward' ) );
	}

	private static function find_source_error( string $source ): ?WP_Error {
		if ( null === self::$verified_version ) {
			return Signed_Version::error( __( 'The package of the Steward plugin was not verified. No changes were made.', 'steward' ) );
		}
		$folder = dirname( Own_Plugin::file() );
		if ( basename( $source ) !== $folder ) {
			/* translators: 1: Name of a folder, 2: name of a folder. */
			return Signed_Version::error( sprintf( __( 'The Steward plugin is installed in the folder %1$s. Install it in the folder %2$s to update it.', 'steward' ), $folder, basename( $source ) ) );
		}
		if ( is_link( Own_Plugin::folder() ) ) {
			return Signed_Version::error( __( 'The folder of the Steward plugin is a symbolic link. Update the folder that it points to.', 'steward' ) );
		}
		$main = trailingslashit( $source ) . basename( Own_Plugin::file() );
		$data = is_file( $main ) ? get_plugin_data( $main, false, false ) : [ 'Version' => '' ];
		if ( $data['Version'] !== self::$verified_version ) {
			/* translators: 1: Version found, 2: version expected. */
			return Signed_Version::error( sprintf( __( 'The package contains version %1$s, not %2$s.', 'steward' ), $data['Version'], self::$verified_version ) );
		}
		return Package::version_error( self::$verified_version, $data );
	}
}
