<?php
/**
 * @package Steward
 */

namespace Steward\Test;

use PHPUnit\Framework\TestCase;
use Steward\Updating\Versions;

final class Versions_Test extends TestCase {

	/**
	 * The panel follows the order of PHP.
	 *
	 * @dataProvider ordered_versions
	 */
	public function test_php_orders_versions_as_the_test_vectors( string $a, string $b, int $order ): void {
		self::assertSame( $order, version_compare( $a, $b ) );
	}

	public static function ordered_versions(): array {
		return array_map( 'array_values', read_vectors( 'versions' )['cases'] );
	}

	/** @dataProvider same_versions */
	public function test_same_versions_are_those_of_the_test_vectors( string $a, string $b, bool $is_same ): void {
		self::assertSame( $is_same, Versions::are_same( $a, $b ) );
	}

	public static function same_versions(): array {
		return array_map( 'array_values', read_vectors( 'same-versions' )['cases'] );
	}

	/**
	 * @testWith ["2.0-beta", "2.0", true]
	 *           ["2.0", "2.0-beta", false]
	 *           ["2.0", "2.0.0", false]
	 *           ["2.0.0", "2.0", false]
	 *           ["1.9", " 1.10", true]
	 */
	public function test_older_version_knows_pre_releases_and_other_spellings( string $version, string $than, bool $is_older ): void {
		self::assertSame( $is_older, Versions::is_older( $version, $than ) );
	}
}
