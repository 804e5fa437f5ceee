<?php
/**
 * @package Steward
 */

namespace Steward\Test;

use PHPUnit\Framework\TestCase;
use Steward\Watchdog\Error_Group;
use Steward\Watchdog\Error_Watch;
use Steward\Watchdog\Files;

final class Error_Group_Test extends TestCase {

	private const HOOK = [ 'wp-includes/class-wp-hook.php', 'wp-includes/class-wp-hook.php', 'wp-includes/plugin.php' ];

	public static function setUpBeforeClass(): void {
		Error_Watch::load();
	}

	protected function setUp(): void {
		Site_Folder::reset();
		self::add( 'plugins/shop/shop.php', "<?php\n/**\n * Plugin Name: Shop\n * Version: 4.0.2\n */" );
		self::add( 'plugins/pay/index.php', "<?php\n// Silence." );
		self::add( 'plugins/pay/gateway.php', "<?php /*\nPlugin Name: Pay\nVersion: 1.1 */" );
		self::add( 'plugins/hello.php', "<?php\n/*\nPlugin Name: Hello\nVersion: 1.7\n*/" );
		self::add( 'themes/plain/style.css', "/*\nTheme Name: Plain\nVersion: 3.0\n*/" );
		self::add( 'themes/set/dark/style.css', "/*\nTheme Name: Dark\nVersion: 2.0\n*/" );
		mkdir( WPMU_PLUGIN_DIR );
		is_dir( ABSPATH . 'wp-includes' ) || mkdir( ABSPATH . 'wp-includes' );
		file_put_contents( ABSPATH . 'wp-includes/version.php', "<?php\n\$wp_version = '6.9.1';\n" );
	}

	protected function tearDown(): void {
		Options::$values = [];
		Files::delete( ABSPATH . 'elsewhere' );
	}

	private static function add( string $path, string $content ): void {
		is_dir( dirname( WP_CONTENT_DIR . '/' . $path ) ) || mkdir( dirname( WP_CONTENT_DIR . '/' . $path ), 0777, true );
		file_put_contents( WP_CONTENT_DIR . '/' . $path, $content );
	}

	/** Returns the group of an exception. The paths are those of its file and its callers, nearest first. */
	private static function group( string ...$paths ): ?Error_Group {
		$files = array_map(
			static function ( string $path ): string {
				return preg_match( '~^(wp-includes|wp-admin|/)~', $path ) ? ( '/' === $path[0] ? '' : ABSPATH ) . $path : WP_CONTENT_DIR . '/' . $path;
			},
			$paths
		);
		$trace = '';
		foreach ( array_slice( $files, 1 ) as $number => $file ) {
			$trace .= "#$number $file(7): some_function()\n";
		}
		return Error_Group::from_error(
			[
				'type'    => E_ERROR,
				'file'    => $files[0],
				'line'    => 12,
				'message' => "Uncaught Error: Oops in {$files[0]}:12\nStack trace:\n{$trace}#9 {main}\n  thrown",
			],
			Error_Watch::FRONT
		);
	}

	/** @return string[]|null Type, slug, version and place. */
	private static function owner( string ...$paths ): ?array {
		$group = self::group( ...$paths );
		return null === $group ? null : [ $group->type, $group->slug, $group->version, $group->place ];
	}

	public function test_the_file_of_the_error_decides(): void {
		self::assertSame( [ 'plugin', 'shop/shop.php', '4.0.2', 'inc/cart.php:12' ], self::owner( 'plugins/shop/inc/cart.php', 'themes/plain/index.php' ) );
		self::assertSame( [ 'plugin', 'pay/gateway.php', '1.1', 'a.php:12' ], self::owner( 'plugins/pay/a.php' ) );
		self::assertSame( [ 'plugin', 'hello.php', '1.7', 'hello.php:12' ], self::owner( 'plugins/hello.php' ) );
		self::assertSame( [ 'theme', 'plain', '3.0', 'inc/menu.php:12' ], self::owner( 'themes/plain/inc/menu.php' ) );
		self::assertSame( [ 'theme', 'set/dark', '2.0', 'index.php:12' ], self::owner( 'themes/set/dark/index.php' ) );
		self::assertSame( [ 'core', 'core', '6.9.1', 'wp-includes/post.php:12' ], self::owner( 'wp-includes/post.php' ) );
		self::assertSame( 'Uncaught Error: Oops', self::group( 'plugins/shop/shop.php' )->message );
	}

