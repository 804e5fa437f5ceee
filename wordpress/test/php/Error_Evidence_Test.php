<?php
/**
 * @package Steward
 */

namespace Steward\Watchdog {

	use Steward\Test\Cookie;

	/** These replace the functions of WordPress in the classes of this namespace. */
	function is_multisite(): bool {
		return Cookie::$is_network;
	}

	function wp_cookie_constants(): void {
	}

	function ms_cookie_constants(): void {
	}

	/** @return int|false */
	function wp_validate_auth_cookie( string $cookie, string $scheme ) {
		return '' === $cookie && 'logged_in' === $scheme ? Cookie::$user : false;
	}

	function user_can( int $user, string $capability ): bool {
		return Cookie::$user === $user && in_array( $capability, Cookie::$capabilities, true );
	}
}

namespace Steward\Test {

	use PHPUnit\Framework\TestCase;
	use Steward\Watchdog\Error_Evidence;
	use Steward\Watchdog\Error_Watch;

	/** The cookie of the request. */
	final class Cookie {
		/** @var int|false */
		public static $user = false;
		/** @var string[] */
		public static $capabilities = [];
		/** @var bool */
		public static $is_network = false;
	}

	final class Error_Evidence_Test extends TestCase {

		private const SITE  = 'https://example.org/wp';
		private const ADMIN = self::SITE . '/wp-admin/';

		public static function setUpBeforeClass(): void {
			Error_Watch::load();
			is_dir( ABSPATH . 'wp-includes' ) || mkdir( ABSPATH . 'wp-includes' );
			touch( ABSPATH . 'wp-includes/pluggable.php' );
		}

		/** @return array<string, array{bool, string, string, string, string, string}> */
		public function requests(): array {
			$post  = self::ADMIN . 'edit.php?post_type=page';
			$entry = 'https://example.org/wp/a-post/';
			return [
				'the Plugins screen'                         => [ true, 'GET /wp/wp-admin/plugins.php', 'same-origin', 'document', '' ],
				'the dashboard'                              => [ true, 'GET /wp/wp-admin/', 'same-origin', 'document', $entry ],
				'the page of a plugin, from the dashboard'   => [ true, 'GET /wp/wp-admin/admin.php?page=shop-orders', 'same-origin', 'document', self::ADMIN ],
				'the editor, in an old browser'              => [ true, 'GET /wp/wp-admin/post-new.php', '', '', self::ADMIN . 'plugins.php' ],
				'the editor of an entry'                     => [ true, 'GET /wp/wp-admin/post.php?post=3&action=edit', 'same-origin', 'document', $post ],
				'an entry, from the admin'                   => [ true, 'GET /wp/a-post/', 'same-origin', 'document', $post ],
				'a preview in a frame'                       => [ true, 'GET /?customize=1', 'same-origin', 'iframe', self::ADMIN . 'customize.php' ],
				'a route, from the editor'                   => [ true, 'GET /wp-json/wp/v2/posts?a=b', 'same-origin', 'empty', self::ADMIN . 'post.php?post=3&action=edit' ],
				'a form'                                     => [ true, 'POST /wp/wp-admin/post.php', 'same-origin', 'document', self::ADMIN . 'post.php?post=3' ],
				'an action, in an old browser'               => [ true, 'POST /wp/wp-admin/admin-ajax.php', '', '', self::ADMIN . 'index.php' ],

				'an image in a comment'                      => [ false, 'GET /?odd=1', 'same-origin', 'image', $entry ],
				'an image on the comments screen'            => [ false, 'GET /?odd=1', 'same-origin', 'image', self::ADMIN . 'edit-comments.php' ],
				'an image at a plain address'                => [ false, 'GET /wp/wp-admin/plugins.php', 'same-origin', 'image', $post ],
				'a link in a comment'                        => [ false, 'GET /?odd=1', 'same-origin', 'document', $entry ],
				'a link on the comments screen'              => [ false, 'GET /?odd=1', 'same-origin', 'document', self::ADMIN . 'edit-comments.php?p=1' ],
				'a link in the editor of a comment'          => [ false, 'GET /?odd=1', 'same-origin', 'document', self::ADMIN . 'comment.php?action=approve&c=1' ],
				'a link of an author on the dashboard'       => [ false, 'GET /?odd=1', 'same-origin', 'document', self::ADMIN ],
				'a link of an author on index.php'           => [ false, 'GET /?odd=1', 'same-origin', 'document', self::ADMIN . 'index.php' ],
				'a link of an author on the network'         => [ false, 'GET /?odd=1', 'same-origin', 'document', self::ADMIN . 'network/' ],
				'a link in the list of a plugin'             => [ false, 'GET /?odd=1', 'same-origin', 'document', self::ADMIN . 'admin.php?page=forms' ],
				'a link to the admin'                        => [ false, 'GET /wp/wp-admin/admin.php?odd=1', 'same-origin', 'document', $entry ],
				'a link with a plain part'                   => [ false, 'GET /wp/wp-admin/admin.php?page=shop&odd=1', 'same-origin', 'document', $entry ],
				'a link with a list'                         => [ false, 'GET /wp/wp-admin/admin.php?page[]=shop', 'same-origin', 'document', $entry ],
				'a link with a path after the file'          => [ false, 'GET /wp/wp-admin/plugins.php/odd', 'same-origin', 'document', $entry ],
				'a link in a comment, in an old browser'     => [ false, 'GET /?odd=1', '', '', $entry ],
				'a link on another screen, in an old browser' => [ false, 'GET /?odd=1', '', '', self::ADMIN . 'edit-comments.php' ],
				'a link that hides the address of its page'  => [ false, 'GET /?odd=1', 'same-origin', 'document', '' ],
				'a script of a page that read its address'   => [ false, 'POST /wp/wp-admin/admin-ajax.php', 'same-origin', 'empty', $entry . '?odd=1' ],
				'another site'                               => [ false, 'GET /wp/wp-admin/plugins.php', 'cross-site', 'document', $post ],
				'another host of the site'                   => [ false, 'GET /wp/wp-admin/plugins.php', 'same-site', 'document', $post ],
				'an address that was entered'                => [ false, 'GET /wp/wp-admin/plugins.php', 'none', 'document', '' ],
				'another site, in an old browser'            => [ false, 'POST /wp/wp-admin/plugins.php', '', '', 'https://evil.example/wp/wp-admin/plugins.php' ],
				'nothing is known'                           => [ false, 'GET /wp/wp-admin/plugins.php', '', '', '' ],
				'a folder with a similar name'               => [ false, 'GET /?odd=1', 'same-origin', 'document', self::SITE . '/wp-administration/a' ],
				'an origin with a similar name'              => [ false, 'GET /?odd=1', 'same-origin', 'document', 'https://example.org.evil.example/wp/wp-admin/edit.php' ],
			];
		}

