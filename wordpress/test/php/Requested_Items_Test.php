<?php
/**
 * @package Steward
 */

namespace Steward\Test;

use PHPUnit\Framework\TestCase;
use Steward\Updating\Requested_Items;

final class Requested_Items_Test extends TestCase {

	public function test_items_are_grouped_by_type_in_the_order_of_the_call(): void {
		$items = self::read(
			[
				[ 'type' => 'core', 'slug' => 'core' ],
				[ 'type' => 'plugin', 'slug' => 'omega/omega.php', 'version' => '2.0' ],
				[ 'type' => 'plugin', 'slug' => 'alpha.php' ],
				[ 'type' => 'theme', 'slug' => 'shop/plain', 'version' => '1.5' ],
				[ 'type' => 'translation', 'slug' => 'all' ],
			]
		);
		self::assertSame( [ 'omega/omega.php' => '2.0', 'alpha.php' => null ], $items->versions( 'plugin' ) );
		self::assertSame( [ 'shop/plain' => '1.5' ], $items->versions( 'theme' ) );
		self::assertSame( [ 'core' => null ], $items->versions( 'core' ) );
		self::assertSame( [ 'all' => null ], $items->versions( 'translation' ) );
	}

	/**
	 * @testWith ["{}"]
	 *           ["[]"]
	 *           ["{\"outside_look\":true}"]
	 *           [""]
	 *           ["text"]
	 */
	public function test_a_body_without_items_means_all_pending_updates( string $body ): void {
		self::assertNull( Requested_Items::from_body( $body ) );
	}

	/** @dataProvider damaged_lists */
	public function test_a_damaged_list_never_updates_all_items( string $body ): void {
		self::assertSame( 'invalid_items', Requested_Items::from_body( $body )->get_error_code() );
	}

	public static function damaged_lists(): array {
		return [
			'cut off'        => [ '{"items":[{"type":"plugin"' ],
			'too deep'       => [ '{"items":' . str_repeat( '[', 600 ) . str_repeat( ']', 600 ) . '}' ],
			'an object'      => [ '{"items":{"0":{}}}' ],
			'null'           => [ '{"items":null}' ],
			'empty'          => [ '{"items":[]}' ],
			'too many items' => [ json_encode( [ 'items' => array_map( [ self::class, 'numbered_theme' ], range( 1, 201 ) ) ] ) ],
		];
	}

	public function test_200_items_are_accepted(): void {
		self::assertCount( 200, self::read( array_map( [ self::class, 'numbered_theme' ], range( 1, 200 ) ) )->versions( 'theme' ) );
	}

	public static function numbered_theme( int $number ): array {
		return [ 'type' => 'theme', 'slug' => (string) $number ];
	}

	public function test_a_body_that_is_no_object_is_refused(): void {
		self::assertSame( 'invalid_request', Requested_Items::from_body( '"items"' )->get_error_code() );
	}

	/** @dataProvider invalid_items */
	public function test_an_invalid_item_is_named( $item, string $label, string $reason, string $purpose = Requested_Items::UPDATE ): void {
		$first = [ 'type' => 'plugin', 'slug' => 'shop', 'version' => '1.0' ];
		$first = Requested_Items::INSTALL === $purpose ? $first : [ 'slug' => 'shop/shop.php' ] + $first;
		$error = self::read( [ $first, $item ], $purpose );
		self::assertSame( 'invalid_items', $error->get_error_code() );
		self::assertSame( "Item 2 ($label) is not valid: $reason", $error->get_error_message() );
	}

