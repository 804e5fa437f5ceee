<?php
/**
 * @package Steward
 */

namespace Steward\Test;

use PHPUnit\Framework\TestCase;
use Steward\Watchdog\Call_Log;

final class Call_Log_Test extends TestCase {

	public function test_entries_are_those_of_the_test_vectors(): void {
		$vectors = read_vectors( 'call-log' );
		self::assertSame( $vectors['start'], Call_Log::INITIAL_HASH );
		$head = [
			'sequence' => 0,
			'hash'     => Call_Log::INITIAL_HASH,
		];
		foreach ( $vectors['entries'] as $expected ) {
			$head = Call_Log::build_entry( $head, $expected['timestamp'], $expected['route'], $expected['body'], $expected['nonce'] );
			self::assertEquals( array_diff_key( $expected, array_flip( [ 'body', 'text' ] ) ), $head );
		}
	}
}
