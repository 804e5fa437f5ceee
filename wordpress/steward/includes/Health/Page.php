<?php
/**
 * @package Steward
 */

namespace Steward\Updating;

use Steward\Rest\Remote_Routes;

defined( 'ABSPATH' ) || exit;

/** A page of the site that the health check requests before and after a change. */
final class Page {

	const HTML = 'html';
	const JSON = 'json';
	/** Short text. Its content is not checked. */
	const TEXT = 'text';
	/** The body is ignored. The request only has to finish. */
	const CRON = 'cron';

	/** @var string Name in messages. */
	public $name;

	/** @var string */
	public $url;

	/** @var string */
	public $kind;

	/** @var int User who opens the page. 0: a visitor. */
	public $user;

	/** @var bool Whether the page is checked after each item, not only at the end. If it cannot be checked, the result is unverified. */
	public $is_in_short_set;

	public function __construct( string $name, string $url, string $kind = self::HTML, int $user = 0, bool $is_in_short_set = false ) {
		$this->name            = $name;
		$this->url             = $url;
		$this->kind            = $kind;
		$this->user            = $user;
		$this->is_in_short_set = $is_in_short_set;
	}

	/**
	 * @param int[] $other_sites Other sites of the network whose home page is checked too.
	 * @return self[]
	 */
	public static function all( array $other_sites ): array {
		$admin = self::find_administrator();
		$post  = self::find_newest_post_url();
		$pages = [
			new self( __( 'the home page', 'steward' ), home_url( '/' ), self::HTML, 0, true ),
			new self( __( 'the endpoint of the Steward plugin', 'steward' ), rest_url( Remote_Routes::NAMESPACE . '/remote/sync' ), self::JSON, 0, true ),
			// Loads the same code as admin pages, but much faster.
			new self( __( 'the admin area', 'steward' ), admin_url( 'admin-ajax.php?action=steward' ), self::TEXT, 0, true ),
		];
		if ( $admin > 0 ) {
			$pages[] = new self( __( 'the dashboard', 'steward' ), admin_url( 'index.php' ), self::HTML, $admin );
			$pages[] = new self( __( 'the home page for a signed-in user', 'steward' ), home_url( '/' ), self::HTML, $admin );
		}
		if ( null !== $post ) {
			$pages[] = new self( __( 'the newest post', 'steward' ), $post );
		}
		$pages[] = new self( __( 'the login page', 'steward' ), wp_login_url() );
		$pages[] = new self( __( 'the REST API', 'steward' ), rest_url( '/' ), self::JSON );
		$pages[] = new self( __( 'WP-Cron', 'steward' ), site_url( 'wp-cron.php' ), self::CRON );
		foreach ( $other_sites as $site ) {
			$home = get_home_url( $site, '/' );
			/* translators: %s: Address of a page. */
			$pages[] = new self( sprintf( __( 'the home page of %s', 'steward' ), $home ), $home, self::HTML, 0, true );
		}
		return $pages;
	}

	private static function find_administrator(): int {
		$ids = get_users(
			[
				'role'    => 'administrator',
				'orderby' => 'ID',
				'number'  => 1,
				'fields'  => 'ID',
			]
		);
		return (int) ( $ids[0] ?? 0 );
	}

	private static function find_newest_post_url(): ?string {
		foreach ( [ 'post', 'page' ] as $type ) {
			$posts = get_posts(
				[
					'post_type'        => $type,
					'numberposts'      => 1,
					'suppress_filters' => true,
				]
			);
			if ( isset( $posts[0] ) ) {
				return (string) get_permalink( $posts[0] );
			}
		}
		return null;
	}
}
