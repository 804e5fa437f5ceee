<?php
/**
 * @package Steward
 */

namespace Steward\Watchdog;

defined( 'ABSPATH' ) || exit;

/**
 * Finds the plugin, the theme or the part of WordPress that a file belongs to. PHP reports real paths, so links are
 * followed.
 */
final class Item_Finder {

	const PLUGIN = 'plugin';
	const THEME  = 'theme';
	const CORE   = 'core';
	/** Neither an item nor core: must-use plugins, drop-ins, libraries beside WordPress. */
	const OTHER = 'other';

	private const HEADER_BYTES = 8192;

	/** @var array<string, string[]>|null Type and path in WordPress by real folder; longest folder first. */
	private $folders = null;

	/**
	 * @param string $file File as PHP names it in an error.
	 * @return array{type: string, slug: string, path: string, is_evaluated: bool, is_hook: bool} `path` is relative to the item.
	 *         `is_hook`: the file calls hooks, and is not the code that fires them.
	 */
	public function find( string $file ): array {
		// "/path/snippets.php(56) : eval()'d code"
		$is_evaluated = (bool) preg_match( "/^(.+?)\(\d+\) : (eval\(\)'d code|runtime-created function)/", $file, $match );
		$file         = str_replace( '\\', '/', $is_evaluated ? $match[1] : $file );
		$found        = $this->find_in_items( $file ) ?? self::find_in_core( $file );
		return $found + [
			'slug'         => '',
			'path'         => '',
			'is_evaluated' => $is_evaluated,
			'is_hook'      => self::CORE === $found['type'] && in_array( $found['path'], [ 'wp-includes/class-wp-hook.php', 'wp-includes/plugin.php' ], true ),
		];
	}

	/** @return array{version: string, changed_at: int} Version on disk, and when the files were replaced. */
	public function describe( string $type, string $slug ): array {
		$root = self::PLUGIN === $type ? self::normalize( WP_PLUGIN_DIR ) : $this->theme_root( $slug );
		if ( self::CORE === $type ) {
			$file    = ABSPATH . WPINC . '/version.php';
			$pattern = '/^\$wp_version\s*=\s*[\'"]([^\'"]+)/m';
			$folder  = $file;
		} else {
			$file    = "$root/$slug" . ( self::THEME === $type ? '/style.css' : '' );
			$pattern = '/^(?:[ \t]*<\?php)?[ \t\/*#@]*Version:(.*)$/mi';
			$folder  = false === strpos( $slug, '/' ) && self::PLUGIN === $type ? $file : dirname( $file );
		}
		clearstatcache();
		$header = is_file( $file ) ? (string) @file_get_contents( $file, false, null, 0, self::HEADER_BYTES ) : '';
		return [
			'version'    => preg_match( $pattern, str_replace( "\r", "\n", $header ), $match ) ? trim( (string) preg_replace( '/\s*(?:\*\/|\?>).*/', '', $match[1] ) ) : '',
			'changed_at' => max( (int) @filectime( $file ), self::moved_at( $file ), self::moved_at( $folder ) ),
		];
	}

	/**
	 * Returns when a link was created, or a folder was moved, or 0. No archive or copy can set this time back. An item may write
	 * files into its folder in each request, which changes both times of the folder: then only its main file counts.
	 */
	private static function moved_at( string $path ): int {
		$stat = is_link( $path ) || is_dir( $path ) ? @lstat( $path ) : false;
		return $stat && ( is_link( $path ) || $stat['ctime'] > $stat['mtime'] ) ? (int) $stat['ctime'] : 0;
	}

	private function find_in_items( string $file ): ?array {
		foreach ( $this->folders() as $real => [ $type, $item ] ) {
			$is_link = '' !== $item;
			if ( 0 !== strpos( $file, $real . '/' ) && $file !== $real ) {
				continue;
			}
			$path  = $is_link ? $item . substr( $file, strlen( $real ) ) : substr( $file, strlen( $real ) + 1 );
			$parts = explode( '/', $path );
			if ( self::OTHER === $type ) {
				return [ 'type' => self::OTHER ];
			}
			$depth = self::THEME === $type ? $this->theme_depth( $parts ) : 1;
			$slug  = implode( '/', array_slice( $parts, 0, $depth ) );
			return [
				'type' => $type,
				'slug' => self::PLUGIN === $type ? self::find_main_file( $slug ) : $slug,
				'path' => count( $parts ) > $depth ? implode( '/', array_slice( $parts, $depth ) ) : $path,
			];
		}
		return null;
	}

