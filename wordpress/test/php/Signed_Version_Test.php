<?php
/**
 * @package Steward
 */

namespace Steward\Test;

use PHPUnit\Framework\TestCase;
use Steward\Self_Update\Signed_Version;
use Steward\Watchdog\Call_Signature;

final class Signed_Version_Test extends TestCase {

	/** @dataProvider offers */
	public function test_version_is_accepted_only_with_the_signature_of_the_panel( array $changes, bool $is_accepted ): void {
		$vectors         = read_vectors( 'signed-calls' );
		Options::$values = [ Call_Signature::PUBLIC_KEY_OPTION => $vectors['public_key'] ];
		$offer           = [ 'slug' => 'steward', 'size' => 1 ] + array_intersect_key( $vectors['plugin'], array_flip( [ 'version', 'sha256', 'signature' ] ) );
		self::assertSame( $is_accepted, Signed_Version::read( $changes + $offer ) instanceof Signed_Version );
	}

	public static function offers(): array {
		$vectors = read_vectors( 'signed-calls' );
		$other   = $vectors['rotation']['signature'];
		return [
			'as signed'               => [ [], true ],
			'second signature'        => [ [ 'signature' => $other . ',' . $vectors['plugin']['signature'] ], true ],
			'signature of other text' => [ [ 'signature' => $other ], false ],
			'no signature'            => [ [ 'signature' => '' ], false ],
			'other version'           => [ [ 'version' => '1.2.1' ], false ],
			'other package'           => [ [ 'sha256' => str_replace( '9', '8', $vectors['plugin']['sha256'] ) ], false ],
			'other plugin'            => [ [ 'slug' => 'akismet' ], false ],
			'no size'                 => [ [ 'size' => 0 ], false ],
			'line break'              => [ [ 'version' => $vectors['plugin']['version'] . "\n" ], false ],
		];
	}

	/** @testWith [null]
	 *            ["text"]
	 *            [[]]
	 */
	public function test_other_types_are_refused( $data ): void {
		self::assertInstanceOf( \WP_Error::class, Signed_Version::read( $data ) );
	}
}
