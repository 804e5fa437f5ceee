<?php
/**
 * @package Steward
 */

namespace Steward\Test;

use PHPUnit\Framework\TestCase;
use Steward\Watchdog\State;

final class State_Test extends TestCase {

	protected function setUp(): void {
		Site_Folder::reset();
	}

	public function test_a_data_file_is_read_as_it_was_written(): void {
		self::assertTrue( State::write( 'own-failed.json', [ 'version' => '1.0', 'name' => "Größe\n" ] ) );
		self::assertSame( [ 'version' => '1.0', 'name' => "Größe\n" ], State::read( 'own-failed.json' ) );
		self::assertNull( State::read( 'renamed.json' ) );
	}

	public function test_a_name_in_another_encoding_does_not_prevent_writing(): void {
		self::assertTrue( State::write( 'own-failed.json', [ 'name' => "Gr\xf6\xdfe" ] ) );
		self::assertSame( "Gr\u{fffd}\u{fffd}e", State::read( 'own-failed.json' )['name'] );
	}

	public function test_a_file_that_cannot_be_written_is_an_error(): void {
		rmdir( State::folder() );
		self::assertFalse( State::write( 'own-failed.json', [] ) );
	}

	public function test_writers_share_no_temporary_file(): void {
		mkdir( dirname( State::file( 'own-failed.json' ) ) . '/new-' . basename( State::file( 'own-failed.json' ) ) );
		self::assertTrue( State::write( 'own-failed.json', [ 'version' => '1.0' ] ) );
		$folder = State::file( 'folder' );
		mkdir( $folder );
		self::assertFalse( State::write( 'folder', [] ) );
		rmdir( $folder );
		self::assertSame( [], preg_grep( '/^new-.+folder/', scandir( State::folder() ) ) );
	}

	public function test_a_damaged_file_counts_as_missing(): void {
		file_put_contents( State::file( 'own-failed.json' ), "<?php exit; ?>\n{\"version\":" );
		self::assertNull( State::read( 'own-failed.json' ) );
	}

	public function test_a_record_with_paths_belongs_to_one_site(): void {
		State::write( 'own-failed.json', State::place() + [ 'version' => '1.0' ] );
		self::assertSame( '1.0', State::read( 'own-failed.json' )['version'] );
		State::write( 'own-failed.json', [ 'state_folder' => '/srv/original' . State::folder() ] + [ 'version' => '1.0' ] );
		self::assertNull( State::read( 'own-failed.json' ) );
	}
}
