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

		const VERSION                = '0.1.0';
		const LONGEST_UPDATE_SECONDS = 900;

		/** Not every web server heeds .htaccess, so the name is one that nobody can guess. */
		public static function folder(): string {
			$secret = defined( 'AUTH_KEY' ) ? AUTH_KEY : '';
			return WP_CONTENT_DIR . '/steward-' . substr( hash( 'sha256', $secret . ABSPATH ), 0, 16 );
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
		 * @return array{path: string, backup: string, label: string, started: int, host: string}|null
		 */
		public static function in_flight(): ?array {
			$marker = is_file( self::marker_file() )
				? json_decode( (string) @file_get_contents( self::marker_file() ), true )
				: null;
			return is_array( $marker ) && isset( $marker['path'], $marker['backup'], $marker['label'], $marker['started'], $marker['host'] )
				? $marker
				: null;
		}

		/** Undoes what an update left half-done when it died. Does nothing while one is alive. */
		public static function reconcile(): void {
			$marker = self::in_flight();
			$lock   = null === $marker ? null : self::take_lock_of_dead( $marker );
			if ( null === $lock ) {
				return;
			}
			// Read again: what was under way may have ended while the lock was taken.
			$marker = self::in_flight();
			if ( null !== $marker ) {
				self::undo( $marker );
			}
			flock( $lock, LOCK_UN );
			fclose( $lock );
		}

		/**
		 * Puts the previous version back, if it was away, and lets visitors in. Whoever calls this holds the lock.
		 *
		 * @param array{path: string, backup: string, label: string} $marker What was being replaced.
		 */
		public static function undo( array $marker ): void {
			if ( ! self::has( $marker['backup'] ) ) {
				self::forget();
				error_log( 'Steward: the update of ' . $marker['label'] . ' was interrupted before anything was replaced.' );
			} elseif ( self::restore( $marker ) ) {
				self::forget();
				error_log( 'Steward: the update of ' . $marker['label'] . ' was interrupted; its previous version is back.' );
			} else {
				// The marker stays, and with it the backup: it will be tried again.
				self::open();
				error_log( 'Steward: the previous version of ' . $marker['label'] . ' could not be put back. It is in ' . $marker['backup'] );
			}
		}

		/**
		 * Puts the previous version back. True when it is in its place again; when it is not, the backup is untouched.
		 *
		 * @param array{path: string, backup: string} $marker What was being replaced.
		 */
		public static function restore( array $marker ): bool {
			[ 'path' => $path, 'backup' => $backup ] = $marker;
			if ( ! self::has( $backup ) ) {
				return false;
			}
			// Where the two lie on different disks, the copy is complete before anything is taken away.
			$ready = self::folder_is_near( $path ) ? $backup : dirname( $path ) . '/.steward-' . uniqid();
			if ( $ready !== $backup && ! self::copy( $backup, $ready ) ) {
				self::delete( $ready );
				return false;
			}
			$broken = dirname( $path ) . '/.steward-' . uniqid();
			if ( self::has( $path ) && ! @rename( $path, $broken ) ) {
				return false;
			}
			if ( ! @rename( $ready, $path ) ) {
				@rename( $broken, $path );
				return false;
			}
			self::delete( $backup );
			self::delete( $broken );
			self::refresh( $path );
			return true;
		}

		/** Nothing is being replaced any more: visitors may come in, and there is nothing to undo. */
		public static function forget(): void {
			self::open();
			@unlink( self::marker_file() );
		}

		/** Keeps visitors out while files are swapped; they are let in again when the update dies. */
		public static function close( int $started ): void {
			$self      = var_export( __FILE__, true );
			$file      = ABSPATH . '.maintenance';
			$temporary = $file . '-steward';
			@file_put_contents(
				$temporary,
				"<?php\n// Written by Steward while it swaps files.\n"
				. '$upgrading = ' . $started . ";\n"
				. "if ( is_file( $self ) ) {\n\trequire_once $self;\n\tSteward_Watchdog::reconcile();\n\t"
				. 'null === Steward_Watchdog::in_flight() && $upgrading = 0;' . "\n}\n"
			);
			@rename( $temporary, $file );
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
				if ( '.php' === substr( (string) $file, -4 ) ) {
					@touch( (string) $file );
					self::forget_compiled( (string) $file );
				}
			}
			clearstatcache( true );
		}

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
			foreach ( self::names_in( $from ) as $name ) {
				if ( ! self::copy( $from . '/' . $name, $to . '/' . $name ) ) {
					return false;
				}
			}
			return true;
		}

		/** Whether something at this path can be renamed into our folder: it is on the same disk. */
		public static function folder_is_near( string $path ): bool {
			$here  = @stat( dirname( $path ) );
			$there = @stat( self::folder() );
			return $here && $there && $here['dev'] === $there['dev'];
		}

		/** What plugins print while they are loaded must not stand before an answer to the panel; Steward throws it away. */
		public static function hold_output(): void {
			$asked = rawurldecode( (string) ( $_SERVER['REQUEST_URI'] ?? '' ) );
			if ( false !== stripos( $asked, '/service/v1/remote/' ) ) {
				ob_start();
			}
		}

		/** @return string[] */
		public static function names_in( string $path ): array {
			return array_diff( @scandir( $path ) ?: array(), array( '.', '..' ) );
		}

		/**
		 * Whoever updates holds this lock, and the operating system takes it from the dead. Null: it is held.
		 *
		 * @param array{started: int, host: string} $marker What is being replaced, and since when.
		 * @return resource|null
		 */
		private static function take_lock_of_dead( array $marker ) {
			$lock = @fopen( self::lock_file(), 'ce' );
			if ( false === $lock ) {
				return null;
			}
			$is_held = 0;
			$is_ours = flock( $lock, LOCK_EX | LOCK_NB, $is_held );
			// A lock of another machine may not be seen here, and some file systems know none.
			$can_tell = $is_ours && gethostname() === $marker['host'];
			$is_old   = ! $is_held && time() - $marker['started'] > self::LONGEST_UPDATE_SECONDS;
			if ( $can_tell || $is_old ) {
				return $lock;
			}
			fclose( $lock );
			return null;
		}

		/** @return iterable<string> */
		private static function files( string $path ): iterable {
			if ( ! is_dir( $path ) ) {
				return is_file( $path ) ? array( $path ) : array();
			}
			return new RecursiveIteratorIterator(
				new RecursiveDirectoryIterator( $path, FilesystemIterator::SKIP_DOTS | FilesystemIterator::CURRENT_AS_PATHNAME ),
				RecursiveIteratorIterator::LEAVES_ONLY,
				RecursiveIteratorIterator::CATCH_GET_CHILD
			);
		}

		private static function forget_compiled( string $file ): void {
			$allowed = (string) ini_get( 'opcache.restrict_api' );
			$script  = (string) realpath( (string) ( $_SERVER['SCRIPT_FILENAME'] ?? '' ) );
			if ( function_exists( 'opcache_invalidate' ) && ( '' === $allowed || 0 === stripos( $script, $allowed ) ) ) {
				@opcache_invalidate( $file, true );
			}
		}
	}
}

Steward_Watchdog::reconcile();
Steward_Watchdog::hold_output();
