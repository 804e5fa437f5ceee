<?php
/**
 * @package Steward
 */

namespace Steward\Test;

use PHPUnit\Framework\TestCase;
use Steward\Health\Page;
use Steward\Health\Page_Result;
use Steward\Health\Page_Text;

final class Page_Result_Test extends TestCase {

	private const HOME = 'https://example.com/';

	private const REPORT = [
		'is_finished'   => true,
		'runs_old_code' => false,
		'user'          => 0,
		'fatal'         => null,
	];

	protected function setUp(): void {
		Site_Folder::reset();
	}

	public function test_an_unchanged_page_has_no_error(): void {
		self::assertNull( self::result()->error_since( self::result(), self::page(), false ) );
	}

	/** @dataProvider errors */
	public function test_a_new_error_is_described( array $after, string $error, array $before = [], array $page = [] ): void {
		self::assertSame( $error, self::result( $after )->error_since( self::result( $before ), self::page( ...$page ), false ) );
	}

	public static function errors(): array {
		$signed_in = [ 'report' => [ 'user' => 1 ] + self::REPORT ];
		return [
			'no response'               => [ [ 'status' => 0, 'failure' => 'timed out' ], 'no response (timed out)' ],
			'redirect loop'             => [ [ 'status' => 302, 'is_redirect_loop' => true ], 'redirect loop' ],
			'server error'              => [ [ 'status' => 500 ], 'HTTP status 500' ],
			'server error on JSON'      => [ [ 'status' => 502 ], 'HTTP status 502', [], [ Page::JSON ] ],
			'page that is now refused'  => [ [ 'status' => 403 ], 'HTTP status 403' ],
			'user that is signed out'   => [ [], 'a signed-in user is no longer recognized', $signed_in, [ Page::HTML, 1 ] ],
			'redirect to another host'  => [ [ 'redirect_url' => 'https://elsewhere.example/' ], 'redirects to https://elsewhere.example' ],
			'redirect to the login'     => [ [ 'redirect_url' => self::HOME . 'wp-login.php?x' ], 'redirects to ' . self::HOME . 'wp-login.php' ],
			'incomplete page'           => [ [ 'is_complete' => false ], 'incomplete page' ],
			'JSON after a warning'      => [ [ 'is_complete' => false, 'printed_before' => 'Warning: x' ], 'the response begins with “Warning: x”', [], [ Page::JSON ] ],
			'incomplete JSON'           => [ [ 'is_complete' => false ], 'incomplete page', [], [ Page::JSON ] ],
			'almost empty page'         => [ [ 'size' => 199 ], 'almost empty: 199 bytes instead of 1000' ],
		];
	}

	/** @dataProvider accepted_changes */
	public function test_other_changes_are_accepted( array $after, array $before = [], array $page = [] ): void {
		self::assertNull( self::result( $after )->error_since( self::result( $before ), self::page( ...$page ), false ) );
	}

	public static function accepted_changes(): array {
		$login = [ Page::HTML, 0, self::HOME . 'wp-login.php' ];
		return [
			'page that was refused before'    => [ [ 'status' => 404 ], [ 'status' => 403 ] ],
			'closed REST API'                 => [ [ 'status' => 401 ], [], [ Page::JSON ] ],
			'welcome page'                    => [ [ 'redirect_url' => self::HOME . 'welcome/', 'size' => 10 ] ],
			'same redirect to another host'   => [ [ 'redirect_url' => 'https://elsewhere.example/' ], [ 'redirect_url' => 'https://elsewhere.example/' ] ],
			'login page that redirects there' => [ [ 'redirect_url' => self::HOME . 'wp-login.php?x' ], [], $login ],
			'visitor of a page for a user'    => [ [], [], [ Page::HTML, 1 ] ],
			'page that was incomplete before' => [ [ 'is_complete' => false ], [ 'is_complete' => false ] ],
			'smaller page'                    => [ [ 'size' => 200 ] ],
			'broken feed'                     => [ [ 'is_complete' => false ], [], [ Page::FEED ] ],
			'short text'                      => [ [ 'size' => 1 ], [], [ Page::TEXT ] ],
		];
	}

