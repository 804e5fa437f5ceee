<?php
/**
 * @package Steward
 */

namespace Steward\Watchdog;

use ReflectionClass;
use ReflectionFunction;
use ReflectionMethod;
use Throwable;
use WP_Block_Type_Registry;

defined( 'ABSPATH' ) || exit;

/**
 * Finds what items have registered in this request, so that the health check can open pages that belong to them: shortcodes,
 * blocks, post types, REST routes and screens of the admin area. The code behind each of them tells which item it belongs to.
 */
final class Registered_Pages {

	private const MAX_NAMES       = 10;
	private const MAX_TRACE_DEPTH = 30;
	/** An item with a callback on such a hook works on this page. */
	private const HOOKS_OF_PAGES = [
		'plugins' => '/^plugin_(?:action|row)|^network_admin_plugin|_plugin_row|^in_plugin_update|^all_plugins$|^load-plugins/',
		'editor'  => '/block_editor|^block_categories|^add_meta_boxes|^edit_form|^mce_|^tiny_mce|^the_editor|^media_buttons|^load-post/',
		'posts'   => '/^rest_(?:prepare|insert|after_insert|pre_dispatch|post_dispatch|request|post_|page_)|^register_rest_field/',
		'feed'    => '/feed|^rss/',
		'search'  => '/^pre_get_posts$|^parse_query$|^posts_|search/',
	];

	/** Names of screens and routes that may do their work as soon as they are opened. */
	private const WORKING = '/wizard|setup|onboard|welcome|activat|updat|upgrad|repair|install|import|export|migrat|delete|reset|clear|purge|flush|cron|webhook|sync|run|tools?$/i';

	/** @var string[] Real paths of the items. */
	private $paths;

	/** @var array<string, int> Index of the item by post type. */
	private $post_types = [];

	/** @param string[] $paths Folders and files of the items. */
	public function __construct( array $paths ) {
		$this->paths = array_map( [ self::class, 'real_path' ], $paths );
	}

	/** Call this before plugins load: WordPress does not store who has registered a post type. */
	public function watch(): void {
		add_action( 'registered_post_type', [ $this, 'record_post_type' ], 10, 2 );
	}

	/**
	 * @param string $name Post type.
	 * @param object $type Post type object.
	 */
	public function record_post_type( $name, $type ): void {
		if ( empty( $type->_builtin ) && ! empty( $type->public ) && ! empty( $type->publicly_queryable ) ) {
			foreach ( debug_backtrace( DEBUG_BACKTRACE_IGNORE_ARGS, self::MAX_TRACE_DEPTH ) as $frame ) { // phpcs:ignore WordPress.PHP.DevelopmentFunctions
				$item = $this->find_item( $frame['file'] ?? '' );
				if ( null !== $item ) {
					$this->post_types[ $name ] = $item;
					return;
				}
			}
		}
	}

	/** @return array<string, string[]>[] Names by kind, and the pages of every site on which the item works, for each item. */
	public function collect(): array {
		$found = [
			'shortcodes' => $this->find_owners( $GLOBALS['shortcode_tags'] ?? [] ),
			'blocks'     => $this->find_blocks(),
			'post_types' => $this->post_types,
			'routes'     => $this->find_routes(),
			'screens'    => $this->find_screens(),
		];
		$hooks = $this->find_pages_by_hooks();
		$items = [];
		foreach ( array_keys( $this->paths ) as $item ) {
			$items[ $item ]['pages'] = array_keys( $hooks[ $item ] ?? [] );
			foreach ( $found as $kind => $owners ) {
				$items[ $item ][ $kind ] = array_slice( array_map( 'strval', array_keys( $owners, $item, true ) ), 0, self::MAX_NAMES );
			}
			[] === $items[ $item ]['blocks'] || $items[ $item ]['pages'][] = 'editor';
		}
		return $items;
	}

	/**
	 * @param array<string, callable> $callbacks Callbacks by name.
	 * @return array<string, int> Index of the item by name.
	 */
	private function find_owners( array $callbacks ): array {
		return array_filter( array_map( [ $this, 'find_owner' ], $callbacks ), 'is_int' );
	}

	/** @return array<int, array<string, true>> Pages on which the items have callbacks, by item. */
	private function find_pages_by_hooks(): array {
		$found = [];
		foreach ( $GLOBALS['wp_filter'] ?? [] as $hook => $callbacks ) {
			foreach ( self::HOOKS_OF_PAGES as $page => $pattern ) {
				foreach ( preg_match( $pattern, (string) $hook ) ? $callbacks->callbacks : [] as $of_priority ) {
					foreach ( $of_priority as $callback ) {
						$item = $this->find_owner( $callback['function'] ?? null );
						if ( null !== $item ) {
							$found[ $item ][ $page ] = true;
						}
					}
				}
			}
		}
		return $found;
	}

