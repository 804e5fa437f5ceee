<?php
/**
 * @package Steward
 */

namespace Steward\Test;

use PHPUnit\Framework\TestCase;
use Steward\Health\Check_Report;
use Steward\Health\Page;
use Steward\Health\Page_Result;
use Steward\Health\Site_Pages;

final class Check_Report_Test extends TestCase {

	public function test_a_change_is_verified_if_all_planned_pages_were_compared(): void {
		$report = new Check_Report( 2 );
		$report->add_compared( self::page(), [] );
		$report->add_reason( 'the host is slow' );
		self::assertFalse( $report->verdict()->is_verified() );
		self::assertSame( [ 'pages_planned' => 2, 'pages_compared' => 1, 'reason' => 'the host is slow' ], $report->to_array() );
		$report->add_compared( self::page(), [] );
		self::assertTrue( $report->verdict()->is_verified() );
		self::assertSame( [ 'pages_planned' => 2, 'pages_compared' => 2 ], $report->to_array() );
	}

	public function test_a_difference_leaves_the_change_unverified_and_a_note_does_not(): void {
		$report = new Check_Report( 1 );
		$report->add_compared( self::page(), [ [ 'kind' => 'title', 'is_note' => true ] ] );
		self::assertTrue( $report->verdict()->is_verified() );
		$report->add_difference( '', [ 'kind' => 'entries', 'detail' => '3' ] );
		self::assertFalse( $report->verdict()->is_verified() );
		self::assertSame( [ [ 'page' => 'the home page', 'kind' => 'title' ] ], $report->to_array()['notes'] );
		self::assertSame( [ [ 'page' => '', 'kind' => 'entries', 'detail' => '3' ] ], $report->to_array()['differences'] );
	}

	public function test_nothing_is_verified_or_reported_if_no_page_was_planned(): void {
		self::assertFalse( ( new Check_Report() )->verdict()->is_verified() );
		self::assertNull( ( new Check_Report() )->to_array() );
	}

	public function test_the_report_keeps_the_limits_of_the_protocol(): void {
		$report = new Check_Report( 1 );
		for ( $i = 0; $i < 30; $i++ ) {
			$report->add_difference( 'a page', [ 'kind' => 'output_empty', 'detail' => str_repeat( 'x', 1000 ) ] );
		}
		self::assertCount( 20, $report->to_array()['differences'] );
		self::assertSame( 300, strlen( $report->to_array()['differences'][0]['detail'] ) );
	}

	/** @dataProvider results */
	public function test_the_reason_names_the_cause( array $result, string $reason ): void {
		$page        = self::page();
		$page_result = new Page_Result();
		foreach ( $result as $name => $value ) {
			$page_result->$name = $value;
		}
		self::assertSame( $reason, Check_Report::explain( $page, $page_result ) );
	}

	public static function results(): array {
		$timed_out = [ 'failure' => 'cURL error 28: Operation timed out after 10000 milliseconds' ];
		return [
			'old code'             => [ [ 'report' => [ 'runs_old_code' => true ] ], 'PHP still runs the old code: restart PHP' ],
			'one request at a time' => [ $timed_out, 'this host answers one request at a time' ],
			'slow page'            => [ $timed_out + [ 'is_started_at_once' => true ], 'the home page did not respond in time' ],
			'no connection'        => [ [ 'failure' => 'Connection refused' ], 'the site cannot connect to itself (Connection refused)' ],
			'firewall'             => [ [ 'status' => 403 ], 'the site cannot open the home page itself (HTTP status 403)' ],
			'cache'                => [ [ 'status' => 200 ], 'a cache or a server in front of WordPress sent the home page' ],
			'out of time'          => [ [ 'is_skipped' => true ], 'the pages of this site are too slow' ],
			'cut short'            => [ [ 'status' => 200, 'report' => [ 'is_finished' => false ] ], 'PHP did not finish the home page' ],
		];
	}

	/** @dataProvider paths */
	public function test_a_marked_page_only_opens_a_page_of_the_site( $path, bool $is_valid ): void {
		self::assertSame( $is_valid ? [ $path ] : [], Site_Pages::valid_paths( [ $path ] ) );
	}

	public static function paths(): array {
		return [
			[ '/checkout/', true ],
			[ '/?page_id=7', true ],
			[ '/shop/?filter=red&sort=price', true ],
			[ 'https://elsewhere.example/', false ],
			[ '//elsewhere.example/', false ],
			[ '/\\elsewhere.example/', false ],
			[ 'checkout/', false ],
			[ '/wp-admin/post.php?post=1&action=trash', false ],
			[ '/?_wpnonce=abc', false ],
			[ '/?shop-nonce=abc', false ],
			[ '/?a=1&action[]=delete', false ],
			[ '/?%61ction=delete', false ],
			[ '/cart/?remove_item=7', false ],
			[ '/shop/../wp-admin/', false ],
			[ '/shop/%2e%2E/wp-admin/', false ],
			[ '/a..b/', true ],
			[ "/a\nb", false ],
			[ '/' . str_repeat( 'a', 500 ), false ],
			[ 7, false ],
			[ [ '/' ], false ],
		];
	}

	public function test_further_marked_pages_are_left_out(): void {
		self::assertCount( 5, Site_Pages::valid_paths( array_map( static fn( int $i ) => "/$i/", range( 1, 9 ) ) ) );
		self::assertSame( [], Site_Pages::valid_paths( '/checkout/' ) );
		self::assertSame( [], Site_Pages::valid_paths( null ) );
	}

	private static function page(): Page {
		return new Page( 'the home page', 'https://example.com/' );
	}
}