	/** @dataProvider changes_by_a_switch */
	public function test_a_switched_plugin_may_change_pages_but_not_break_them( array $after, ?string $error ): void {
		self::assertSame( $error, self::result( $after )->error_since( self::result(), self::page(), true ) );
	}

	public static function changes_by_a_switch(): array {
		return [
			'refused page'    => [ [ 'status' => 403 ], null ],
			'redirect'        => [ [ 'redirect_url' => 'https://elsewhere.example/' ], null ],
			'small page'      => [ [ 'size' => 1 ], null ],
			'server error'    => [ [ 'status' => 500 ], 'HTTP status 500' ],
			'incomplete page' => [ [ 'is_complete' => false ], 'incomplete page' ],
		];
	}

	/** @dataProvider fatal_errors */
	public function test_a_fatal_error_is_one_line_without_the_path_of_the_site( array $fatal, string $error ): void {
		$result = self::result( [ 'status' => 200, 'report' => [ 'fatal' => $fatal ] + self::REPORT ] );
		self::assertSame( $error, $result->error_since( self::result(), self::page(), true ) );
	}

	public static function fatal_errors(): array {
		$file = ABSPATH . 'wp-content/plugins/shop/shop.php';
		return [
			'message and file'      => [ [ 'message' => "Boom\nStack trace: …", 'file' => $file, 'line' => 3 ], 'Boom (wp-content/plugins/shop/shop.php:3)' ],
			'message with the file' => [ [ 'message' => "Uncaught Error: Boom in $file:3", 'file' => $file, 'line' => 3 ], 'Uncaught Error: Boom in wp-content/plugins/shop/shop.php:3' ],
			'message only'          => [ [ 'message' => 'Boom' ], 'Boom' ],
		];
	}

	/** @dataProvider inconclusive_results */
	public function test_a_result_is_inconclusive_if_it_does_not_show_whether_the_code_works( Page_Result $result, bool $is_inconclusive ): void {
		self::assertSame( $is_inconclusive, $result->is_inconclusive() );
	}

	public static function inconclusive_results(): array {
		$fatal = [ 'fatal' => [ 'message' => 'Boom' ] ] + self::REPORT;
		return [
			'page of WordPress'        => [ self::result(), false ],
			'skipped'                  => [ Page_Result::skipped(), true ],
			'page of a cache'          => [ self::result( [ 'report' => null ] ), true ],
			'refusal of a firewall'    => [ self::result( [ 'status' => 403, 'report' => null ] ), true ],
			'error of the web server'  => [ self::result( [ 'status' => 500, 'report' => null ] ), false ],
			'busy web server'          => [ self::result( [ 'status' => 503, 'report' => null ] ), true ],
			'no response'              => [ self::result( [ 'status' => 0, 'report' => null ] ), false ],
			'rate limit'               => [ self::result( [ 'status' => 429 ] ), true ],
			'maintenance mode'         => [ self::result( [ 'status' => 503 ] ), true ],
			'fatal error, sent as 503' => [ self::result( [ 'status' => 503, 'report' => $fatal ] ), false ],
		];
	}

	/** @dataProvider baselines */
	public function test_only_a_working_page_can_be_compared( array $before, bool $is_comparable ): void {
		self::assertSame( $is_comparable, self::result( $before )->is_comparable() );
	}

	public static function baselines(): array {
		return [
			'page of WordPress' => [ [], true ],
			'refused page'      => [ [ 'status' => 403 ], true ],
			'page of a cache'   => [ [ 'report' => null ], false ],
			'fatal error'       => [ [ 'report' => [ 'fatal' => [ 'message' => 'Boom' ] ] + self::REPORT ], false ],
			'server error'      => [ [ 'status' => 503 ], false ],
			'redirect loop'     => [ [ 'is_redirect_loop' => true ], false ],
		];
	}

