<?php
/**
 * @package Steward
 */

namespace Steward\Test;

use PHPUnit\Framework\TestCase;
use Steward\Watchdog\Journal;
use Steward\Watchdog\State;

final class Journal_Test extends TestCase {

	protected function setUp(): void {
		Site_Folder::reset();
	}

	public function test_there_is_none_without_an_update(): void {
		self::assertNull( Journal::read() );
		self::assertNull( Journal::awaited_call() );
		self::assertFalse( Journal::is_retry_delayed() );
		self::assertSame( [], Journal::stop_waiting() );
	}

	public function test_items_are_in_the_order_of_the_update(): void {
		self::assertTrue( Journal::add( self::item( 'alpha' ), 'web-1' ) );
		++Clock::$now;
		self::assertTrue( Journal::add( self::item( 'beta' ) + [ 'saved' => [ 'version' => '1.0' ] ], 'web-1' ) );
		$journal = Journal::read();
		self::assertSame( [ self::item( 'alpha' ), self::item( 'beta' ) + [ 'saved' => [ 'version' => '1.0' ] ] ], $journal['items'] );
		self::assertSame( [ Clock::$now, 'web-1' ], [ $journal['started'], $journal['host'] ] );
	}

	public function test_removed_items_are_not_restored_and_the_last_one_ends_the_journal(): void {
		foreach ( [ 'alpha', 'beta', 'gamma' ] as $name ) {
			Journal::add( self::item( $name ), '' );
		}
		Journal::remove( [ '/backup/alpha', '/backup/gamma' ] );
		self::assertSame( [ self::item( 'beta' ) ], Journal::read()['items'] );
		Journal::remove( [ '/backup/unknown' ] );
		self::assertSame( [ self::item( 'beta' ) ], Journal::read()['items'] );
		Journal::remove( [ '/backup/beta' ] );
		self::assertNull( Journal::read() );
	}

	/** A killed request leaves the temporary file, never half a journal. */
	public function test_an_interrupted_write_keeps_the_journal(): void {
		Journal::add( self::item( 'alpha' ), '' );
		$file = State::file( 'in-flight.json' );
		file_put_contents( dirname( $file ) . '/new-' . basename( $file ), '<?php exit; ?>' . "\n" . '{"items":[' );
		self::assertSame( [ self::item( 'alpha' ) ], Journal::read()['items'] );
		Journal::add( self::item( 'beta' ), '' );
		self::assertCount( 2, Journal::read()['items'] );
	}

	/** @dataProvider unusable_journals */
	public function test_an_unusable_journal_restores_nothing( array $content ): void {
		State::write( 'in-flight.json', $content );
		self::assertNull( Journal::read() );
	}

	public static function unusable_journals(): array {
		$journal = [ 'started' => 1, 'host' => '', 'items' => [] ];
		return [
			'empty'                    => [ [] ],
			'without items'            => [ [ 'started' => 1, 'host' => '' ] ],
			'with items of other type' => [ [ 'items' => 'alpha' ] + $journal ],
			'item without a backup'    => [ [ 'items' => [ array_diff_key( self::item( 'alpha' ), [ 'backup' => 0 ] ) ] ] + $journal ],
		];
	}

	public function test_the_journal_of_a_copied_site_is_ignored(): void {
		Journal::add( self::item( 'alpha' ), '' );
		$file = State::file( 'in-flight.json' );
		file_put_contents( $file, str_replace( basename( ABSPATH ), 'original-site', file_get_contents( $file ) ) );
		self::assertNull( Journal::read() );
	}

	public function test_an_update_waits_for_the_verdict_of_the_panel(): void {
		Journal::add( self::item( 'alpha' ), '' );
		$call = Journal::await_verdict( '', [ '/backup/alpha' ] );
		self::assertMatchesRegularExpression( '/^[0-9a-f]{32}$/', $call );
		self::assertSame( $call, Journal::awaited_call() );
		Clock::$now += 70;
		self::assertSame( 70, Journal::seconds_waiting() );
		self::assertSame( [ '/backup/alpha' ], Journal::stop_waiting() );
		self::assertNull( Journal::awaited_call() );
		self::assertSame( [ self::item( 'alpha' ) ], Journal::read()['items'] );
	}

	public function test_a_failed_restore_is_repeated_after_a_minute_or_by_the_next_update(): void {
		Journal::add( self::item( 'alpha' ), '' );
		Journal::delay_retry();
		Clock::$now += 59;
		self::assertTrue( Journal::is_retry_delayed() );
		++Clock::$now;
		self::assertFalse( Journal::is_retry_delayed() );
		Journal::delay_retry();
		Journal::add( self::item( 'beta' ), '' );
		self::assertFalse( Journal::is_retry_delayed() );
	}

	private static function item( string $name ): array {
		return [
			'label'    => $name,
			'path'     => "/plugins/$name",
			'new_path' => "/plugins/$name",
			'backup'   => "/backup/$name",
		];
	}
}
