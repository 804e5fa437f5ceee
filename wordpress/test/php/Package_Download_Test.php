<?php
/**
 * @package Steward
 */

namespace Steward\Test;

use PHPUnit\Framework\TestCase;
use Steward\Connection;
use Steward\Updating\Package_Download;

final class Package_Download_Test extends TestCase {

	private const PANEL = 'http://127.0.0.1:4100';

	protected function setUp(): void {
		Options::$values = [ Connection::PANEL_URL => self::PANEL ];
	}

	protected function tearDown(): void {
		Options::$values = [];
	}

	/**
	 * @testWith ["http://localhost:4100", "http://localhost:4100"]
	 *           ["https://127.0.0.1:4100", "https://127.0.0.1:4100"]
	 *           ["http://127.0.0.1", "http://127.0.0.1"]
	 *           ["http://user:pass@127.0.0.1:4100", "http://127.0.0.1:4100"]
	 */
	public function test_a_link_to_another_address_is_refused_and_both_are_named( string $other, string $shown ): void {
		$error = Package_Download::from_panel( (object) [ 'url' => "$other/p", 'sha256' => '', 'size' => 1 ] );
		self::assertSame( 'package_rejected', $error->get_error_code() );
		self::assertSame(
			"The link to the package leads to $shown, but this site is connected to " . self::PANEL . '. Start the panel with BASE_URL set to ' . self::PANEL . ", or connect this site again to $shown.",
			$error->get_error_message()
		);
	}
}
