<?php
/**
 * @package Steward
 */

namespace Steward\Test;

use PHPUnit\Framework\TestCase;
use Steward\Connection;

final class Connection_Test extends TestCase {

	private const NOW = '2026-06-15T12:00:00Z';

	protected function setUp(): void {
		Clock::$now      = strtotime( self::NOW );
		Options::$values = [ Connection::ENABLED_SERVICES => [ 'remote' ] ];
	}

	/** @dataProvider verdicts */
	public function test_remote_management_ends_with_the_license( array $state, bool $is_enabled ): void {
		Options::$values[ Connection::STATE ] = $state;
		self::assertSame( $is_enabled, Connection::is_remote_enabled() );
	}

	public static function verdicts(): array {
		$expired_at = static function ( string $time ): array {
			return [ 'refusal_code' => 'license_expired', 'license' => [ 'expires_at' => $time ] ];
		};
		return [
			'no verdict yet'           => [ [], true ],
			'no reason'                => [ [ 'refusal_code' => '' ], true ],
			'revoked'                  => [ [ 'refusal_code' => 'license_revoked' ], false ],
			'suspended'                => [ [ 'refusal_code' => 'license_suspended' ], false ],
			'unknown key'              => [ [ 'refusal_code' => 'invalid_license_key' ], false ],
			'not activated'            => [ [ 'refusal_code' => 'site_not_activated' ], false ],
			'wrong token'              => [ [ 'refusal_code' => 'invalid_activation_token' ], true ],
			'expired for 14 days'      => [ $expired_at( '2026-06-01T12:00:00Z' ), true ],
			'expired for longer'       => [ $expired_at( '2026-06-01T11:59:59Z' ), false ],
			'expired at unknown time'  => [ [ 'refusal_code' => 'license_expired' ], true ],
		];
	}

	public function test_remote_management_needs_the_service_and_the_consent_of_the_administrator(): void {
		self::assertTrue( Connection::is_remote_enabled() );
		Options::$values[ Connection::REMOTE_OFF ] = '1';
		self::assertFalse( Connection::is_remote_enabled() );
		Options::$values = [ Connection::ENABLED_SERVICES => [ 'backup', 5 ] ];
		self::assertSame( [ 'backup' ], Connection::enabled_services() );
		self::assertFalse( Connection::is_remote_enabled() );
	}

	public function test_a_verdict_counts_for_14_days(): void {
		Options::$values[ Connection::STATE ] = [ 'is_valid' => true, 'confirmed_at' => Clock::$now ];
		Clock::$now += 14 * 86400 - 1;
		self::assertTrue( Connection::is_licensed() );
		++Clock::$now;
		self::assertFalse( Connection::is_licensed() );
		Options::$values[ Connection::STATE ] = [ 'is_valid' => false, 'confirmed_at' => Clock::$now ];
		self::assertFalse( Connection::is_licensed() );
	}

	/**
	 * @testWith ["", "https://example.com", false]
	 *           ["https://example.com", "https://example.com", false]
	 *           ["https://example.com", "http://www.Example.com/", false]
	 *           ["https://example.com", "https://staging.example.com", true]
	 *           ["https://example.com", "https://example.com/copy", true]
	 *           ["https://exa mple.com", "https://exa mple.com", false]
	 *           ["https://exa mple.com", "http://exa mple.com", true]
	 */
	public function test_a_copy_at_another_address_is_another_site( string $activated, string $home, bool $has_moved ): void {
		Options::$values = [ 'home' => $home, Connection::STATE => [ 'site_url' => $activated ] ];
		self::assertSame( $has_moved, Connection::has_moved() );
	}
}
