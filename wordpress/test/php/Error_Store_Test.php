<?php
/**
 * @package Steward
 */

namespace Steward\Test;

use PHPUnit\Framework\TestCase;
use Steward\Watchdog\Error_Group;
use Steward\Watchdog\Error_Store;
use Steward\Watchdog\Error_Watch;
use Steward\Watchdog\State;

final class Error_Store_Test extends TestCase {

	public static function setUpBeforeClass(): void {
		Error_Watch::load();
	}

	protected function setUp(): void {
		Site_Folder::reset();
	}

	private static function group( string $message = 'Oops' ): Error_Group {
		$group               = new Error_Group();
		$group->type         = 'plugin';
		$group->slug         = 'shop/shop.php';
		$group->version      = '2.0';
		$group->message      = $message;
		$group->place        = 'shop.php:3';
		$group->request_kind = Error_Watch::FRONT;
		return $group;
	}

	private static function add_many( int $count, bool $is_confirmed, string $prefix ): void {
		for ( $number = 0; $number < $count; $number++ ) {
			Error_Store::add( self::group( "$prefix $number" ), $is_confirmed );
		}
	}

	/** Returns how many of the next minutes have an immediate report. */
	private static function count_reports( int $minutes, bool $is_confirmed, string $prefix ): int {
		$count = 0;
		for ( $minute = 0; $minute < $minutes; $minute++ ) {
			Error_Store::add( self::group( "$prefix $minute" ), $is_confirmed, true );
			if ( Error_Store::claim_report() ) {
				++$count;
				Error_Store::mark_reported( Error_Store::due_number() );
			}
			Clock::$now += 60;
		}
		return $count;
	}

	public function test_equal_errors_are_counted_together(): void {
		Error_Store::add( self::group(), false );
		Clock::$now += 60;
		Error_Store::add( self::group(), false );
		$report = Error_Store::build_report();
		self::assertSame( gmdate( 'Y-m-d\TH:i:s\Z', Clock::$now ), $report['now'] );
		self::assertSame( 0, $report['dropped'] );
		self::assertCount( 1, $report['groups'] );
		self::assertEquals(
			[
				'type'         => 'plugin',
				'slug'         => 'shop/shop.php',
				'version'      => '2.0',
				'message'      => 'Oops',
				'place'        => 'shop.php:3',
				'request_kind' => 'front',
				'via'          => [],
				'is_confirmed' => false,
				'count'        => 2,
				'first_at'     => gmdate( 'Y-m-d\TH:i:s\Z', Clock::$now - 60 ),
				'last_at'      => gmdate( 'Y-m-d\TH:i:s\Z', Clock::$now ),
			],
			$report['groups'][0]
		);
	}

	public function test_a_confirmed_error_is_news_once_and_stays_confirmed(): void {
		Error_Store::add( self::group(), false, true );
		Error_Store::add( self::group(), true, true );
		$number = Error_Store::due_number();
		Error_Store::add( self::group(), true, true );
		Error_Store::add( self::group(), false, true );
		self::assertSame( [ 2, 2 ], [ $number, Error_Store::due_number() ] );
		self::assertTrue( Error_Store::build_report()['groups'][0]['is_confirmed'] );
	}

	public function test_half_of_the_groups_is_reserved_for_confirmed_errors(): void {
		self::add_many( 60, false, 'Stranger' );
		self::assertSame( 10, Error_Store::build_report()['dropped'] );
		self::assertCount( 50, Error_Store::build_report()['groups'] );
		self::add_many( 50, true, 'Administrator' );
		self::assertSame( 10, Error_Store::build_report()['dropped'] );
		self::add_many( 1, true, 'Another' );
		$report = Error_Store::build_report();
		self::assertSame( 11, $report['dropped'] );
		self::assertCount( 100, $report['groups'] );
		// Known groups are still counted.
		Error_Store::add( self::group( 'Stranger 3' ), false );
		self::assertSame( 2, array_column( Error_Store::build_report()['groups'], 'count', 'message' )['Stranger 3'] );
	}

