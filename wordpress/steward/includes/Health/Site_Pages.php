<?php
/**
 * @package Steward
 */

namespace Steward\Health;

use Steward\Rest\Remote_Routes;

defined( 'ABSPATH' ) || exit;

/** The pages that every site has, and those that its owner has marked. */
final class Site_Pages {

	/** Pages that are checked only if an item works on them. */
	const NAMES = [ 'plugins', 'editor', 'posts', 'feed', 'search' ];

	/** An update of one item or of three makes at most 36 requests, four of them by the panel. */
	private const MAX_PAGES       = 15;
	private const MAX_FEWER_PAGES = 2;
	private const MAX_MORE_PAGES  = 10;
	/** Pages of items that come before other pages. */
	private const MAX_ITEM_PAGES = 4;

	/** Limits of the protocol. */
	private const MAX_MARKED      = 5;
	private const MAX_PATH_LENGTH = 500;
	/** The same as in the panel: with these, a GET may change the site. */
	private const CHANGING_PARAMETERS = '/^(?:action2?|activate|add-to-cart|cancel_order|deactivate|delete|doing_wp_cron|loggedout|logout|order_again|removed?_item|remove_coupon|steward_check|trash|undo_item|untrash|wc-ajax|wc-api|.*nonce)$/i';

	/** @var int First administrator. 0: none. */
	private $administrator;

	/** @var int First subscriber or customer. 0: none. */
	private $subscriber;

	/** @var string[] Pages that the owner has marked: path and query relative to the home address. */
	private $marked;

	/** @param string[] $marked Pages that the owner has marked. */
	public function __construct( array $marked ) {
		$this->administrator = self::find_user( [ 'administrator' ] );
		$this->subscriber    = self::find_user( [ 'subscriber', 'customer' ] );
		$this->marked        = $marked;
	}

	/**
	 * Returns the paths of a call that open a page and nothing else.
	 *
	 * @param mixed $paths Pages that the owner has marked, as the panel sends them.
	 * @return string[]
	 */
	public static function valid_paths( $paths ): array {
		$is_valid = static function ( $path ): bool {
			return is_string( $path )
				&& strlen( $path ) <= self::MAX_PATH_LENGTH
				&& preg_match( '~^/(?!/)[^\x00-\x20\x7f\\\\#]*$~D', $path )
				&& ! preg_match( '~/(?:\.|%2e){2}(?:/|$)~i', (string) strtok( $path, '?' ) )
				&& ! self::has_changing_parameter( $path );
		};
		return is_array( $paths ) ? array_slice( array_values( array_filter( $paths, $is_valid ) ), 0, self::MAX_MARKED ) : [];
	}

	/** The second and third item are followed by a check of their own, at the cost of a page. Further items add a page each. */
	public static function max_for( int $items ): int {
		return self::MAX_PAGES - min( self::MAX_FEWER_PAGES, max( 0, $items - 1 ) ) + min( self::MAX_MORE_PAGES, max( 0, $items - 3 ) );
	}

	public static function home(): Page {
		return new Page( __( 'the home page', 'steward' ), home_url( '/' ) );
	}

	private static function has_changing_parameter( string $path ): bool {
		parse_str( (string) wp_parse_url( "https://site.invalid$path", PHP_URL_QUERY ), $parameters );
		return [] !== preg_grep( self::CHANGING_PARAMETERS, array_map( 'strval', array_keys( $parameters ) ) );
	}

	/**
	 * Returns the pages that are requested first. They find what the items have registered.
	 *
	 * @return Page[]
	 */
	public function essential(): array {
		$endpoint = new Page( __( 'the endpoint of the Steward plugin', 'steward' ), rest_url( Remote_Routes::NAMESPACE . '/remote/sync' ), Page::JSON );
		return array_merge( [ self::home(), $endpoint ], $this->screens( [ [ __( 'the dashboard', 'steward' ), 'index.php', true ] ] ) );
	}

