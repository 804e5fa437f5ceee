<?php
/**
 * @package Steward
 */

namespace Steward\Test;

use PHPUnit\Framework\TestCase;
use Steward\Site_Url;

/** Site_Url and Site_Host on a server with intl. Site_Host_Test has other servers. */
final class Site_Url_Test extends TestCase {

	/** @dataProvider vectors */
	public function test_canonical_form_is_that_of_the_test_vectors( string $input, ?string $canonical ): void {
		self::assertTrue( function_exists( 'idn_to_ascii' ), 'PHP has no intl. Run npm run test:provide.' );
		self::assertSame( $canonical, Site_Url::canonical( $input ) );
	}

	public static function vectors(): array {
		return array_map(
			static function ( array $vector ): array {
				return [ $vector['input'], $vector['canonical'] ?? null ];
			},
			read_vectors( 'site-urls' )['cases']
		);
	}

	/** @dataProvider invalid_utf8 */
	public function test_invalid_utf8_is_refused( string $input ): void {
		self::assertNull( Site_Url::canonical( $input ) );
	}

	public static function invalid_utf8(): array {
		$inputs = [];
		foreach ( [ "\xff", "a\xc3", "\xed\xa0\x80", "\xc0\xaf", "\xf5\x80\x80\x80" ] as $bytes ) {
			array_push( $inputs, [ $bytes ], [ "https://$bytes.de" ], [ "https://a.de/$bytes" ] );
		}
		return $inputs;
	}
}
