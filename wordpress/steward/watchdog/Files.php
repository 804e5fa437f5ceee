<?php
/**
 * @package Steward
 */

namespace Steward\Watchdog;

use FilesystemIterator;
use RecursiveDirectoryIterator;
use RecursiveIteratorIterator;

defined( 'ABSPATH' ) || exit;

/** File operations that also handle the stat cache and the opcache of PHP. */
final class Files {

	public static function exists( string $path ): bool {
		clearstatcache( true, $path );
		return file_exists( $path ) || is_link( $path );
	}

	/** Returns whether everything was deleted. Deletes links, but never follows them. */
	public static function delete( string $path ): bool {
		if ( is_link( $path ) || is_file( $path ) ) {
			return @unlink( $path );
		}
		if ( ! is_dir( $path ) ) {
			return true;
		}
		foreach ( self::list_names( $path ) as $name ) {
			self::delete( $path . '/' . $name );
		}
		return @rmdir( $path );
	}

	/** @return string[] */
	public static function list_names( string $path ): array {
		return array_diff( @scandir( $path ) ?: [], [ '.', '..' ] );
	}

	/** @return iterable<string> All files in a folder, recursively; for a file, the file itself. */
	public static function list_files( string $path ): iterable {
		if ( ! is_dir( $path ) ) {
			return is_file( $path ) ? [ $path ] : [];
		}
		return new RecursiveIteratorIterator(
			new RecursiveDirectoryIterator( $path, FilesystemIterator::SKIP_DOTS | FilesystemIterator::CURRENT_AS_PATHNAME ),
			RecursiveIteratorIterator::LEAVES_ONLY,
			RecursiveIteratorIterator::CATCH_GET_CHILD
		);
	}

	/** Makes paths in messages relative to the site. */
	public static function shorten_paths( string $text ): string {
		return str_replace( ABSPATH, '', self::to_wordpress_paths( $text ) );
	}

	/** Replaces real paths, which PHP reports, with the paths that WordPress uses. They differ if wp-content is a link. */
	public static function to_wordpress_paths( string $text ): string {
		foreach ( [ WP_PLUGIN_DIR, WPMU_PLUGIN_DIR, WP_CONTENT_DIR . '/themes', WP_CONTENT_DIR ] as $folder ) {
			$real = @realpath( $folder );
			if ( false !== $real && $real !== $folder ) {
				$text = str_replace( $real . DIRECTORY_SEPARATOR, $folder . '/', $text );
			}
		}
		return $text;
	}

	/**
	 * Removes the new and the former files of a path from the opcache: otherwise pages would run old code for
	 * some seconds.
	 *
	 * @param string $path  Replaced folder or file.
	 * @param string $moved New place of the former folder or file; '' if there was none.
	 */
	public static function invalidate_opcache( string $path, string $moved ): void {
		clearstatcache( true );
		$names = [];
		foreach ( [ $path, $moved ] as $root ) {
			foreach ( self::list_files( $root ) as $file ) {
				if ( preg_match( '/\.(php\d?|phtml|inc|module)$/i', $file ) ) {
					$names[ substr( $file, strlen( $root ) ) ] = true;
				}
			}
		}
		foreach ( array_keys( $names ) as $name ) {
			// Opcache does not store files younger than two seconds, in any PHP process.
			is_file( $path . $name ) && @touch( $path . $name );
			self::invalidate_opcache_file( $path . $name );
		}
		clearstatcache( true );
	}

	public static function invalidate_opcache_file( string $file ): void {
		if ( self::can_use_opcache() ) {
			@opcache_invalidate( $file, true );
		}
	}

	/**
	 * Returns files that this request has loaded in a version that is no longer on disk.
	 *
	 * @param string[] $paths Replaced folders and files.
	 * @return string[]
	 */
	public static function find_outdated( array $paths ): array {
		$roots    = array_map( [ self::class, 'real_path' ], $paths );
		$included = array_filter(
			get_included_files(),
			static function ( string $file ) use ( $roots ): bool {
				$file = str_replace( '\\', '/', $file );
				foreach ( $roots as $path ) {
					if ( $file === $path || 0 === strpos( $file, $path . '/' ) ) {
						return true;
					}
				}
				return false;
			}
		);
		if ( [] === $included ) {
			return [];
		}
		clearstatcache( true );
		$status   = self::can_use_opcache() && function_exists( 'opcache_get_status' ) ? @opcache_get_status( true ) : false;
		$compiled = is_array( $status ) ? $status['scripts'] ?? [] : [];
		return array_filter(
			$included,
			static function ( string $file ) use ( $compiled ): bool {
				// 0: the file was invalidated and has not been compiled again.
				$compiled_at = $compiled[ $file ]['timestamp'] ?? 0;
				return ! is_file( $file ) || ( 0 !== $compiled_at && filemtime( $file ) !== $compiled_at );
			}
		);
	}

	/** Returns the path in the form of get_included_files(), even if the file was deleted. */
	private static function real_path( string $path ): string {
		$real = realpath( $path );
		return str_replace( '\\', '/', false === $real ? realpath( dirname( $path ) ) . '/' . basename( $path ) : $real );
	}

	/** Checks opcache.restrict_api: a host can restrict the opcache API to scripts in one folder. */
	private static function can_use_opcache(): bool {
		$allowed = (string) ini_get( 'opcache.restrict_api' );
		$script  = (string) realpath( (string) ( $_SERVER['SCRIPT_FILENAME'] ?? '' ) );
		return function_exists( 'opcache_invalidate' ) && ( '' === $allowed || 0 === stripos( $script, $allowed ) );
	}
}