	public function test_the_active_plugin_of_a_folder_is_preferred(): void {
		self::add( 'plugins/shop/a-second.php', "<?php\n/*\nPlugin Name: Second\nVersion: 9\n*/" );
		Options::$values['active_plugins'] = [ 'shop/shop.php' ];
		self::assertSame( 'shop/shop.php', self::group( 'plugins/shop/inc/cart.php' )->slug );
	}

	public function test_an_error_in_core_belongs_to_the_nearest_caller(): void {
		self::assertSame( [ 'plugin', 'shop/shop.php', '4.0.2', 'shop.php:7' ], self::owner( 'wp-includes/post.php', 'wp-includes/query.php', 'plugins/shop/shop.php', 'plugins/pay/a.php' ) );
		// The plugin fires the hook to which core has added its function.
		self::assertSame( 'shop/shop.php', self::group( 'wp-includes/post.php', ...[ ...self::HOOK, 'plugins/shop/shop.php' ] )->slug );
		// Core fires the hook: the theme has only printed a page.
		self::assertSame( 'core', self::group( 'wp-includes/post.php', ...[ ...self::HOOK, 'wp-includes/general-template.php', 'themes/plain/index.php' ] )->slug );
	}

	public function test_code_that_belongs_to_no_item_is_not_reported(): void {
		self::assertNull( self::group( 'mu-plugins/own.php', ...[ ...self::HOOK, 'plugins/shop/shop.php' ] ) );
		self::assertNull( self::group( 'object-cache.php', 'wp-includes/cache.php' ) );
		self::assertNull( self::group( '/usr/share/wp-cli/eval.php' ) );
		// A library beside WordPress that a plugin has called.
		self::assertSame( 'shop/shop.php', self::group( '/srv/vendor/http.php', 'plugins/shop/shop.php' )->slug );
	}

	public function test_the_callers_are_those_that_called_not_through_core(): void {
		$via = static function ( string ...$callers ): array {
			return array_column( self::group( 'plugins/shop/shop.php', ...$callers )->via, 'slug' );
		};
		self::assertSame( [ 'pay/gateway.php' ], $via( 'plugins/shop/a.php', 'plugins/pay/a.php', 'plugins/pay/b.php' ) );
		self::assertSame( [ 'pay/gateway.php', 'plain' ], $via( ...[ ...self::HOOK, 'plugins/pay/a.php', 'themes/plain/index.php' ] ) );
		self::assertSame( [], $via( ...[ ...self::HOOK, 'wp-includes/general-template.php', 'themes/plain/header.php' ] ) );
	}

	public function test_the_last_trace_counts(): void {
		$group = Error_Group::from_error(
			[
				'type'    => E_ERROR,
				'file'    => ABSPATH . 'wp-includes/post.php',
				'line'    => 3,
				'message' => 'Uncaught Error: Cause in ' . WP_PLUGIN_DIR . "/pay/a.php:1\nStack trace:\n#0 " . WP_PLUGIN_DIR . "/pay/a.php(7): a()\n#1 {main}\n\nNext Exception: Oops in x:3\nStack trace:\n#0 " . WP_PLUGIN_DIR . "/shop/shop.php(8): b()\n#1 {main}\n  thrown",
			],
			Error_Watch::FRONT
		);
		self::assertSame( [ 'shop/shop.php', 'shop.php:8' ], [ $group->slug, $group->place ] );
	}