	/** A theme can be in a folder of several themes. */
	private function theme_depth( array $parts ): int {
		$root = $this->theme_root( $parts[0] );
		return count( $parts ) > 2 && ! is_file( "$root/{$parts[0]}/style.css" ) && is_file( "$root/{$parts[0]}/{$parts[1]}/style.css" ) ? 2 : 1;
	}

	private function theme_root( string $slug ): string {
		foreach ( self::theme_roots() as $root ) {
			if ( is_dir( "$root/$slug" ) ) {
				return $root;
			}
		}
		return self::normalize( WP_CONTENT_DIR ) . '/themes';
	}

	/** @return string[] */
	private static function theme_roots(): array {
		return array_map( [ self::class, 'normalize' ], array_unique( array_merge( [ WP_CONTENT_DIR . '/themes' ], (array) ( $GLOBALS['wp_theme_directories'] ?? [] ) ) ) );
	}

	/** Some hosts share one copy of core between their sites, with links to its folders. */
	private static function find_in_core( string $file ): array {
		$folders = [
			ABSPATH                                   => '',
			(string) @realpath( ABSPATH )             => '',
			(string) @realpath( ABSPATH . WPINC )     => WPINC . '/',
			(string) @realpath( ABSPATH . 'wp-admin' ) => 'wp-admin/',
		];
		foreach ( $folders as $folder => $prefix ) {
			$folder = self::normalize( (string) $folder );
			$path   = '' !== $folder && 0 === strpos( $file, $folder . '/' ) ? $prefix . substr( $file, strlen( $folder ) + 1 ) : '';
			if ( preg_match( '~^((' . WPINC . '|wp-admin)/.+|[^/]+\.php)$~D', $path ) ) {
				return [
					'type' => self::CORE,
					'slug' => 'core',
					'path' => $path,
				];
			}
		}
		return [ 'type' => self::OTHER ];
	}

	/** @return array<string, string[]> */
	private function folders(): array {
		if ( null !== $this->folders ) {
			return $this->folders;
		}
		$this->folders = [];
		$this->add_folder( self::normalize( WPMU_PLUGIN_DIR ), self::OTHER );
		$this->add_folder( self::normalize( WP_PLUGIN_DIR ), self::PLUGIN );
		foreach ( self::theme_roots() as $root ) {
			$this->add_folder( $root, self::THEME );
		}
		uksort(
			$this->folders,
			static function ( string $one, string $other ): int {
				return strlen( $other ) - strlen( $one );
			}
		);
		return $this->folders;
	}

	/** Adds the folder, the folder that it is a link to, and those of the links in it. */
	private function add_folder( string $folder, string $type ): void {
		foreach ( [ $folder, self::normalize( (string) @realpath( $folder ) ) ] as $path ) {
			if ( '' !== $path ) {
				$this->folders += [ $path => [ $type, '' ] ];
			}
		}
		foreach ( self::OTHER === $type ? [] : Files::list_names( $folder ) as $name ) {
			if ( is_link( "$folder/$name" ) && '.' !== $name[0] ) {
				$real = self::normalize( (string) @realpath( "$folder/$name" ) );
				'' === $real || $this->folders += [ $real => [ $type, $name ] ];
			}
		}
	}

	/** Returns the plugin file, such as shop/shop.php. Prefers the active one: a folder can contain several plugins. */
	private static function find_main_file( string $name ): string {
		$root = self::normalize( WP_PLUGIN_DIR );
		if ( ! is_dir( "$root/$name" ) ) {
			return $name;
		}
		$active = array_merge( (array) get_option( 'active_plugins', [] ), function_exists( 'is_multisite' ) && is_multisite() ? array_keys( (array) get_site_option( 'active_sitewide_plugins', [] ) ) : [] );
		foreach ( $active as $file ) {
			if ( is_string( $file ) && 0 === strpos( $file, "$name/" ) ) {
				return $file;
			}
		}
		foreach ( preg_grep( '/\.php$/D', Files::list_names( "$root/$name" ) ) as $file ) {
			if ( preg_match( '/^(?:[ \t]*<\?php)?[ \t\/*#@]*Plugin Name:/mi', (string) @file_get_contents( "$root/$name/$file", false, null, 0, self::HEADER_BYTES ) ) ) {
				return "$name/$file";
			}
		}
		return "$name/$name.php";
	}

	private static function normalize( string $path ): string {
		return rtrim( str_replace( '\\', '/', $path ), '/' );
	}
}
