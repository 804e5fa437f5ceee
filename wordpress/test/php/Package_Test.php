<?php
/**
 * @package Steward
 */

namespace Steward\Test;

use PHPUnit\Framework\TestCase;
use Steward\Updating\Package;

final class Package_Test extends TestCase {

	/**
	 * A download address may already serve a newer version. That is allowed only if the call did not name a version.
	 *
	 * @testWith ["2.1", true, "offer_changed", "The package contains version 2.1, not 2.0. No changes were made."]
	 *           ["1.9", true, "offer_changed", "The package contains version 1.9, not 2.0. No changes were made."]
	 *           ["1.9", false, "package_rejected", "The package contains version 1.9, not 2.0."]
	 *           ["2.0-beta", false, "package_rejected", "The package contains version 2.0-beta, not 2.0."]
	 */
	public function test_another_version_than_offered_is_refused( string $version, bool $is_exact, string $code, string $message ): void {
		$error = Package::version_error( '2.0', [ 'Version' => $version ], $is_exact );
		self::assertSame( [ $code, $message ], [ $error->get_error_code(), $error->get_error_message() ] );
	}
}
