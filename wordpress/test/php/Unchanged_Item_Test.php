<?php
/**
 * @package Steward
 */

namespace Steward\Test;

use PHPUnit\Framework\TestCase;
use Steward\Updating\Unchanged_Item;

final class Unchanged_Item_Test extends TestCase {

	/**
	 * @testWith ["2.0", null]
	 *           ["2.0", "2.0"]
	 *           ["2.0", " 2.0 "]
	 */
	public function test_an_offered_version_is_installed( string $offered, ?string $requested ): void {
		self::assertNull( Unchanged_Item::for_offer( 'shop/shop.php', 'Shop', '1.0', $offered, $requested ) );
	}

	/**
	 * @testWith [null, null]
	 *           [null, "1.0"]
	 *           [null, "1.0.0"]
	 *           ["2.0", "1.0"]
	 */
	public function test_an_installed_version_succeeds_without_a_change( ?string $offered, ?string $requested ): void {
		self::assertSame(
			[
				'slug'        => 'shop/shop.php',
				'new_version' => '1.0',
				'success'     => true,
				'old_version' => '1.0',
				'name'        => 'Shop',
			],
			Unchanged_Item::for_offer( 'shop/shop.php', 'Shop', '1.0', $offered, $requested )
		);
	}

	/**
	 * The user saw the offer in its spelling, so 2.0.0 is not 2.0.
	 *
	 * @testWith ["2.0", "1.5", "The site now offers version 2.0, not 1.5."]
	 *           ["2.0", "2.0.0", "The site now offers version 2.0, not 2.0.0."]
	 *           [null, "2.0", "The site no longer offers version 2.0."]
	 */
	public function test_another_offer_is_refused( ?string $offered, string $requested, string $error ): void {
		$result = Unchanged_Item::for_offer( 'shop/shop.php', '', '1.0', $offered, $requested );
		self::assertStringStartsWith( $error . ' No changes were made.', $result['error'] );
		unset( $result['error'] );
		self::assertSame(
			[
				'slug'        => 'shop/shop.php',
				'new_version' => '1.0',
				'success'     => false,
				'old_version' => '1.0',
				'code'        => 'offer_changed',
			],
			$result
		);
	}

	/** The inventory cuts versions at 64 characters, so the panel requests the cut version. */
	public function test_a_long_version_is_requested_by_its_first_64_characters(): void {
		$offered = '2.0-' . str_repeat( 'x', 80 );
		self::assertNull( Unchanged_Item::for_offer( 'shop/shop.php', '', '1.0', $offered, substr( $offered, 0, 64 ) ) );
		self::assertNotNull( Unchanged_Item::for_offer( 'shop/shop.php', '', '1.0', $offered, substr( $offered, 0, 63 ) ) );
	}
}
