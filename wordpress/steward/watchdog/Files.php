<?php
/**
 * @package Steward
 */

namespace Steward\Watchdog;

use FilesystemIterator;
use RecursiveDirectoryIterator;
use RecursiveIteratorIterator;

defined( 'ABSPATH' ) || exit;

/** Files and folders, and what PHP keeps of them in memory. */
final class Files {

	public static function has( string $path ): bool {
		clearstatcache( true, $path );
		return file_exists( $path ) || is_link( $path );
	}

	/** True when nothing is left. A link is removed, never followed. */
	public static function delete( string $path ): bool {
		if ( is_link( $path ) || is_file( $path ) ) {
			return @unlink( $path );
		}
		if ( ! is_dir( $path ) ) {
			return true;
		}
		foreach ( self::names_in( $path ) as $name ) {
			self::delete( $path . '/' . $name );
		}
		return @rmdir( $path );
	}

	/** @return string[] */
	public static function names_in( string $path ): array {
		return array_diff( @scandir( $path ) ?: [], [ '.', '..' ] );
	}

	/** @return iterable<string> All files below a folder; a file itself. */
	public static function below( string $path ): iterable {
		if ( ! is_dir( $path ) ) {
			return is_file( $path ) ? [ $path ] : [];
		}
		return new RecursiveIteratorIterator(
			new RecursiveDirectoryIterator( $path, FilesystemIterator::SKIP_DOTS | FilesystemIterator::CURRENT_AS_PATHNAME ),
			RecursiveIteratorIterator::LEAVES_ONLY,
			RecursiveIteratorIterator::CATCH_GET_CHILD
		);
	}

	/** For people: a path without the place of the site on its server. */
	public static function short( string $text ): string {
		return str_replace( ABSPATH, '', self::without_links( $text ) );
	}

	/** PHP names the files it has included by their real paths, WordPress by way of a linked wp-content. */
	public static function without_links( string $text ): string {
		foreach ( [ WP_PLUGIN_DIR, WPMU_PLUGIN_DIR, WP_CONTENT_DIR . '/themes', WP_CONTENT_DIR ] as $folder ) {
			$real = @realpath( $folder );
			if ( false !== $real && $real !== $folder ) {
				$text = str_replace( $real . DIRECTORY_SEPARATOR, $folder . '/', $text );
			}
		}
		return $text;
	}

	/**
	 * PHP must compile again what is at a path, and forget what is gone from it: a file that was removed stays compiled,
	 * and pages would be built with it for seconds.
	 *
	 * @param string $path  What was replaced.
	 * @param string $other What was at that path before.
	 */
	public static function forget_compiled( string $path, string $other ): void {
		clearstatcache( true );
		$names = [];
		foreach ( [ $path, $other ] as $root ) {
			foreach ( self::below( $root ) as $file ) {
				if ( preg_match( '/\.(php\d?|phtml|inc|module)$/i', $file ) ) {
					$names[ substr( $file, strlen( $root ) ) ] = true;
				}
			}
		}
		foreach ( array_keys( $names ) as $name ) {
			// PHP keeps no file that is younger than two seconds, in any of its processes.
			is_file( $path . $name ) && @touch( $path . $name );
			self::forget_compiled_file( $path . $name );
		}
		clearstatcache( true );
	}

	public static function forget_compiled_file( string $file ): void {
		if ( self::may_use_opcache() ) {
			@opcache_invalidate( $file, true );
		}
	}

	/**
	 * Files of a path that this request was built with, and that are not what is on disk any more.
	 *
	 * @param string[] $paths Of what was replaced.
	 * @return string[]
	 */
	public static function outdated( array $paths ): array {
		$roots    = array_map( [ self::class, 'real' ], $paths );
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
		$status   = self::may_use_opcache() && function_exists( 'opcache_get_status' ) ? @opcache_get_status( true ) : false;
		$compiled = is_array( $status ) ? $status['scripts'] ?? [] : [];
		return array_filter(
			$included,
			static function ( string $file ) use ( $compiled ): bool {
				// 0: PHP was told to forget it, and has not kept the file again yet.
				$compiled_at = $compiled[ $file ]['timestamp'] ?? 0;
				return ! is_file( $file ) || ( 0 !== $compiled_at && filemtime( $file ) !== $compiled_at );
			}
		);
	}

	/** As PHP names files that it has included; also of one that is not there any more. */
	private static function real( string $path ): string {
		$real = realpath( $path );
		return str_replace( '\\', '/', false === $real ? realpath( dirname( $path ) ) . '/' . basename( $path ) : $real );
	}

	/** A host can allow that to some scripts only. */
	private static function may_use_opcache(): bool {
		$allowed = (string) ini_get( 'opcache.restrict_api' );
		$script  = (string) realpath( (string) ( $_SERVER['SCRIPT_FILENAME'] ?? '' ) );
		return function_exists( 'opcache_invalidate' ) && ( '' === $allowed || 0 === stripos( $script, $allowed ) );
	}
}
