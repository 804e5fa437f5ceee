<?php
/**
 * @package Steward
 */

namespace Steward\Health;

defined( 'ABSPATH' ) || exit;

/** Chooses pages that belong to an item, from what it has registered. See Registered_Pages. */
final class Item_Pages {

	/** Newest pages and posts to search for the blocks and shortcodes of an item. */
	private const MAX_SEARCHED = 500;

	/** @var string Name of the item. */
	private $name;

	/** @var array<string, string[]> Names by kind. */
	private $registered;

	public function __construct( string $name, array $registered ) {
		$this->name       = $name;
		$this->registered = $registered;
	}

	/** @return Page[] A page with output of the item, and one of its screens. */
	public function primary( Site_Pages $site ): array {
		$id    = $this->find_content() ?? $this->find_entry();
		$pages = [];
		if ( null !== $id ) {
			/* translators: %s: Name of a plugin. */
			$pages[] = ( new Page( sprintf( __( 'a page with output of %s', 'steward' ), $this->name ), (string) get_permalink( $id ) ) )->as_optional();
		}
		$screen = $this->first( 'screens' );
		/* translators: %s: Name of a plugin. */
		$page = '' === $screen ? null : $site->screen( sprintf( __( 'the admin page of %s', 'steward' ), $this->name ), $screen );
		return null === $page ? $pages : array_merge( $pages, [ $page->as_optional() ] );
	}

	/** @return Page[] An entry of its post types, and one of its REST routes. */
	public function secondary(): array {
		$pages = [];
		$entry = null === $this->find_content() ? null : $this->find_entry();
		if ( null !== $entry ) {
			/* translators: %s: Name of a plugin. */
			$pages[] = ( new Page( sprintf( __( 'an entry of %s', 'steward' ), $this->name ), (string) get_permalink( $entry ) ) )->as_optional();
		}
		$route = $this->first( 'routes' );
		if ( '' !== $route ) {
			/* translators: %s: Name of a plugin. */
			$pages[] = ( new Page( sprintf( __( 'the REST route of %s', 'steward' ), $this->name ), rest_url( $route ), Page::JSON ) )->as_optional();
		}
		return $pages;
	}

	/** Returns the newest page or post with a block or shortcode of the item. Searches only the newest ones: there may be many. */
	private function find_content(): ?int {
		global $wpdb;
		$needles = array_merge(
			array_map(
				static function ( string $name ): string {
					return "[$name";
				},
				$this->registered['shortcodes'] ?? []
			),
			array_map(
				static function ( string $name ): string {
					return "<!-- wp:$name ";
				},
				$this->registered['blocks'] ?? []
			)
		);
		if ( [] === $needles ) {
			return null;
		}
		$conditions = implode( ' OR ', array_fill( 0, count( $needles ), 'post_content LIKE %s' ) );
		$patterns   = array_map(
			static function ( string $needle ) use ( $wpdb ): string {
				return '%' . $wpdb->esc_like( $needle ) . '%';
			},
			$needles
		);
		// phpcs:disable WordPress.DB.PreparedSQL, WordPress.DB.PreparedSQLPlaceholders
		$id = $wpdb->get_var(
			$wpdb->prepare(
				"SELECT ID FROM (
					SELECT ID, post_content FROM {$wpdb->posts}
					WHERE post_status = 'publish' AND post_password = '' AND post_type IN ( 'page', 'post' )
					ORDER BY ID DESC LIMIT %d
				) AS newest WHERE $conditions LIMIT 1",
				array_merge( [ self::MAX_SEARCHED ], $patterns )
			)
		);
		// phpcs:enable
		return null === $id ? null : (int) $id;
	}

	private function find_entry(): ?int {
		foreach ( $this->registered['post_types'] ?? [] as $type ) {
			$ids = get_posts(
				[
					'post_type'        => $type,
					'numberposts'      => 1,
					'has_password'     => false,
					'suppress_filters' => true,
					'fields'           => 'ids',
				]
			);
			if ( isset( $ids[0] ) ) {
				return (int) $ids[0];
			}
		}
		return null;
	}

	private function first( string $kind ): string {
		return (string) ( $this->registered[ $kind ][0] ?? '' );
	}
}
