<?php
/**
 * @package Steward
 */

namespace Steward\Test;

use PHPUnit\Framework\TestCase;
use Steward\Watchdog\Call_Signature;

final class Call_Signature_Test extends TestCase {

	protected function setUp(): void {
		Options::$values = [ Call_Signature::PUBLIC_KEY_OPTION => read_vectors( 'signed-calls' )['public_key'] ];
	}

	/** @dataProvider calls */
	public function test_signed_text_is_that_of_the_test_vectors( array $call ): void {
		$text = Call_Signature::build_signed_text( $call['route'], $call['site_url'], $call['timestamp'], $call['nonce'], $call['body'] );
		self::assertSame( $call['text'], $text );
		$public_key = Call_Signature::public_key();
		self::assertTrue( Call_Signature::is_signature_valid( $text, $call['signature'], $public_key ) );
		self::assertFalse( Call_Signature::is_signature_valid( $text . ' ', $call['signature'], $public_key ) );
		self::assertFalse( Call_Signature::is_signature_valid( $text, '', $public_key ) );
		self::assertFalse( Call_Signature::is_signature_valid( $text, $call['signature'], '' ) );
	}

	/** @dataProvider calls */
	public function test_call_is_accepted_as_it_was_signed( array $call ): void {
		self::assertTrue( self::accepts( $call ) );
	}

	public static function calls(): array {
		return array_map(
			static function ( array $call ): array {
				return [ $call ];
			},
			read_vectors( 'signed-calls' )['calls']
		);
	}

	/** @dataProvider changes */
	public function test_call_is_refused_with_another( array $change ): void {
		self::assertFalse( self::accepts( $change + read_vectors( 'signed-calls' )['calls'][1] ) );
	}

	public static function changes(): array {
		return [
			'route'                    => [ [ 'route' => '/service/v1/remote/sync' ] ],
			'body'                     => [ [ 'body' => '{"action":"delete","plugin":"akismet/akismet.php"}' ] ],
			'nonce'                    => [ [ 'nonce' => '00eeddccbbaa99887766554433221100' ] ],
			'timestamp'                => [ [ 'timestamp' => 1767225602 ] ],
			'site: a copy of the site' => [ [ 'site_url' => 'copy.example.com:8443/blog' ] ],
			'panel: no pinned key'     => [ [ 'public_key' => '' ] ],
			'panel: another key'       => [ [ 'public_key' => read_vectors( 'signed-calls' )['rotation']['new_public_key'] ] ],
			'signature: none'          => [ [ 'signature' => '' ] ],
		];
	}

	/** The nonce becomes the name of an option, and the timestamp a number. */
	public function test_a_signed_call_needs_timestamp_and_nonce_in_one_form(): void {
		$call = read_vectors( 'signed-calls' )['calls'][0];
		self::assertTrue( self::accepts( self::sign( $call ) ) );
		foreach ( [ strtoupper( $call['nonce'] ), $call['nonce'] . "\n", '' ] as $nonce ) {
			self::assertFalse( self::accepts( self::sign( [ 'nonce' => $nonce ] + $call ) ), $nonce );
		}
		foreach ( [ "{$call['timestamp']}\n", "{$call['timestamp']}.0", '0x6955b900', '' ] as $timestamp ) {
			self::assertFalse( self::accepts( self::sign( [ 'timestamp' => $timestamp ] + $call ) ), $timestamp );
		}
	}

	private static function sign( array $call ): array {
		$keys = sodium_crypto_sign_seed_keypair( base64_decode( read_vectors( 'signed-calls' )['private_key'] ) );
		$text = Call_Signature::build_signed_text( $call['route'], $call['site_url'], (int) $call['timestamp'], $call['nonce'], $call['body'] );
		return [ 'signature' => base64_encode( sodium_crypto_sign_detached( $text, sodium_crypto_sign_secretkey( $keys ) ) ) ] + $call;
	}

	/**
	 * @testWith [-301, false]
	 *           [-300, true]
	 *           [300, true]
	 *           [301, false]
	 */
	public function test_clocks_may_differ_by_five_minutes( int $seconds, bool $is_accepted ): void {
		self::assertSame( $is_accepted, self::accepts( read_vectors( 'signed-calls' )['calls'][0], $seconds ) );
	}

	public function test_one_of_several_signatures_is_enough_but_not_of_too_many(): void {
		$call  = read_vectors( 'signed-calls' )['calls'][0];
		$other = read_vectors( 'signed-calls' )['rotation']['signature'];
		self::assertTrue( self::accepts( [ 'signature' => "$other, {$call['signature']}" ] + $call ) );
		self::assertFalse( self::accepts( [ 'signature' => str_repeat( "$other,", 4 ) . $call['signature'] ] + $call ) );
	}

	public function test_new_key_is_accepted_only_if_the_old_key_signed_it(): void {
		$vectors = read_vectors( 'signed-calls' );
		[ 'new_public_key' => $new_key, 'signature' => $signature ] = $vectors['rotation'];
		self::assertTrue( Call_Signature::has_signed_successor( $vectors['public_key'], $new_key, $signature ) );
		self::assertFalse( Call_Signature::has_signed_successor( $new_key, $vectors['public_key'], $signature ) );
	}

	public function test_proof_is_that_of_the_test_vector(): void {
		$vector                  = read_vectors( 'signed-calls' )['proof'];
		Options::$values['home'] = 'http://www.' . $vector['site_url'] . '/';
		self::assertSame( $vector['proof'], Call_Signature::compute_proof( $vector['challenge'], $vector['site_key'] ) );
	}

	/** Whether a site accepts the call, at the time of the call plus some seconds. */
	private static function accepts( array $call, int $seconds_later = 0 ): bool {
		Clock::$now              = (int) $call['timestamp'] + $seconds_later;
		Options::$values['home'] = 'https://' . $call['site_url'];
		Options::$values[ Call_Signature::PUBLIC_KEY_OPTION ] = $call['public_key'] ?? Call_Signature::public_key();
		return Call_Signature::is_signed_for_this_site( $call['route'], $call['body'], (string) $call['timestamp'], $call['nonce'], $call['signature'] );
	}
}
