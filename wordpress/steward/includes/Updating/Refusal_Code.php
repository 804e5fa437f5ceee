<?php
/**
 * @package Steward
 */

namespace Steward\Updating;

use WP_Error;

defined( 'ABSPATH' ) || exit;

/**
 * The code of a failure before the site changed anything. The panel does not blame the new version for such a failure.
 * `ITEM_REFUSALS` in `packages/contract/src/schemas/site-api.ts` lists the codes.
 */
final class Refusal_Code {

	const NOT_STARTED = 'not_started';

	/** Codes of Steward, which stay as they are. */
	private const OWN = [ 'offer_changed', 'package_rejected', 'folder_not_writable', 'disk_full', 'download_failed' ];

	/** Starts of the error codes of WordPress. */
	private const PREFIXES = [
		'no_package'           => 'download_failed',
		'http_'                => 'download_failed',
		'signature_'           => 'package_rejected',
		'incompatible_php'     => 'php_too_old',
		'incompatible_wp'      => 'cms_too_old',
		'incompatible_archive' => 'package_rejected',
		'empty_archive'        => 'package_rejected',
		'extract_failed'       => 'package_rejected',
		'disk_full'            => 'disk_full',
		'mkdir_failed'         => 'folder_not_writable',
		'copy_failed'          => 'folder_not_writable',
		'fs_'                  => 'folder_not_writable',
	];

	/**
	 * @param WP_Error|string|null $error   Error of the upgrader.
	 * @param string               $default Code of an unknown error.
	 */
	public static function of( $error, string $default = self::NOT_STARTED ): string {
		$code = is_wp_error( $error ) ? (string) $error->get_error_code() : '';
		if ( in_array( $code, array_merge( self::OWN, Requirements::CODES ), true ) ) {
			return $code;
		}
		foreach ( self::PREFIXES as $prefix => $refusal ) {
			if ( 0 === strpos( $code, $prefix ) ) {
				return $refusal;
			}
		}
		return $default;
	}
}
