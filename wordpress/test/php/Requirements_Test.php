<?php
/**
 * @package Steward
 */

namespace Steward\Test;

use PHPUnit\Framework\TestCase;
use Steward\Updating\Requirements;

final class Requirements_Test extends TestCase {

	/** @dataProvider offers */
	public function test_requirements_are_read_from_any_offer( $offer, array $requirements ): void {
		self::assertSame( $requirements, Requirements::of_offer( $offer ) );
	}

	public static function offers(): array {
		return [
			'none'                   => [ null, [] ],
			'plugin'                 => [
				(object) [ 'requires_php' => '7.4', 'requires' => ' 6.0 ', 'requires_plugins' => [ 'library', 'shop' ] ],
				[ 'requires_php' => '7.4', 'requires' => '6.0', 'requires_plugins' => [ 'library', 'shop' ] ],
			],
			'theme'                  => [ [ 'requires_php' => 8.1, 'requires' => false ], [ 'requires_php' => '8.1' ] ],
			'other types'            => [ [ 'requires_php' => [ '8' ], 'requires' => true, 'requires_plugins' => 5 ], [] ],
			'text that is no number' => [ [ 'requires_php' => 'any', 'requires' => '' ], [] ],
			'list of plugins'        => [ [ 'requires_plugins' => 'library, shop,,library' ], [ 'requires_plugins' => [ 'library', 'shop' ] ] ],
			'long values'            => [
				[ 'requires_php' => '8' . str_repeat( '0', 100 ), 'requires_plugins' => [ str_repeat( 'a', 201 ), 'b', 5 ] ],
				[ 'requires_php' => '8' . str_repeat( '0', 63 ), 'requires_plugins' => [ 'b' ] ],
			],
		];
	}

	public function test_core_has_another_name_for_the_php_version(): void {
		self::assertSame( [ 'requires_php' => '7.4' ], Requirements::of_core( (object) [ 'php_version' => '7.4', 'requires_php' => '8.0' ] ) );
		self::assertSame( [], Requirements::of_core( null ) );
	}

	public function test_missing_plugins_are_named(): void {
		self::assertNull( Requirements::plugins_error( [] ) );
		$error = Requirements::plugins_error( [ 'library', 'shop' ] );
		self::assertSame( 'plugin_missing', $error->get_error_code() );
		self::assertSame( 'The new version requires plugins that are not active: library, shop.', $error->get_error_message() );
	}
}