	public function test_links_are_followed(): void {
		mkdir( ABSPATH . 'elsewhere/linked', 0777, true );
		file_put_contents( ABSPATH . 'elsewhere/linked/linked.php', "<?php\n/*\nPlugin Name: Linked\nVersion: 5.0\n*/" );
		symlink( ABSPATH . 'elsewhere/linked', WP_PLUGIN_DIR . '/linked' );
		mkdir( ABSPATH . 'elsewhere/look' );
		file_put_contents( ABSPATH . 'elsewhere/look/style.css', "/*\nVersion: 6.0\n*/" );
		symlink( ABSPATH . 'elsewhere/look', WP_CONTENT_DIR . '/themes/look' );
		self::assertSame( [ 'plugin', 'linked/linked.php', '5.0', 'inc/a.php:12' ], self::owner( '/' . ltrim( ABSPATH . 'elsewhere/linked/inc/a.php', '/' ) ) );
		self::assertSame( [ 'theme', 'look', '6.0', 'index.php:12' ], self::owner( '/' . ltrim( ABSPATH . 'elsewhere/look/index.php', '/' ) ) );
	}

	public function test_core_can_be_shared_between_sites(): void {
		rename( ABSPATH . 'wp-includes', ABSPATH . 'elsewhere' );
		symlink( ABSPATH . 'elsewhere', ABSPATH . 'wp-includes' );
		$owner = self::owner( '/' . ltrim( ABSPATH . 'elsewhere/post.php', '/' ) );
		unlink( ABSPATH . 'wp-includes' );
		self::assertSame( [ 'core', 'core', '6.9.1', 'wp-includes/post.php:12' ], $owner );
	}

	public function test_evaluated_code_is_marked(): void {
		$group = self::group( "plugins/shop/run.php(56) : eval()'d code" );
		self::assertTrue( $group->is_evaluated );
		self::assertSame( [ 'shop/shop.php', 'run.php:12' ], [ $group->slug, $group->place ] );
		self::assertFalse( self::group( 'plugins/shop/run.php' )->is_evaluated );
	}

	public function test_the_version_and_the_kind_of_request_make_another_group(): void {
		$before = self::group( 'plugins/shop/shop.php' );
		self::assertSame( $before->key(), self::group( 'plugins/shop/shop.php' )->key() );
		self::add( 'plugins/shop/shop.php', "<?php\n/*\nPlugin Name: Shop\nVersion: 4.0.3\n*/" );
		$after = self::group( 'plugins/shop/shop.php' );
		self::assertNotSame( $before->key(), $after->key() );
		self::assertFalse( $after->has_same_place( $before->to_array() ) );
		$after->request_kind = Error_Watch::REST;
		self::assertNotSame( self::group( 'plugins/shop/shop.php' )->key(), $after->key() );
		self::assertTrue( $after->has_same_place( self::group( 'plugins/shop/shop.php' )->to_array() ) );
	}

	public function test_a_file_that_the_item_writes_is_no_change_of_the_item(): void {
		$folder = WP_PLUGIN_DIR . '/shop';
		$main   = filectime( "$folder/shop.php" );
		do {
			self::add( 'plugins/shop/cache.txt', 'x' );
			unlink( "$folder/cache.txt" );
			clearstatcache();
		} while ( filectime( $folder ) === $main );
		self::assertSame( $main, self::group( 'plugins/shop/shop.php' )->changed_at );
		do {
			rename( $folder, "$folder-new" );
			rename( "$folder-new", $folder );
			clearstatcache();
		} while ( filectime( $folder ) === filemtime( $folder ) );
		// A restored version has its old files.
		self::assertSame( filectime( $folder ), self::group( 'plugins/shop/shop.php' )->changed_at );
	}

	public function test_an_error_without_a_message_has_a_text(): void {
		$error = [
			'type'    => E_USER_ERROR,
			'file'    => WP_PLUGIN_DIR . '/shop/shop.php',
			'line'    => 3,
			'message' => '',
		];
		self::assertSame( 'Error without a message', Error_Group::from_error( $error, Error_Watch::FRONT )->message );
	}
}