	/** @dataProvider importances */
	public function test_a_page_is_refused_only_if_the_site_needs_it( string $importance, ?string $error, array $differences ): void {
		$page = self::page()->with_importance( $importance );
		self::assertSame( $error, self::result( [ 'status' => 404 ] )->error_since( self::result(), $page, false ) );
		self::assertSame( $differences, self::result( [ 'status' => 404 ] )->differences_since( self::result(), $page ) );
	}

	public static function importances(): array {
		$difference = [ [ 'kind' => 'status', 'detail' => '404' ] ];
		return [
			'home page'                => [ Page::REQUIRED, 'HTTP status 404', $difference ],
			'marked page'              => [ Page::MARKED, 'HTTP status 404', $difference ],
			'login page'               => [ Page::COMMON, null, $difference ],
			'page of an item that moved' => [ Page::EXTRA, null, $difference ],
		];
	}

	/** @dataProvider timeouts */
	public function test_a_timeout_is_a_fault_only_if_php_was_free( array $properties, bool $is_inconclusive ): void {
		self::assertSame( $is_inconclusive, self::result( $properties + [ 'status' => 0, 'failure' => 'Operation timed out', 'report' => null ] )->is_inconclusive() );
	}

	public static function timeouts(): array {
		return [
			'alone, started at once' => [ [ 'is_requested_alone' => true, 'is_started_at_once' => true ], false ],
			'alone, waited for PHP'  => [ [ 'is_requested_alone' => true ], true ],
			'beside other pages'     => [ [ 'is_started_at_once' => true ], true ],
		];
	}

	public function test_a_page_varies_if_two_requests_differ_as_much_as_from_before(): void {
		$text   = static function ( string $words, array $more = [] ): Page_Result {
			return self::result( [ 'text' => new Page_Text( str_repeat( "$words ", 10 ) ) ] + $more );
		};
		$before = $text( 'our books are bound' );
		self::assertTrue( $text( 'lamps chairs tables' )->varies_since( $text( 'beds sofas desks' ), $before ) );
		self::assertFalse( $text( 'lamps chairs tables' )->varies_since( $before, $before ), 'The first request showed the page as before.' );
		self::assertFalse( $text( 'lamps chairs tables' )->varies_since( $text( 'lamps chairs tables' ), $before ), 'Both requests show the same.' );
		self::assertFalse( $text( 'lamps chairs tables' )->varies_since( $text( 'beds sofas desks', [ 'report' => [ 'runs_old_code' => true ] + self::REPORT ] ), $before ) );
		self::assertFalse( $text( 'lamps chairs tables' )->varies_since( $text( 'beds sofas desks', [ 'redirect_url' => self::HOME . 'welcome/' ] ), $before ) );
	}

	public function test_a_timeout_is_no_other_failure(): void {
		self::assertTrue( self::result( [ 'status' => 0, 'failure' => 'Operation timed out after 10000 milliseconds' ] )->is_timed_out() );
		self::assertFalse( self::result( [ 'status' => 0, 'failure' => 'Connection refused' ] )->is_timed_out() );
		self::assertFalse( self::result()->is_timed_out() );
	}

	public function test_a_request_that_did_not_report_its_end_is_cut_short_unless_it_was_before(): void {
		$cut = self::result( [ 'report' => [ 'is_finished' => false ] + self::REPORT ] );
		self::assertTrue( $cut->is_cut_short_since( self::result() ) );
		self::assertFalse( $cut->is_cut_short_since( $cut ) );
		self::assertFalse( self::result()->is_cut_short_since( self::result() ) );
	}

	/** @dataProvider differences */
	public function test_a_difference_is_described( array $after, array $differences, array $before = [], array $page = [] ): void {
		self::assertSame( $differences, self::result( $after )->differences_since( self::result( $before ), self::page( ...$page ) ) );
	}