	/** @return array<string, int> */
	private function find_blocks(): array {
		$owners = [];
		$types  = class_exists( WP_Block_Type_Registry::class ) ? WP_Block_Type_Registry::get_instance()->get_all_registered() : [];
		foreach ( $types as $name => $type ) {
			$item = 0 === strpos( $name, 'core/' ) ? null : $this->find_owner( $type->render_callback ) ?? $this->find_owner_of_scripts( $type );
			if ( null !== $item ) {
				$owners[ $name ] = $item;
			}
		}
		return $owners;
	}

	/** A block without PHP has only scripts. */
	private function find_owner_of_scripts( object $type ): ?int {
		foreach ( (array) ( $type->editor_script_handles ?? [] ) as $handle ) {
			$url = (string) ( wp_scripts()->registered[ $handle ]->src ?? '' );
			foreach ( $this->paths as $item => $path ) {
				if ( false !== strpos( $url, '/' . basename( $path ) . '/' ) ) {
					return $item;
				}
			}
		}
		return null;
	}

	/** @return array<string, int> Routes that respond to a GET of a visitor without parameters. */
	private function find_routes(): array {
		$server = $GLOBALS['wp_rest_server'] ?? null;
		$owners = [];
		foreach ( is_object( $server ) ? $server->get_routes() : [] as $route => $handlers ) {
			foreach ( false === strpos( $route, '(' ) && ! preg_match( self::WORKING, $route ) ? $handlers : [] as $handler ) {
				$is_open = ! empty( $handler['methods']['GET'] ) && '__return_true' === ( $handler['permission_callback'] ?? null )
					&& [] === array_filter( array_column( (array) ( $handler['args'] ?? [] ), 'required' ) );
				$item    = $is_open ? $this->find_owner( $handler['callback'] ?? null ) : null;
				if ( null !== $item ) {
					$owners += [ $route => $item ];
				}
			}
		}
		return $owners;
	}

	/** @return array<string, int> Addresses relative to the admin area. */
	private function find_screens(): array {
		$owners = [];
		$menus  = is_admin() ? [ '' => $GLOBALS['menu'] ?? [] ] + (array) ( $GLOBALS['submenu'] ?? [] ) : [];
		foreach ( $menus as $parent => $entries ) {
			foreach ( (array) $entries as $entry ) {
				$slug = (string) ( $entry[2] ?? '' );
				// Other slugs could contain an action. Some screens do their work as soon as they are opened.
				if ( ! preg_match( '/^[\w\-.]+$/', $slug ) || preg_match( self::WORKING, $slug ) ) {
					continue;
				}
				$hook = get_plugin_page_hookname( $slug, (string) $parent );
				foreach ( $GLOBALS['wp_filter'][ $hook ]->callbacks ?? [] as $callbacks ) {
					$item = $this->find_owner( reset( $callbacks )['function'] ?? null );
					if ( null !== $item ) {
						$file            = preg_match( '/^[\w\-]+\.php(\?post_type=[\w\-]+)?$/', (string) $parent ) ? (string) $parent : 'admin.php';
						$owners[ $file . ( false === strpos( $file, '?' ) ? '?' : '&' ) . "page=$slug" ] = $item;
					}
				}
			}
		}
		return $owners;
	}

	/**
	 * Returns the item whose code a callback runs, or null.
	 *
	 * @param mixed $callback Callback.
	 */
	private function find_owner( $callback ): ?int {
		try {
			if ( is_string( $callback ) && false !== strpos( $callback, '::' ) ) {
				$callback = explode( '::', $callback );
			}
			// A class that this page does not load must not be loaded now.
			if ( is_array( $callback ) && isset( $callback[0], $callback[1] ) && ( is_object( $callback[0] ) || class_exists( (string) $callback[0], false ) ) ) {
				// The method may be inherited from a class of core.
				return $this->find_item( (string) ( new ReflectionClass( $callback[0] ) )->getFileName() )
					?? ( method_exists( $callback[0], $callback[1] ) ? $this->find_item( (string) ( new ReflectionMethod( $callback[0], $callback[1] ) )->getFileName() ) : null );
			}
			if ( is_object( $callback ) && ! $callback instanceof \Closure ) {
				return $this->find_item( (string) ( new ReflectionClass( $callback ) )->getFileName() );
			}
			if ( ! $callback instanceof \Closure && ! ( is_string( $callback ) && function_exists( $callback ) ) ) {
				return null;
			}
			$function = new ReflectionFunction( $callback );
			// WordPress renders the block of a template file by a function of its own.
			$template = $function->getStaticVariables()['template_path'] ?? null;
			return $this->find_item( is_string( $template ) ? $template : (string) $function->getFileName() );
		} catch ( Throwable $thrown ) {
			return null;
		}
	}

	private function find_item( string $file ): ?int {
		$file = str_replace( '\\', '/', $file );
		foreach ( $this->paths as $item => $path ) {
			if ( $file === $path || 0 === strpos( $file, $path . '/' ) ) {
				return $item;
			}
		}
		return null;
	}

	private static function real_path( string $path ): string {
		return str_replace( '\\', '/', realpath( $path ) ?: $path );
	}
}
