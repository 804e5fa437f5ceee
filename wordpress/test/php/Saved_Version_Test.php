<?php
/**
 * @package Steward
 */

namespace Steward\Test;

use PHPUnit\Framework\TestCase;
use Steward\Watchdog\Saved_Version;
use Steward\Watchdog\State;

final class Saved_Version_Test extends TestCase {

	/** @var string Folder of the saved versions. */
	private $folder;

	protected function setUp(): void {
		Site_Folder::reset();
		$this->folder = WP_CONTENT_DIR . '/steward-saved';
		mkdir( $this->folder );
	}

	public function test_a_backup_becomes_the_newest_saved_version(): void {
		self::assertTrue( $this->keep( '1.0' ) );
		self::assertTrue( $this->keep( '1.1' ) );
		[ $newest, $oldest ] = Saved_Version::all( $this->folder );
		self::assertSame( [ '1.1', '1.0' ], [ $newest['version'], $oldest['version'] ] );
		self::assertSame( [ 'plugin', 'shop/shop.php', 'shop/shop.php', 3 ], [ $newest['type'], $newest['slug'], $newest['of'], $newest['bytes'] ] );
		self::assertSame( '1.1', Site_Folder::read_version( $newest['source'] ) );
		self::assertSame( [], glob( State::folder() . '/previous-*' ) );
	}

	public function test_older_versions_follow_a_renamed_main_file(): void {
		$this->keep( '1.0' );
		$this->keep( '1.1', [ 'of' => 'shop/store.php' ] );
		self::assertSame( [ 'shop/store.php', 'shop/store.php' ], array_column( Saved_Version::all( $this->folder ), 'of' ) );
		self::assertSame( [ 'shop/shop.php', 'shop/shop.php' ], array_column( Saved_Version::all( $this->folder ), 'slug' ) );
	}

	public function test_versions_of_other_items_keep_their_slug(): void {
		$this->keep( '1.0', [ 'type' => 'theme' ] );
		$this->keep( '1.1', [ 'of' => 'shop/store.php' ] );
		self::assertSame( [ 'shop/store.php', 'shop/shop.php' ], array_column( Saved_Version::all( $this->folder ), 'of' ) );
	}

	/** @dataProvider damages */
	public function test_an_incomplete_version_has_only_a_path( callable $damage ): void {
		$this->keep( '1.0' );
		$path = Saved_Version::all( $this->folder )[0]['path'];
		$damage( $path );
		self::assertSame( [ [ 'path' => $path ] ], Saved_Version::all( $this->folder ) );
	}

	public static function damages(): array {
		return [
			'no description'      => [ static function ( string $path ): void { unlink( "$path/version.json" ); } ],
			'half a description'  => [ static function ( string $path ): void { file_put_contents( "$path/version.json", '{"type":"plu' ); } ],
			'no files'            => [ static function ( string $path ): void { rename( "$path/files/shop", "$path/elsewhere" ); } ],
			'a path as the name'  => [
				static function ( string $path ): void {
					file_put_contents( "$path/version.json", str_replace( '"shop"', '"../../../plugins"', file_get_contents( "$path/version.json" ) ) );
				},
			],
		];
	}

	/** @dataProvider unusable_descriptions */
	public function test_a_backup_that_cannot_be_saved_stays( array $saved ): void {
		self::assertFalse( $this->keep( '1.0', $saved ) );
		self::assertCount( 1, glob( State::folder() . '/previous-*' ) );
		self::assertSame( [], Saved_Version::all( $this->folder ) );
	}

	public static function unusable_descriptions(): array {
		return [
			'no version'       => [ [ 'version' => null ] ],
			'missing folder'   => [ [ 'folder' => WP_CONTENT_DIR . '/missing' ] ],
			'impossible name'  => [ [ 'name' => 'missing/shop' ] ],
		];
	}

	public function test_a_deleted_version_leaves_nothing(): void {
		$this->keep( '1.0' );
		Saved_Version::delete( Saved_Version::all( $this->folder )[0]['path'] );
		self::assertSame( [], Saved_Version::all( $this->folder ) );
	}

	/** Keeps a backup of the plugin. */
	private function keep( string $version, array $saved = [] ): bool {
		$backup = Site_Folder::add_plugin( State::folder() . '/previous-' . uniqid(), $version );
		return Saved_Version::keep(
			$backup,
			$saved + [
				'folder'  => $this->folder,
				'name'    => 'shop',
				'type'    => 'plugin',
				'slug'    => 'shop/shop.php',
				'of'      => 'shop/shop.php',
				'version' => $version,
			]
		);
	}
}
