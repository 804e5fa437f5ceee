<?php
/**
 * @package Steward
 */

namespace Steward\Test;

use PHPUnit\Framework\TestCase;
use Steward\Watchdog\State;
use Steward\Watchdog\Ticket;

final class Ticket_Test extends TestCase {

	protected function setUp(): void {
		Site_Folder::reset();
	}

	protected function tearDown(): void {
		$_GET = [];
		unset( $_SERVER['REQUEST_METHOD'], $_SERVER['REQUEST_URI'] );
	}

	public function test_a_ticket_admits_its_page_once(): void {
		$token  = Ticket::issue( 7, [ '/plugins/shop' ], 'https://example.com/wp-admin/index.php' );
		$ticket = self::request( '/wp-admin/index.php', $token );
		self::assertSame( [ 7, [ '/plugins/shop' ] ], [ $ticket->user(), $ticket->paths() ] );
		$same = self::request( '/wp-admin/index.php', $token );
		self::assertTrue( $ticket->redeem() );
		self::assertFalse( $same->redeem() );
		self::assertNull( self::request( '/wp-admin/index.php', $token ) );
	}

	/**
	 * @testWith ["https://example.com/", "/", true]
	 *           ["https://example.com", "/", true]
	 *           ["https://example.com/", "/index.php", true]
	 *           ["https://example.com/blog/", "/blog/index.php", true]
	 *           ["https://example.com/edit.php?s=a%20b%26c&post_type=page", "/edit.php?post_type=page&s=a+b%26c", true]
	 *           ["https://example.com/gr%C3%B6%C3%9Fe/", "/größe/", true]
	 *           ["https://example.com/wp-admin/index.php", "/wp-admin/users.php", false]
	 *           ["https://example.com/wp-admin/index.php", "/wp-admin/index.php?page=other", false]
	 *           ["https://example.com/", "//evil.example/", false]
	 */
	public function test_a_ticket_is_valid_for_one_page( string $url, string $request, bool $is_valid ): void {
		self::assertSame( $is_valid, null !== self::request( $request, Ticket::issue( 1, [], $url ) ) );
	}

	/**
	 * @testWith ["POST"]
	 *           ["PUT"]
	 *           ["HEAD"]
	 */
	public function test_a_ticket_is_valid_for_get_only( string $method ): void {
		self::assertNull( self::request( '/', Ticket::issue( 1, [], 'https://example.com/' ), $method ) );
	}

	public function test_a_ticket_expires_after_a_minute(): void {
		$token       = Ticket::issue( 1, [], 'https://example.com/' );
		Clock::$now += 60;
		self::assertNotNull( self::request( '/', $token ) );
		++Clock::$now;
		self::assertNull( self::request( '/', $token ) );
	}

	/** @dataProvider wrong_tokens */
	public function test_a_ticket_needs_its_secret( callable $change ): void {
		$token = $change( Ticket::issue( 1, [], 'https://example.com/' ) );
		self::assertNull( self::request( '/', $token ) );
	}

	public static function wrong_tokens(): array {
		return [
			'other secret'  => [ static function ( string $token ): string { return substr( $token, 0, 17 ) . str_repeat( '0', 48 ); } ],
			'stored hash'   => [
				static function ( string $token ): string {
					return substr( $token, 0, 17 ) . substr( State::read( 'check-' . substr( $token, 0, 16 ) . '.json' )['secret'], 0, 48 );
				},
			],
			'no secret'     => [ static function ( string $token ): string { return substr( $token, 0, 17 ); } ],
			'other id'      => [ static function ( string $token ): string { return str_repeat( '0', 16 ) . substr( $token, 16 ); } ],
			'path as id'    => [ static function ( string $token ): string { return '../../in-flight.' . substr( $token, 17 ); } ],
			'line break'    => [ static function ( string $token ): string { return $token . "\n"; } ],
			'array'         => [ static function ( string $token ): array { return [ $token ]; } ],
		];
	}

	public function test_the_ticket_of_the_panel_admits_several_pages_as_a_visitor(): void {
		$token = Ticket::issue_for_panel();
		foreach ( [ '/', '/wp-login.php' ] as $page ) {
			$ticket = self::request( $page, $token );
			self::assertSame( 0, $ticket->user() );
			self::assertTrue( $ticket->redeem() );
		}
		Ticket::collect( $token );
		self::assertNull( self::request( '/', $token ) );
	}

	public function test_the_update_reads_how_the_request_ended(): void {
		$token  = Ticket::issue( 1, [], 'https://example.com/' );
		$ticket = self::request( '/', $token );
		$ticket->redeem();
		self::assertNull( Ticket::read_report( $token ) );
		$ticket->report( [ 'is_finished' => false, 'fatal' => null ] );
		$ticket->report( [ 'is_finished' => true, 'fatal' => null ] );
		self::assertSame( [ 'is_finished' => true, 'fatal' => null ], Ticket::collect( $token ) );
		// The update does not wait for this request any more.
		$ticket->report( [ 'is_finished' => true ] );
		self::assertNull( Ticket::read_report( $token ) );
	}

	public function test_there_is_no_ticket_if_it_cannot_be_stored(): void {
		rmdir( State::folder() );
		self::assertSame( '', Ticket::issue( 1, [], 'https://example.com/' ) );
		self::assertNull( Ticket::collect( '' ) );
	}

	/** @param mixed $token Value of the parameter. */
	private static function request( string $address, $token, string $method = 'GET' ): ?Ticket {
		$_GET                      = [ Ticket::PARAMETER => $token ];
		$_SERVER['REQUEST_METHOD'] = $method;
		$_SERVER['REQUEST_URI']    = $address . ( false === strpos( $address, '?' ) ? '?' : '&' ) . http_build_query( $_GET );
		return Ticket::from_request();
	}
}
