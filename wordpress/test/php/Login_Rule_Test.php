<?php
/**
 * @package Steward
 */

namespace Steward\Test;

use PHPUnit\Framework\TestCase;
use Steward\Login\Login_Rule;

final class Login_Rule_Test extends TestCase {

	private const SITE = 'https://shop.example.com/blog';

	private const CHOICE = [
		'site_url' => self::SITE,
		'users'    => [
			7 => [ 'administrator' ],
			8 => [ 'edit_private_posts', 'editor' ],
		],
	];

	public function test_a_chosen_user_with_the_same_rights_is_allowed(): void {
		self::assertNull( self::refusal( 7, [] ) );
		self::assertNull( self::refusal( 8, [ 'rights' => [ 'edit_private_posts', 'editor' ] ] ) );
	}

	public function test_the_address_is_compared_in_its_canonical_form(): void {
		self::assertNull( self::refusal( 7, [ 'site_url' => 'http://www.shop.example.com/blog/' ] ) );
	}

	/** @dataProvider refused_as_off */
	public function test_log_in_is_off( array $facts, array $choice = self::CHOICE ): void {
		self::assertSame( 'login_off', self::refusal( 7, $facts, $choice ) );
	}

	public static function refused_as_off(): array {
		return [
			'remote management is off'     => [ [ 'is_remote_on' => false ] ],
			'no user is chosen'            => [ [], [ 'site_url' => self::SITE, 'users' => [] ] ],
			'a copy at another address'    => [ [ 'site_url' => 'https://staging.example.com/blog' ] ],
			'another site of the same host' => [ [ 'site_url' => 'https://shop.example.com' ] ],
			'an address that is none'      => [ [ 'site_url' => '' ], [ 'site_url' => '' ] + self::CHOICE ],
		];
	}

	/** @dataProvider refused_users */
	public function test_a_user_is_refused( int $user, array $facts ): void {
		self::assertSame( 'login_user_not_allowed', self::refusal( $user, $facts ) );
	}

	public static function refused_users(): array {
		return [
			'another user'                    => [ 9, [] ],
			'user 0'                          => [ 0, [] ],
			'a deleted user'                  => [ 7, [ 'rights' => null, 'has_role' => false ] ],
			'a user without a role'           => [ 7, [ 'rights' => [], 'has_role' => false ] ],
			'a user with a lower role'        => [ 7, [ 'rights' => [ 'editor' ] ] ],
			'an editor who is now an administrator' => [ 8, [ 'rights' => [ 'administrator' ] ] ],
			'an editor with another right'    => [ 8, [ 'rights' => [ 'edit_private_posts', 'edit_users', 'editor' ] ] ],
			'a new administrator of a network' => [ 7, [ 'rights' => [ 'administrator', 'super admin' ] ] ],
		];
	}

	public function test_a_token_is_valid_for_its_time_and_address(): void {
		$terms = [ 'expires' => 1000, 'site_url' => self::SITE ];
		self::assertTrue( Login_Rule::is_token_valid( $terms, 999, self::SITE ) );
		self::assertFalse( Login_Rule::is_token_valid( $terms, 1000, self::SITE ) );
		self::assertFalse( Login_Rule::is_token_valid( $terms, 999, 'https://copy.example.com/blog' ) );
		self::assertFalse( Login_Rule::is_token_valid( [ 'expires' => 0, 'site_url' => '' ], 999, '' ) );
	}

	private static function refusal( int $user, array $facts, array $choice = self::CHOICE ): ?string {
		$defaults = [ 'is_remote_on' => true, 'site_url' => self::SITE, 'rights' => [ 'administrator' ], 'has_role' => true ];
		return Login_Rule::refusal( $choice, $user, $facts + $defaults );
	}
}
