<?php
/**
 * @package Steward
 */

namespace Steward\Test;

use PHPUnit\Framework\TestCase;
use Steward\Updating\Package_Zip;
use ZipArchive;

final class Package_Zip_Test extends TestCase {

	protected function setUp(): void {
		Site_Folder::reset();
	}

	public function test_the_unpacked_size_is_returned(): void {
		$zip = self::create_zip( [ 'shop/', 'shop/shop.php', 'shop/..hidden', 'shop/größe.php' ] );
		self::assertSame( 3 * strlen( 'content' ), Package_Zip::check( $zip ) );
	}

	/**
	 * @testWith ["../shop.php"]
	 *           ["shop/../../shop.php"]
	 *           ["shop/.."]
	 *           ["/etc/shop.php"]
	 *           ["C:shop.php"]
	 *           ["shop\\..\\shop.php"]
	 *           ["shop/a\nb.php"]
	 */
	public function test_a_file_outside_of_the_package_is_refused( string $name ): void {
		$error = Package_Zip::check( self::create_zip( [ 'shop/shop.php', $name ] ) );
		self::assertSame( 'package_rejected', $error->get_error_code() );
		self::assertSame( "The package contains a file outside of its folder: $name.", $error->get_error_message() );
	}

	/**
	 * @testWith [40960, "link"]
	 *           [4096, "pipe"]
	 *           [24576, "device"]
	 */
	public function test_a_link_or_a_special_file_is_refused( int $type ): void {
		$error = Package_Zip::check( self::create_zip( [ 'shop/shop.php' ], $type | 0777 ) );
		self::assertSame( 'The package contains a link or a special file: shop/shop.php.', $error->get_error_message() );
	}

	/** @dataProvider other_files */
	public function test_another_file_is_refused( string $content ): void {
		$file = ABSPATH . 'wp-content/package.zip';
		file_put_contents( $file, $content );
		self::assertSame( 'The package is not a valid zip file, or it is empty.', Package_Zip::check( $file )->get_error_message() );
	}

	public static function other_files(): array {
		return [
			'text'       => [ 'not a zip' ],
			'nothing'    => [ '' ],
			'empty zip'  => [ "PK\x05\x06" . str_repeat( "\0", 18 ) ],
			'half a zip' => [ "PK\x03\x04" . str_repeat( "\0", 40 ) ],
		];
	}

	/**
	 * @param string[] $names Names of the entries. Folders end with a slash.
	 * @param int      $mode  Unix mode of the entries.
	 */
	private static function create_zip( array $names, int $mode = 0100644 ): string {
		$file = ABSPATH . 'wp-content/package.zip';
		$zip  = new ZipArchive();
		$zip->open( $file, ZipArchive::CREATE );
		foreach ( $names as $name ) {
			if ( '/' === substr( $name, -1 ) ) {
				$zip->addEmptyDir( $name );
			} else {
				$zip->addFromString( $name, 'content' );
				$zip->setExternalAttributesName( $name, ZipArchive::OPSYS_UNIX, $mode << 16 );
			}
		}
		$zip->close();
		return $file;
	}
}
