<?php
/**
 * @package Steward
 */

namespace Steward\Test;

use PHPUnit\Framework\TestCase;
use Steward\Watchdog\Files;
use Steward\Watchdog\Journal;
use Steward\Watchdog\State;
use Steward\Watchdog\Undo;

/** The folder `shop` has version 2.0, and its backup version 1.0. */
final class Undo_Test extends TestCase {

	/** @var string */
	private $plugin;

	/** @var string */
	private $backup;

	protected function setUp(): void {
		Site_Folder::reset();
		$this->plugin = Site_Folder::add_plugin( WP_PLUGIN_DIR . '/shop', '2.0' );
		$this->backup = Site_Folder::add_plugin( State::folder() . '/previous-1', '1.0' );
	}

	public function test_a_killed_update_is_undone_once(): void {
		$this->record( State::host() );
		Undo::restore_interrupted();
		self::assertSame( '1.0', Site_Folder::read_version( $this->plugin ) );
		self::assertNull( Journal::read() );
		self::assertStringContainsString( 'the update of shop was interrupted; restored its previous version.', Site_Folder::read_log() );
		self::assertSame( [ 'shop' ], array_values( Files::list_names( WP_PLUGIN_DIR ) ) );
		self::assertSame( [ 'lock' ], array_values( Files::list_names( State::folder() ) ) );
		Undo::restore_interrupted();
		self::assertSame( '1.0', Site_Folder::read_version( $this->plugin ) );
	}

	public function test_a_running_update_is_left_alone(): void {
		$this->record( State::host() );
		$lock = fopen( State::file( 'lock' ), 'ce' );
		flock( $lock, LOCK_EX );
		Clock::$now += State::MAX_UPDATE_SECONDS + 1;
		Undo::restore_interrupted();
		self::assertSame( '2.0', Site_Folder::read_version( $this->plugin ) );
		fclose( $lock );
		Undo::restore_interrupted();
		self::assertSame( '1.0', Site_Folder::read_version( $this->plugin ) );
	}

	/** The lock of another web server may not be visible here. */
	public function test_an_update_of_another_host_is_undone_after_15_minutes(): void {
		$this->record( 'another-web-server' );
		Clock::$now += State::MAX_UPDATE_SECONDS;
		Undo::restore_interrupted();
		self::assertSame( '2.0', Site_Folder::read_version( $this->plugin ) );
		++Clock::$now;
		Undo::restore_interrupted();
		self::assertSame( '1.0', Site_Folder::read_version( $this->plugin ) );
	}

	public function test_an_update_without_a_verdict_is_kept_after_10_minutes(): void {
		$this->record( State::host() );
		Journal::await_verdict( '', [ $this->backup ] );
		Clock::$now += 599;
		Undo::restore_interrupted();
		self::assertNotNull( Journal::awaited_call() );
		++Clock::$now;
		Undo::restore_interrupted();
		self::assertNull( Journal::read() );
		self::assertSame( '2.0', Site_Folder::read_version( $this->plugin ) );
		self::assertDirectoryDoesNotExist( $this->backup );
	}

	public function test_an_item_that_did_not_wait_for_the_verdict_is_undone(): void {
		$this->record( State::host() );
		Journal::await_verdict( '', [] );
		Undo::keep_new_versions();
		self::assertNotNull( Journal::read() );
		Undo::restore_interrupted();
		self::assertSame( '1.0', Site_Folder::read_version( $this->plugin ) );
	}

	public function test_a_copy_of_the_site_leaves_the_files_alone(): void {
		$this->record( State::host() );
		$file = State::file( 'in-flight.json' );
		file_put_contents( $file, str_replace( json_encode( State::folder() ), '"/srv/original/steward-state"', file_get_contents( $file ) ) );
		Undo::restore_interrupted();
		self::assertSame( [ '2.0', '1.0' ], [ Site_Folder::read_version( $this->plugin ), Site_Folder::read_version( $this->backup ) ] );
	}

	public function test_an_update_that_was_killed_before_the_swap_changes_nothing(): void {
		rename( $this->backup, $this->backup . '-elsewhere' );
		$this->record( State::host() );
		Undo::restore_interrupted();
		self::assertNull( Journal::read() );
		self::assertSame( '2.0', Site_Folder::read_version( $this->plugin ) );
	}

	public function test_a_new_item_is_deleted(): void {
		$this->record( State::host(), [ 'is_new' => true ] );
		Undo::restore_interrupted();
		self::assertNull( Journal::read() );
		self::assertDirectoryDoesNotExist( $this->plugin );
		self::assertStringContainsString( 'the installation of shop was interrupted; deleted its files.', Site_Folder::read_log() );
	}

	public function test_the_newest_of_several_versions_is_undone_first(): void {
		$this->record( State::host() );
		$second = Site_Folder::add_plugin( State::folder() . '/previous-2', '1.5' );
		$this->record( State::host(), [ 'backup' => $second ] );
		Undo::restore_interrupted();
		self::assertSame( '1.0', Site_Folder::read_version( $this->plugin ) );
	}

	public function test_a_renamed_plugin_gets_its_old_name_as_soon_as_the_database_is_there(): void {
		$this->record( State::host(), [ 'slug' => 'shop/shop.php', 'new_slug' => 'shop/store.php' ] );
		Undo::restore_interrupted();
		self::assertSame( [ [ 'shop/store.php', 'shop/shop.php' ] ], State::read( 'renamed.json' ) );
	}

	public function test_a_failed_restore_keeps_the_new_version_and_is_repeated_after_a_minute(): void {
		$this->record( State::host(), [ 'path' => WP_PLUGIN_DIR . '/missing/shop' ] );
		Undo::restore_interrupted();
		self::assertSame( [ '2.0', '1.0' ], [ Site_Folder::read_version( $this->plugin ), Site_Folder::read_version( $this->backup ) ] );
		self::assertStringContainsString( 'could not restore the previous version of shop', Site_Folder::read_log() );
		self::assertStringNotContainsString( State::folder(), Site_Folder::read_log() );
		mkdir( WP_PLUGIN_DIR . '/missing' );
		Undo::restore_interrupted();
		self::assertNotNull( Journal::read() );
		Clock::$now += 60;
		Undo::restore_interrupted();
		self::assertNull( Journal::read() );
		self::assertSame( '1.0', Site_Folder::read_version( WP_PLUGIN_DIR . '/missing/shop' ) );
	}

	/** Adds the update of the plugin to the journal. */
	private function record( string $host, array $fields = [] ): void {
		Journal::add(
			$fields + [
				'label'    => 'shop',
				'path'     => $this->plugin,
				'new_path' => $this->plugin,
				'backup'   => $this->backup,
			],
			$host
		);
	}
}