	public static function invalid_items(): array {
		$plugin  = [ 'type' => 'plugin', 'slug' => 'beta/beta.php', 'version' => '1.0' ];
		$package = [ 'url' => 'https://example.com/beta.zip', 'sha256' => str_repeat( 'a', 64 ), 'size' => 1 ];
		$slug    = 'the slug must have the form directory/file.php or file.php.';
		$install = [ 'the package must have a url, a sha256 and a size.', Requested_Items::INSTALL ];
		return [
			'no object'              => [ 'shop', '-', 'the type must be plugin, theme, core or translation.' ],
			'unknown type'           => [ [ 'type' => 'file', 'slug' => 'a' ], 'file a', 'the type must be plugin, theme, core or translation.' ],
			'core to restore'        => [ [ 'type' => 'core', 'slug' => 'core' ], 'core core', 'the type must be plugin or theme.', Requested_Items::RESTORE ],
			'path outside'           => [ [ 'slug' => '../../wp-config.php' ] + $plugin, 'plugin ../../wp-config.php', $slug ],
			'absolute path'          => [ [ 'slug' => '/etc/a.php' ] + $plugin, 'plugin /etc/a.php', $slug ],
			'line break'             => [ [ 'slug' => "a.php\n" ] + $plugin, 'plugin a.php', $slug ],
			'backslash'              => [ [ 'slug' => 'a\\a.php' ] + $plugin, 'plugin a\\a.php', $slug ],
			'slug that is too long'  => [ [ 'slug' => str_repeat( 'a', 497 ) . '.php' ] + $plugin, 'plugin ' . str_repeat( 'a', 93 ), $slug ],
			'theme outside'          => [ [ 'type' => 'theme', 'slug' => '..' ], 'theme ..', 'the slug must be the folder of the theme.' ],
			'other slug of core'     => [ [ 'type' => 'core', 'slug' => 'wordpress' ], 'core wordpress', 'the slug must be "core".' ],
			'listed twice'           => [ [ 'slug' => 'shop/shop.php' ] + $plugin, 'plugin shop/shop.php', 'it is in the list twice.' ],
			'empty version'          => [ [ 'version' => '' ] + $plugin, 'plugin beta/beta.php', 'the version must be a text of 1 to 64 characters.' ],
			'version of other type'  => [ [ 'version' => 2 ] + $plugin, 'plugin beta/beta.php', 'the version must be a text of 1 to 64 characters.' ],
			'version that is null'   => [ [ 'version' => null ] + $plugin, 'plugin beta/beta.php', 'the version must be a text of 1 to 64 characters.' ],
			'directory slug'         => [ [ 'slug' => 'a/a.php' ] + $plugin, 'plugin a/a.php', 'without a package, the slug must be the slug on wordpress.org.', Requested_Items::INSTALL ],
			'package without a size' => array_merge( [ $plugin + [ 'package' => array_diff_key( $package, [ 'size' => 0 ] ) ], 'plugin beta/beta.php' ], $install ),
			'package from a file'    => array_merge( [ $plugin + [ 'package' => [ 'url' => 'file:///etc/passwd' ] + $package ], 'plugin beta/beta.php' ], $install ),
			'package, short hash'    => array_merge( [ $plugin + [ 'package' => [ 'sha256' => 'abc' ] + $package ], 'plugin beta/beta.php' ], $install ),
		];
	}

	public function test_a_package_belongs_to_its_item(): void {
		$package = [ 'url' => 'https://example.com/beta.zip', 'sha256' => str_repeat( 'a', 64 ), 'size' => 1 ];
		$items   = self::read(
			[
				[ 'type' => 'plugin', 'slug' => 'beta/beta.php', 'version' => '1.0', 'package' => $package ],
				[ 'type' => 'plugin', 'slug' => 'alpha', 'version' => '1.0' ],
			],
			Requested_Items::INSTALL
		);
		self::assertEquals( (object) $package, $items->package( 'plugin', 'beta/beta.php' ) );
		self::assertNull( $items->package( 'plugin', 'alpha' ) );
	}

	/** @return Requested_Items|\WP_Error */
	private static function read( array $items, string $purpose = Requested_Items::UPDATE ) {
		return Requested_Items::from_body( json_encode( [ 'items' => $items ] ), $purpose );
	}
}