		/** @dataProvider requests */
		public function test_only_work_in_the_admin_counts( bool $is_expected, string $request, string $site, string $target, string $referrer ): void {
			[ $method, $address ] = explode( ' ', $request );
			$headers              = array_filter(
				[
					'HTTP_SEC_FETCH_SITE' => $site,
					'HTTP_SEC_FETCH_DEST' => $target,
					'HTTP_REFERER'        => $referrer,
				]
			);
			$server = $headers + [
				'REQUEST_METHOD' => $method,
				'REQUEST_URI'    => $address,
			];
			self::assertSame( $is_expected, Error_Evidence::is_work_in_admin( $server, self::SITE ) );
		}

		/** @return array<string, array{bool, int|false, string[], bool}> */
		public function users(): array {
			return [
				'an administrator'            => [ true, 1, [ 'activate_plugins' ], false ],
				'a subscriber'                => [ false, 2, [ 'read' ], false ],
				'a stranger'                  => [ false, false, [], false ],
				'the owner of one site'       => [ false, 3, [ 'activate_plugins' ], true ],
				'an administrator of network' => [ true, 1, [ 'activate_plugins', 'manage_network_plugins' ], true ],
			];
		}

		/**
		 * @dataProvider users
		 * @param int|false $user User of the cookie.
		 */
		public function test_the_cookie_of_an_administrator_counts( bool $is_expected, $user, array $capabilities, bool $is_network ): void {
			[ $server, $_SERVER['REQUEST_URI'], $_SERVER['HTTP_SEC_FETCH_SITE'] ] = [ $_SERVER, '/wp/wp-admin/plugins.php', 'same-origin' ];
			Options::$values['siteurl']                                           = self::SITE;
			[ Cookie::$user, Cookie::$capabilities, Cookie::$is_network ]         = [ $user, $capabilities, $is_network ];
			try {
				self::assertSame( $is_expected, Error_Evidence::is_given( Error_Watch::ADMIN ) );
				self::assertFalse( Error_Evidence::is_given( Error_Watch::CRON ) );
				self::assertTrue( Error_Evidence::is_given( Error_Watch::COMMAND_LINE ) );
			} finally {
				$_SERVER            = $server;
				Options::$values    = [];
				Cookie::$is_network = false;
			}
		}
	}
}
