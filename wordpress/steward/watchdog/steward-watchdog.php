<?php
/**
 * Plugin Name: Steward Watchdog
 * Description: Puts the previous version of a plugin or theme back when an update was interrupted. Steward installs and removes this file.
 * Version:     0.1.0
 * License:     GPL-2.0-or-later
 *
 * Loaded before all other plugins, also by the file that puts the site into maintenance, when neither the database nor
 * most of WordPress is there. So it stands alone: no autoloader, no hooks, nothing but files.
 *
 * @package Steward
 */

defined( 'ABSPATH' ) || exit;

if ( ! class_exists( 'Steward_Watchdog', false ) ) {
	/** Knows what is being replaced at this moment, and how to undo it. */
	final class Steward_Watchdog {

		const LONGEST_UPDATE_SECONDS = 900;

		public static function folder(): string {
			return WP_CONTENT_DIR . '/steward';
		}

		public static function lock_file(): string {
			return self::folder() . '/lock';
		}

		public static function marker_file(): string {
			return self::folder() . '/in-flight.json';
		}

		/**
		 * What is being replaced, or null.
		 *
		 * @return array{path: string, backup: string, label: string, started: int}|null
		 */
		public static function in_flight(): ?array {
			$marker = is_file( self::marker_file() )
				? json_decode( (string) @file_get_contents( self::marker_file() ), true )
				: null;
			return is_array( $marker ) && isset( $marker['path'], $marker['backup'], $marker['label'], $marker['started'] )
				? $marker
				: null;
		}

		/** Undoes what an update left half-done when it died. Does nothing while one is alive. */
		public static function reconcile(): void {
			if ( ! is_file( self::marker_file() ) ) {
				return;
			}
			$marker = self::in_flight();
			$lock   = self::take_lock( null === $marker ? 0 : $marker['started'] );
			if ( null === $lock ) {
				return;
			}
			// Read again: what was under way may have ended while the lock was taken.
			$marker = self::in_flight();
			if ( null !== $marker ) {
				$is_restored = self::restore( $marker );
				error_log(
					sprintf(
						$is_restored
							? 'Steward: the update of %s was interrupted; its previous version is back.'
							: 'Steward: the update of %s was interrupted before anything was replaced.',
						$marker['label']
					)
				);
			}
			self::forget();
			fclose( $lock );
		}

		/**
		 * Whoever updates holds this lock, and the operating system takes it from the dead. Null: it is held.
		 *
		 * @param int $started When the update began, for file systems that know no locks.
		 * @return resource|null
		 */
		private static function take_lock( int $started ) {
			$lock = @fopen( self::lock_file(), 'c' );
			if ( false === $lock ) {
				return null;
			}
			$is_held = 0;
			if ( flock( $lock, LOCK_EX | LOCK_NB, $is_held ) ) {
				return $lock;
			}
			return ! $is_held && time() - $started > self::LONGEST_UPDATE_SECONDS ? $lock : null;
		}

		/**
		 * Puts the previous version back. True when there was one to put back and it is in its place again.
		 *
		 * @param array{path: string, backup: string} $marker What was being replaced.
		 */
		public static function restore( array $marker ): bool {
			if ( ! file_exists( $marker['backup'] ) && ! is_link( $marker['backup'] ) ) {
				return false;
			}
			// Moved away before it is deleted: the way is free at once, and a kill leaves the backup where it is.
			$broken = self::folder() . '/broken-' . uniqid();
			if ( file_exists( $marker['path'] ) && ! @rename( $marker['path'], $broken ) ) {
				self::delete( $marker['path'] );
			}
			$is_restored = @rename( $marker['backup'], $marker['path'] )
				|| ( self::copy( $marker['backup'], $marker['path'] ) && self::delete( $marker['backup'] ) );
			self::refresh( $marker['path'] );
			self::delete( $broken );
			return $is_restored;
		}

		/** The end of an update, good or bad: visitors may come in, and there is nothing to undo any more. */
		public static function forget(): void {
			self::open();
			@unlink( self::marker_file() );
		}

		/** Keeps visitors out while files are swapped; they are let in again when the update dies. */
		public static function close( int $started ): void {
			$file = ABSPATH . '.maintenance';
			file_put_contents(
				$file,
				"<?php\n// Written by Steward while it swaps files.\n"
				. '$upgrading = ' . $started . ";\n"
				. 'if ( is_file( ' . var_export( __FILE__, true ) . " ) ) {\n"
				. "\trequire_once " . var_export( __FILE__, true ) . ";\n"
				. "\tSteward_Watchdog::reconcile();\n"
				. "\t" . 'null === Steward_Watchdog::in_flight() && $upgrading = 0;' . "\n}\n"
			);
			self::forget_compiled( $file );
		}

		public static function open(): void {
			$file = ABSPATH . '.maintenance';
			if ( is_file( $file ) && false !== strpos( (string) @file_get_contents( $file ), 'Steward' ) ) {
				@unlink( $file );
				self::forget_compiled( $file );
			}
		}

		/** A restored file has an old date, and opcache would go on serving the newer one it has compiled. */
		public static function refresh( string $path ): void {
			clearstatcache( true );
			foreach ( self::files( $path ) as $file ) {
				if ( '.php' === substr( $file, -4 ) ) {
					@touch( $file );
					self::forget_compiled( $file );
				}
			}
			clearstatcache( true );
		}

		/** True when nothing is left. A link is removed, never followed. */
		public static function delete( string $path ): bool {
			if ( is_link( $path ) || is_file( $path ) ) {
				return @unlink( $path );
			}
			if ( ! is_dir( $path ) ) {
				return true;
			}
			foreach ( (array) @scandir( $path ) as $name ) {
				if ( '.' !== $name && '..' !== $name ) {
					self::delete( $path . '/' . $name );
				}
			}
			return @rmdir( $path );
		}

		public static function copy( string $from, string $to ): bool {
			if ( is_link( $from ) ) {
				return @symlink( (string) readlink( $from ), $to );
			}
			if ( ! is_dir( $from ) ) {
				return @copy( $from, $to ) && @chmod( $to, (int) fileperms( $from ) & 0777 );
			}
			if ( ! is_dir( $to ) && ! @mkdir( $to, (int) fileperms( $from ) & 0777 ) ) {
				return false;
			}
			foreach ( (array) @scandir( $from ) as $name ) {
				if ( '.' !== $name && '..' !== $name && ! self::copy( $from . '/' . $name, $to . '/' . $name ) ) {
					return false;
				}
			}
			return true;
		}

		/** @return iterable<string> */
		private static function files( string $path ): iterable {
			if ( ! is_dir( $path ) ) {
				return is_file( $path ) ? array( $path ) : array();
			}
			return new RecursiveIteratorIterator(
				new RecursiveDirectoryIterator( $path, FilesystemIterator::SKIP_DOTS | FilesystemIterator::CURRENT_AS_PATHNAME )
			);
		}

		private static function forget_compiled( string $file ): void {
			if ( function_exists( 'opcache_invalidate' ) && ( ! ini_get( 'opcache.restrict_api' ) || 0 === stripos( (string) realpath( $_SERVER['SCRIPT_FILENAME'] ?? '' ), (string) ini_get( 'opcache.restrict_api' ) ) ) ) {
				@opcache_invalidate( $file, true );
			}
		}
	}
}

Steward_Watchdog::reconcile();
