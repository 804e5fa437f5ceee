<?php
/**
 * @package Steward
 */

namespace Steward\Test;

use PHPUnit\Framework\TestCase;
use Steward\Updating\Item_Install;
use Steward\Updating\Requested_Items;
use Steward\Updating\Update_Plan;

final class Update_Plan_Test extends TestCase {

	public function test_plugins_are_installed_before_themes_in_the_order_of_the_call(): void {
		$package = [
			'url'    => 'https://example.com/store.zip',
			'sha256' => str_repeat( '0', 64 ),
			'size'   => 1,
		];
		$items   = [
			[ 'type' => 'theme', 'slug' => 'plain', 'version' => '3.0' ],
			[ 'type' => 'plugin', 'slug' => 'shop', 'version' => '1.0' ],
			[ 'type' => 'plugin', 'slug' => 'store/store.php', 'version' => '2.0', 'package' => $package ],
		];
		$plan    = Update_Plan::to_install( Requested_Items::from_body( json_encode( [ 'items' => $items ] ), Requested_Items::INSTALL ) );
		self::assertEquals(
			[
				new Item_Install( 'plugin', 'shop', '1.0', null ),
				new Item_Install( 'plugin', 'store/store.php', '2.0', (object) $package ),
				new Item_Install( 'theme', 'plain', '3.0', null ),
			],
			$plan->installs()
		);
		self::assertSame( [ [], null, false ], [ $plan->updates(), $plan->core(), $plan->has_translations() ] );
	}
}
