<?php
/**
 * @package Steward
 */

namespace Steward\Test;

use PHPUnit\Framework\TestCase;
use Steward\License_Key;

final class License_Key_Test extends TestCase {

	/** @dataProvider vectors */
	public function test_normal_form_is_that_of_the_test_vectors( string $input, ?string $normalized ): void {
		self::assertSame( $normalized, License_Key::normalize( $input ) );
	}

	public static function vectors(): array {
		return array_map(
			static function ( array $vector ): array {
				return [ $vector['input'], $vector['normalized'] ?? null ];
			},
			read_vectors( 'license-keys' )['cases']
		);
	}

	public function test_invalid_utf8_is_refused(): void {
		self::assertNull( License_Key::normalize( "STWD\xff" ) );
	}

	public function test_an_enrolment_code_is_no_license_key(): void {
		$key  = 'STWD-M9S346Q-3D25VT4-F5V37E3-S3E28JD';
		$code = 'STWE-M9S346Q-3D25VT4-F5V37E3-S3E28JD';
		self::assertSame( $key, License_Key::normalize( $key ) );
		self::assertNull( License_Key::normalize( $code ) );
		self::assertSame( $code, License_Key::normalize( strtolower( $code ), License_Key::ENROLMENT_PREFIX ) );
	}

	/**
	 * @testWith ["STWS-0123456-789ABCD-EFGHJKM-NPQRSTJ", true]
	 *           ["STWD-0123456-789ABCD-EFGHJKM-NPQRSTJ", false]
	 *           ["STWS-0123456-789ABCD-EFGHJKM-NPQRSTJ\n", false]
	 *           ["stws-0123456-789abcd-efghjkm-npqrstj", false]
	 *           ["STWS-0123456-789ABCD-EFGHJKM", false]
	 */
	public function test_site_key_has_exactly_the_form_that_the_panel_issues( string $key, bool $is_site_key ): void {
		self::assertSame( $is_site_key, License_Key::is_site_key( $key ) );
	}

	public function test_mask_shows_only_the_last_six_characters(): void {
		self::assertSame( '…3E28JD', License_Key::mask( 'STWD-M9S346Q-3D25VT4-F5V37E3-S3E28JD' ) );
	}
}
