<?php
/**
 * Loads the classes of the plugin that need no WordPress site.
 *
 * Functions of WordPress come from its own files. Only its options, translations and the clock have a stand-in.
 *
 * @package Steward
 */

namespace {
	set_error_handler(
		static function ( int $level, string $message, string $file, int $line ): bool {
			// PHPUnit and WordPress may be older than this PHP.
			$is_foreign_deprecation = E_DEPRECATED === $level && 0 !== strpos( $file, dirname( __DIR__, 2 ) );
			$is_silenced            = 0 === ( error_reporting() & $level );
			if ( $is_foreign_deprecation || $is_silenced ) {
				return true;
			}
			throw new ErrorException( $message, 0, $level, $file, $line );
		}
	);

	define( 'WORDPRESS_FOLDER', getenv( 'WORDPRESS_FOLDER' ) ?: '/usr/share/wordpress' );
	define( 'VECTORS_FOLDER', dirname( __DIR__, 3 ) . '/packages/contract/vectors' );

	require __DIR__ . '/Site_Folder.php';
	define( 'ABSPATH', Steward\Test\Site_Folder::create() . '/' );

	ini_set( 'error_log', ABSPATH . 'error.log' );

	foreach ( [ 'plugin', 'load', 'formatting', 'http', 'class-wp-error', 'default-constants' ] as $name ) {
		require WORDPRESS_FOLDER . "/wp-includes/$name.php";
	}
	define( 'WPINC', 'wp-includes' );
	wp_initial_constants();
	define( 'WP_PLUGIN_DIR', WP_CONTENT_DIR . '/plugins' );
	define( 'WPMU_PLUGIN_DIR', WP_CONTENT_DIR . '/mu-plugins' );

	/** Stand-in for the options of the site, which are in its database. */
	function get_option( string $name, $default = false ) {
		return Steward\Test\Options::$values[ $name ] ?? $default;
	}

	/** Like WordPress without a translation. */
	function __( string $text ): string {
		return $text;
	}

	spl_autoload_register(
		static function ( string $class_name ): void {
			$path = dirname( __DIR__, 2 ) . '/steward/includes/' . str_replace( [ 'Steward\\', '\\' ], [ '', '/' ], $class_name ) . '.php';
			if ( 0 === strpos( $class_name, 'Steward\\' ) && is_file( $path ) ) {
				require $path;
			}
		}
	);
}

namespace Steward\Test {
	final class Options {
		/** @var array<string, mixed> */
		public static $values = [];
	}

	final class Clock {
		/** @var int Seconds since 1970. */
		public static $now = 1767225600;
	}

	/** @return mixed Content of a file of test vectors, which the TypeScript tests use too. */
	function read_vectors( string $name ) {
		return json_decode( file_get_contents( VECTORS_FOLDER . "/$name.json" ), true, 512, JSON_THROW_ON_ERROR );
	}
}

namespace Steward {
	/** Replaces the function of PHP in the classes of this namespace. */
	function time(): int {
		return Test\Clock::$now;
	}
}

namespace Steward\Watchdog {
	/** Replaces the function of PHP in the classes of this namespace. */
	function time(): int {
		return \Steward\Test\Clock::$now;
	}

	require dirname( __DIR__, 2 ) . '/steward/watchdog/load.php';
}
