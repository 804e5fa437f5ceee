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

	/** @return array<int, Page|null> Page with output of the item, one of its screens, an entry of its post types, a REST route. */
	public function all( Site_Pages $site ): array {
		$content = $this->find_content();
		$entry   = $this->find_entry();
		return [
			/* translators: %s: Name of a plugin. */
			$this->entry_page( $content ?? $entry, __( 'a page with output of %s', 'steward' ) ),
			$this->screen( $site ),
			/* translators: %s: Name of a plugin. */
			null === $content ? null : $this->entry_page( $entry, __( 'an entry of %s', 'steward' ) ),
			$this->route(),
		];
	}

	private function entry_page( ?int $id, string $name ): ?Page {
		if ( null === $id ) {
			return null;
		}
		$page       = new Page( sprintf( $name, $this->name ), (string) get_permalink( $id ) );
		$page->post = $id;
		return $page->with_importance( Page::EXTRA );
	}

	private function screen( Site_Pages $site ): ?Page {
		$path = $this->registered['screens'][0] ?? '';
		/* translators: %s: Name of a plugin. */
		$page = '' === $path ? null : $site->screen( sprintf( __( 'the admin page of %s', 'steward' ), $this->name ), $path );
		return null === $page ? null : $page->with_importance( Page::EXTRA );
	}

	private function route(): ?Page {
		$route = $this->registered['routes'][0] ?? '';
		/* translators: %s: Name of a plugin. */
		return '' === $route ? null : ( new Page( sprintf( __( 'the REST route of %s', 'steward' ), $this->name ), rest_url( $route ), Page::JSON ) )->with_importance( Page::EXTRA );
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
}