	/**
	 * Returns further pages, the most important ones first.
	 *
	 * @param int[]    $other_sites Other sites of the network that the change affects.
	 * @param Page[]   $of_items    Pages that belong to the items.
	 * @param string[] $worked_on   Names of other pages on which the items have callbacks: plugins, editor, posts, feed, search.
	 * @return Page[]
	 */
	public function further( array $other_sites, array $of_items, array $worked_on ): array {
		$pages = array_map( [ $this, 'marked_page' ], $this->marked );
		foreach ( array_slice( $other_sites, 0, 1 ) as $site ) {
			$url = get_home_url( $site, '/' );
			/* translators: %s: Address of a page. */
			$pages[] = new Page( sprintf( __( 'the home page of %s', 'steward' ), $url ), $url );
		}
		if ( is_multisite() ) {
			$pages = array_merge( $pages, $this->screens( [ [ __( 'the network admin', 'steward' ), 'network/index.php' ] ] ) );
		}
		$post = self::find_newest_post();
		if ( 0 !== $post ) {
			$page       = new Page( __( 'the newest post', 'steward' ), (string) get_permalink( $post ) );
			$page->post = $post;
			$pages[]    = $page;
		}
		$common = [
			new Page( __( 'the login page', 'steward' ), wp_login_url() ),
			new Page( __( 'the home page for a signed-in user', 'steward' ), home_url( '/' ), Page::HTML, $this->subscriber > 0 ? $this->subscriber : $this->administrator ),
			new Page( __( 'WP-Cron', 'steward' ), site_url( 'wp-cron.php' ), Page::CRON ),
		];
		foreach ( $common as $page ) {
			$page->importance = Page::COMMON;
		}
		return array_merge( $pages, array_slice( $of_items, 0, self::MAX_ITEM_PAGES ), $common, array_slice( $of_items, self::MAX_ITEM_PAGES ), ...array_values( array_intersect_key( $this->by_name(), array_flip( $worked_on ) ) ) );
	}

	/** @return array<string, Page[]> Pages by their names. */
	private function by_name(): array {
		return [
			'plugins' => $this->screens( [ [ __( 'the Plugins screen', 'steward' ), 'plugins.php' ] ] ),
			'editor'  => $this->screens( [ [ __( 'the editor', 'steward' ), 'post-new.php' ] ] ),
			'posts'   => [ ( new Page( __( 'the list of posts in the REST API', 'steward' ), rest_url( 'wp/v2/posts' ), Page::JSON ) )->with_importance( Page::EXTRA ) ],
			'feed'    => [ ( new Page( __( 'the feed', 'steward' ), get_feed_link(), Page::FEED ) )->with_importance( Page::EXTRA ) ],
			'search'  => [ ( new Page( __( 'the search', 'steward' ), home_url( '/?s=steward' ) ) )->with_importance( Page::EXTRA ) ],
		];
	}

	/** Loads the same code as the screens of the admin area, but much faster. For the checks between items only. */
	public static function admin_area(): Page {
		return new Page( __( 'the admin area', 'steward' ), admin_url( 'admin-ajax.php?action=steward' ), Page::TEXT );
	}

	/** A screen of the admin area, for an administrator. Null: there is no administrator. */
	public function screen( string $name, string $path ): ?Page {
		if ( 0 === $this->administrator ) {
			return null;
		}
		if ( 0 !== strpos( $path, 'network/' ) ) {
			return new Page( $name, admin_url( $path ), Page::HTML, $this->administrator );
		}
		$super_admin = get_user_by( 'login', get_super_admins()[0] ?? '' );
		return $super_admin ? new Page( $name, network_admin_url( substr( $path, 8 ) ), Page::HTML, (int) $super_admin->ID ) : null;
	}

	/**
	 * @param array[] $screens Name, path, and whether the screen is loaded twice.
	 * @return Page[]
	 */
	private function screens( array $screens ): array {
		$pages = [];
		foreach ( $screens as $screen ) {
			$page = $this->screen( $screen[0], $screen[1] );
			if ( null !== $page ) {
				$page->is_loaded_twice = $screen[2] ?? false;
				$pages[]               = $page;
			}
		}
		return $pages;
	}

	private function marked_page( string $path ): Page {
		/* translators: %s: Path of a page, such as /checkout/. */
		return ( new Page( sprintf( __( 'the page %s', 'steward' ), $path ), home_url( $path ) ) )->with_importance( Page::MARKED );
	}

	/** @param string[] $roles Roles. */
	private static function find_user( array $roles ): int {
		$ids = get_users(
			[
				'role__in' => $roles,
				'orderby'  => 'ID',
				'number'   => 1,
				'fields'   => 'ID',
			]
		);
		return (int) ( $ids[0] ?? 0 );
	}

	/** @return array{page: string, path: string}[] Pages of visitors for the panel, relative to the home address. */
	public static function visible_from_outside(): array {
		$pages = [];
		$post  = self::find_newest_post();
		foreach ( [ 'post' => 0 === $post ? '' : (string) get_permalink( $post ), 'login' => wp_login_url() ] as $page => $url ) {
			$home = untrailingslashit( home_url() );
			if ( 0 === strpos( $url, "$home/" ) ) {
				$pages[] = [
					'page' => $page,
					'path' => substr( $url, strlen( $home ) ),
				];
			}
		}
		return $pages;
	}

	private static function find_newest_post(): int {
		foreach ( [ 'post', 'page' ] as $type ) {
			$posts = get_posts(
				[
					'post_type'        => $type,
					'numberposts'      => 1,
					'has_password'     => false,
					'suppress_filters' => true,
				]
			);
			if ( isset( $posts[0] ) ) {
				return (int) $posts[0]->ID;
			}
		}
		return 0;
	}
}