	public static function differences(): array {
		$text    = static function ( string $words, string $heading = 'Paper' ): array {
			return [ 'text' => new Page_Text( "<title>Shop</title><h1>$heading</h1><p>$words</p>" ) ];
		};
		$long    = 'books bound by hand in a small workshop near the river as they were a century ago with paper from the mill and ink';
		$other   = 'the service could not be reached please contact support or try again later we are sorry for any trouble this has caused';
		$outputs = static function ( array $counts ): array {
			return [ 'report' => [ 'outputs' => $counts ] + self::REPORT ];
		};
		$address = [ 'redirect_url' => self::HOME . 'setup/?step=1' ];
		return [
			'nothing'                     => [ $text( $long ), [], $text( $long ) ],
			'other text'                  => [ $text( $other ), [ [ 'kind' => 'text', 'percent' => 13 ] ], $text( $long ) ],
			'text that always varies'     => [ $text( $other ) + [ 'varies' => true ], [], $text( $long ) ],
			'empty block, varying text'   => [ $text( $other ) + [ 'varies' => true ] + $outputs( [ 'shop/list' => 0 ] ), [ [ 'kind' => 'output_empty', 'detail' => 'shop/list' ] ], $text( $long ) + $outputs( [ 'shop/list' => 2 ] ) ],
			'refused feed'                => [ [ 'status' => 404 ], [ [ 'kind' => 'status', 'detail' => '404' ] ], [], [ Page::FEED ] ],
			'other heading'               => [ $text( $long, 'Ink' ), [ [ 'kind' => 'heading', 'is_note' => true ] ], $text( $long ) ],
			'heading for a user'          => [ $text( $long, 'Ink' ), [], $text( $long ), [ Page::HTML, 1 ] ],
			'block that renders empty'    => [ $outputs( [ 'shop/list' => 0 ] ), [ [ 'kind' => 'output_empty', 'detail' => 'shop/list' ] ], $outputs( [ 'shop/list' => 2 ] ) ],
			'shortcode of a cached part'  => [ $outputs( [] ), [], $outputs( [ '[shop]' => 1 ] ) ],
			'block that was empty before' => [ $outputs( [] ), [], $outputs( [ 'shop/list' => 0 ] ) ],
			'fewer blocks'                => [ $outputs( [ 'shop/list' => 1 ] ), [], $outputs( [ 'shop/list' => 9 ] ) ],
			'no counts'                   => [ [], [], $outputs( [ 'shop/list' => 2 ] ) ],
			'other address'               => [ $address, [ [ 'kind' => 'address', 'detail' => self::HOME . 'setup' ] ] ],
			'same address, other query'   => [ [ 'redirect_url' => self::HOME . 'setup/?step=2' ], [], $address ],
			'other address of JSON'       => [ $address, [], [], [ Page::JSON ] ],
			'refused REST route'          => [ [ 'status' => 401 ], [ [ 'kind' => 'status', 'detail' => '401', 'is_note' => true ] ], [], [ Page::JSON ] ],
			'broken feed'                 => [ [ 'is_complete' => false, 'printed_before' => 'BOM' ], [ [ 'kind' => 'incomplete', 'detail' => 'BOM' ] ], [], [ Page::FEED ] ],
		];
	}

	/** Returns the result of a working page, with some other properties. */
	private static function result( array $properties = [] ): Page_Result {
		$result = new Page_Result();
		foreach ( $properties + [ 'status' => 200, 'is_complete' => true, 'size' => 1000, 'report' => self::REPORT ] as $name => $value ) {
			$result->$name = $value;
		}
		return $result;
	}

	private static function page( string $kind = Page::HTML, int $user = 0, string $url = self::HOME ): Page {
		return new Page( 'the page', $url, $kind, $user );
	}
}