	public function test_groups_that_no_longer_occur_make_room(): void {
		self::add_many( 60, false, 'Old' );
		Clock::$now += 2 * 86400;
		Error_Store::add( self::group( 'New' ), false );
		$report = Error_Store::build_report();
		self::assertSame( [ 'New' ], array_column( $report['groups'], 'message' ) );
		self::assertSame( 0, $report['dropped'] );
		Clock::$now += 30 * 86400;
		self::assertSame( [], Error_Store::build_report()['groups'] );
	}

	public function test_reports_are_limited_and_half_is_reserved_for_confirmed_errors(): void {
		self::assertFalse( Error_Store::claim_report() );
		self::assertSame( 10, self::count_reports( 30, false, 'Stranger' ) );
		self::assertSame( 10, self::count_reports( 30, true, 'Administrator' ) );
		Clock::$now += 86400;
		self::assertSame( 20, self::count_reports( 30, true, 'Next day' ) );
	}

	public function test_there_is_one_report_a_minute(): void {
		Error_Store::add( self::group( 'One' ), true, true );
		self::assertTrue( Error_Store::claim_report() );
		Clock::$now += 20;
		self::assertSame( 40, Error_Store::seconds_until_report() );
		self::assertFalse( Error_Store::claim_report() );
		Clock::$now += 40;
		self::assertTrue( Error_Store::claim_report() );
	}

	public function test_news_that_occur_during_a_report_stay_due(): void {
		Error_Store::add( self::group( 'One' ), true, true );
		$number = Error_Store::due_number();
		Error_Store::add( self::group( 'Two' ), true, true );
		Error_Store::mark_reported( $number );
		self::assertSame( 0, Error_Store::seconds_until_report() );
		Error_Store::mark_reported( Error_Store::due_number() );
		self::assertNull( Error_Store::seconds_until_report() );
	}

	public function test_a_report_waits_for_a_running_check_unless_the_error_is_confirmed(): void {
		Error_Store::add( self::group( 'One' ), false, true );
		self::assertTrue( Error_Store::begin_check( self::group( 'One' )->key() ) );
		self::assertSame( 30, Error_Store::seconds_until_report() );
		Error_Store::confirm( self::group( 'One' )->key() );
		self::assertSame( 0, Error_Store::seconds_until_report() );
		self::assertTrue( Error_Store::build_report()['groups'][0]['is_confirmed'] );
		Error_Store::add( self::group( 'Two' ), false, true );
		Error_Store::begin_check( self::group( 'Two' )->key() );
		self::assertSame( 0, Error_Store::seconds_until_report() );
	}

	public function test_a_group_is_checked_once_an_hour_and_one_at_a_time(): void {
		self::add_many( 2, false, 'Stranger' );
		[ $first, $second ] = [ self::group( 'Stranger 0' )->key(), self::group( 'Stranger 1' )->key() ];
		self::assertFalse( Error_Store::begin_check( 'unknown' ) );
		self::assertTrue( Error_Store::begin_check( $first ) );
		self::assertFalse( Error_Store::begin_check( $second ) );
		Error_Store::end_check();
		self::assertFalse( Error_Store::begin_check( $first ) );
		self::assertTrue( Error_Store::begin_check( $second ) );
		// There was no room for all of its requests.
		Error_Store::end_check( $second );
		self::assertTrue( Error_Store::begin_check( $second ) );
		Clock::$now += 3600;
		self::assertTrue( Error_Store::begin_check( $first ) );
	}

	public function test_ten_requests_an_hour_are_for_checks(): void {
		for ( $number = 0; $number < 10; $number++ ) {
			self::assertTrue( Error_Store::claim_check_request() );
			Clock::$now += 60;
		}
		self::assertFalse( Error_Store::claim_check_request() );
		Clock::$now += 3600 - 10 * 60;
		self::assertTrue( Error_Store::claim_check_request() );
		self::assertFalse( Error_Store::claim_check_request() );
	}

	public function test_a_check_starts_only_if_the_limit_leaves_room_for_it(): void {
		self::add_many( 1, false, 'Visitor' );
		$key = self::group( 'Visitor 0' )->key();
		for ( $number = 0; $number < 9; $number++ ) {
			Error_Store::claim_check_request();
		}
		self::assertFalse( Error_Store::begin_check( $key ) );
		Clock::$now += 3600;
		// The check that did not start does not delay this one, whose first request is counted.
		self::assertTrue( Error_Store::begin_check( $key ) );
		self::assertCount( 1, State::read( 'errors.json' )['checks'] );
	}

