<?php
/**
 * @package Steward
 */

namespace Steward\Test;

use PHPUnit\Framework\TestCase;
use Steward\Updating\Refusal_Code;
use WP_Error;

final class Refusal_Code_Test extends TestCase {

	/**
	 * @testWith ["offer_changed", "offer_changed"]
	 *           ["php_too_old", "php_too_old"]
	 *           ["no_package", "download_failed"]
	 *           ["http_request_failed", "download_failed"]
	 *           ["signature_verification_failed", "package_rejected"]
	 *           ["incompatible_php_required_version", "php_too_old"]
	 *           ["incompatible_wp_required_version", "cms_too_old"]
	 *           ["incompatible_archive_no_plugins", "package_rejected"]
	 *           ["disk_full_unzip_file", "disk_full"]
	 *           ["mkdir_failed_pclzip", "folder_not_writable"]
	 *           ["copy_failed_ziparchive", "folder_not_writable"]
	 *           ["fs_no_plugins_dir", "folder_not_writable"]
	 *           ["something_else", "not_started"]
	 */
	public function test_codes_of_wordpress_become_codes_of_the_panel( string $code, string $refusal ): void {
		self::assertSame( $refusal, Refusal_Code::of( new WP_Error( $code, 'Message.' ) ) );
	}

	public function test_a_text_or_nothing_has_the_default_code(): void {
		self::assertSame( 'not_started', Refusal_Code::of( 'offer_changed' ) );
		self::assertSame( 'download_failed', Refusal_Code::of( null, 'download_failed' ) );
	}
}
