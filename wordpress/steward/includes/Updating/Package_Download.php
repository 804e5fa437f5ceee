<?php
/**
 * @package Steward
 */

namespace Steward\Updating;

use Steward\Connection;
use Steward\Watchdog\State;
use WP_Error;

defined( 'ABSPATH' ) || exit;

/** Downloads packages to the state folder. The caller deletes the file. If PHP is killed, the next call deletes it. */
final class Package_Download {

	const MAX_BYTES = 64 * MB_IN_BYTES;

	private const DIRECTORY_HOST  = 'downloads.wordpress.org';
	private const TIMEOUT_SECONDS = 300;

	/**
	 * Accepts only links of the connected panel: a call must not make the site fetch other addresses.
	 *
	 * @param object $package `url`, `sha256` and `size`.
	 * @return string|WP_Error Path of the file.
	 */
	public static function from_panel( object $package ) {
		if ( self::origin( $package->url ) !== self::origin( Connection::panel_url() ) ) {
			/* translators: 1: Address in a link, 2: address of the panel. */
			return Package_Zip::reject( sprintf( __( 'The link to the package leads to %1$s, but this site is connected to %2$s. Start the panel with BASE_URL set to %2$s, or connect this site again to %1$s.', 'steward' ), self::shown_origin( $package->url ), Connection::panel_url() ) );
		}
		$file = self::download( $package->url, $package->size, $package->size );
		if ( is_wp_error( $file ) ) {
			return $file;
		}
		if ( filesize( $file ) !== $package->size || ! hash_equals( $package->sha256, (string) hash_file( 'sha256', $file ) ) ) {
			@unlink( $file );
			return Package_Zip::reject( __( 'The downloaded package is not the one that the panel sent: its size or its hash differs.', 'steward' ) );
		}
		return $file;
	}

	/**
	 * @param string $url Link of the public directory.
	 * @return string|WP_Error Path of the file.
	 */
	public static function from_directory( string $url ) {
		/**
		 * Filters the servers from which Steward downloads new plugins and themes, for sites with a mirror.
		 *
		 * @param string[] $hosts Host names.
		 */
		$hosts = (array) apply_filters( 'steward_download_hosts', [ self::DIRECTORY_HOST ] );
		$host  = strtolower( (string) wp_parse_url( $url, PHP_URL_HOST ) );
		if ( null === self::origin( $url ) || ! in_array( $host, $hosts, true ) || ( self::DIRECTORY_HOST === $host && 0 !== stripos( $url, 'https:' ) ) ) {
			/* translators: %s: Host name. */
			return Package_Zip::reject( sprintf( __( 'The download link leads to %s, which is not wordpress.org.', 'steward' ), '' === $host ? '-' : $host ) );
		}
		return self::download( $url, self::MAX_BYTES );
	}

	/** Returns scheme, host and port. Null: the URL is no HTTP address, or contains a user name or password. */
	private static function origin( string $url ): ?string {
		$parts  = wp_parse_url( $url );
		$scheme = strtolower( (string) ( $parts['scheme'] ?? '' ) );
		if ( ! is_array( $parts ) || ! in_array( $scheme, [ 'http', 'https' ], true ) || empty( $parts['host'] ) || isset( $parts['user'] ) || isset( $parts['pass'] ) || false !== strpos( $url, '\\' ) ) {
			return null;
		}
		return $scheme . '://' . strtolower( $parts['host'] ) . ':' . ( $parts['port'] ?? ( 'https' === $scheme ? 443 : 80 ) );
	}

	/** Returns scheme, host and port as they are in the URL: two addresses may differ only in one of them. */
	private static function shown_origin( string $url ): string {
		$parts = (array) wp_parse_url( $url );
		return ( $parts['scheme'] ?? '-' ) . '://' . ( $parts['host'] ?? '-' ) . ( isset( $parts['port'] ) ? ':' . $parts['port'] : '' );
	}

	/** @return string|WP_Error */
	private static function download( string $url, int $max_bytes, int $needed_bytes = 0 ) {
		$folder = State::folder();
		if ( null === self::origin( $url ) || ! State_Folder::ensure( $folder ) ) {
			return new WP_Error( 'folder_not_writable', __( 'PHP cannot write to the folder wp-content. Make PHP its owner, or make it writable.', 'steward' ) );
		}
		$space_error = Free_Space::download_error( $folder, $needed_bytes );
		if ( null !== $space_error ) {
			return new WP_Error( 'disk_full', $space_error );
		}
		$file     = $folder . '/package-' . uniqid() . '.zip';
		$response = wp_remote_get(
			$url,
			[
				'timeout'             => self::TIMEOUT_SECONDS,
				'redirection'         => 0,
				'stream'              => true,
				'filename'            => $file,
				'limit_response_size' => $max_bytes + 1,
			]
		);
		$status   = is_wp_error( $response ) ? 0 : (int) wp_remote_retrieve_response_code( $response );
		if ( 200 === $status && is_file( $file ) && filesize( $file ) <= $max_bytes ) {
			return $file;
		}
		@unlink( $file );
		if ( is_wp_error( $response ) ) {
			/* translators: %s: Error message. */
			return Package_Zip::reject( sprintf( __( 'The package could not be downloaded: %s.', 'steward' ), rtrim( $response->get_error_message(), '.' ) ) );
		}
		return Package_Zip::reject(
			200 === $status
				? __( 'The package is larger than expected.', 'steward' )
				/* translators: %d: HTTP status code. */
				: sprintf( __( 'The package could not be downloaded: the server responded with status %d.', 'steward' ), $status )
		);
	}
}