	public function test_a_check_that_did_not_start_can_start_within_the_hour(): void {
		for ( $number = 0; $number < 10; $number++ ) {
			Error_Store::claim_check_request();
		}
		Clock::$now += 3500;
		self::add_many( 1, false, 'Visitor' );
		self::assertFalse( Error_Store::begin_check( self::group( 'Visitor 0' )->key() ) );
		Clock::$now += 100;
		self::assertTrue( Error_Store::begin_check( self::group( 'Visitor 0' )->key() ) );
	}

	public function test_a_new_group_replaces_the_oldest_that_was_not_reproduced(): void {
		$add = static function ( string $message ): array {
			Error_Store::add( self::group( $message ), false );
			$report = Error_Store::build_report();
			return [ in_array( $message, array_column( $report['groups'], 'message' ), true ), count( $report['groups'] ), $report['dropped'] ];
		};
		self::add_many( 50, false, 'Stranger' );
		Error_Store::begin_check( self::group( 'Stranger 1' )->key() );
		Clock::$now += 29;
		// The result of a running check needs its group.
		self::assertSame( [ false, 50, 1 ], $add( 'Early' ) );
		Clock::$now += 1;
		Error_Store::begin_check( self::group( 'Stranger 0' )->key() );
		Error_Store::add( self::group( 'Stranger 0' ), false );
		Clock::$now += 30;
		self::assertSame( [ true, 50, 2 ], $add( 'First' ) );
		self::assertNotContains( 'Stranger 1', array_column( Error_Store::build_report()['groups'], 'message' ) );
		self::assertSame( [ true, 50, 3 ], $add( 'Second' ) );
		self::assertSame( [ false, 50, 4 ], $add( 'Third' ) );
	}

	public function test_a_report_that_does_not_follow_is_started_once_a_minute(): void {
		self::assertFalse( Error_Store::claim_report_start() );
		Error_Store::add( self::group(), true, true );
		self::assertTrue( Error_Store::claim_report_start() );
		self::assertFalse( Error_Store::claim_report_start() );
		Clock::$now += 59;
		self::assertFalse( Error_Store::claim_report_start() );
		Clock::$now += 1;
		self::assertTrue( Error_Store::claim_report_start() );
	}

	public function test_the_errors_of_the_original_are_not_those_of_a_copy(): void {
		Error_Store::add( self::group(), true );
		State::write( 'errors.json', [ 'state_folder' => '/srv/original' ] + State::read( 'errors.json' ) );
		self::assertSame( [], Error_Store::build_report()['groups'] );
	}

	public function test_a_damaged_file_is_replaced_after_an_hour(): void {
		Error_Store::add( self::group(), true );
		file_put_contents( State::file( 'errors.json' ), 'x' );
		touch( State::file( 'errors.json' ), Clock::$now );
		Error_Store::add( self::group( 'New' ), true );
		self::assertSame( 'x', file_get_contents( State::file( 'errors.json' ) ) );
		self::assertSame( [ 1, [] ], [ Error_Store::build_report()['dropped'], Error_Store::build_report()['groups'] ] );
		Clock::$now += 3600;
		clearstatcache();
		Error_Store::add( self::group( 'New' ), true );
		$report = Error_Store::build_report();
		self::assertSame( [ 1, [ 'New' ] ], [ $report['dropped'], array_column( $report['groups'], 'message' ) ] );
	}

	public function test_a_request_changes_nothing_while_another_has_the_lock(): void {
		Error_Store::add( self::group(), true );
		$lock = fopen( State::file( 'errors.lock' ), 'c' );
		flock( $lock, LOCK_EX );
		Error_Store::add( self::group( 'New' ), true );
		self::assertFalse( Error_Store::claim_check_request() );
		fclose( $lock );
		self::assertSame( [ 'Oops' ], array_column( Error_Store::build_report()['groups'], 'message' ) );
		Error_Store::add( self::group( 'New' ), true );
		self::assertCount( 2, Error_Store::build_report()['groups'] );
	}
}
