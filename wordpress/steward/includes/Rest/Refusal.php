<?php
/**
 * @package Steward
 */

namespace Steward\Rest;

use WP_Error;

defined( 'ABSPATH' ) || exit;

/** The errors of the protocol: a code for machines, a status, a sentence for people. */
final class Refusal {

	private const STATUSES = [
		'invalid_request'       => 400,
		'missing_parameter'     => 400,
		'invalid_action'        => 400,
		'invalid_plugin'        => 400,
		'invalid_service_key'   => 401,
		'invalid_signature'     => 401,
		'remote_disabled'       => 403,
		'management_plugin'     => 403,
		'file_changes_disabled' => 403,
		'not_found'             => 404,
		'plugin_not_found'      => 404,
		'site_busy'             => 409,
		'outside_look_needed'   => 409,
		'request_too_large'     => 413,
		'action_failed'         => 500,
		'internal_error'        => 500,
	];

	/**
	 * @param string $code    One of the codes above.
	 * @param string $message Instead of the usual sentence.
	 * @param array  $details Further fields of the answer.
	 */
	public static function because( string $code, string $message = '', array $details = [] ): WP_Error {
		return new WP_Error(
			$code,
			'' === $message ? self::sentence( $code ) : $message,
			[
				'status'  => self::STATUSES[ $code ],
				'details' => $details,
			]
		);
	}

	/** The body that every error of the protocol has. */
	public static function body( WP_Error $error ): array {
		$data = $error->get_error_data();
		return array_merge(
			[
				'success' => false,
				'error'   => $error->get_error_message(),
				'code'    => $error->get_error_code(),
			],
			is_array( $data ) && isset( $data['details'] ) ? $data['details'] : []
		);
	}

	public static function status( WP_Error $error ): int {
		return self::STATUSES[ $error->get_error_code() ] ?? 500;
	}

	private static function sentence( string $code ): string {
		switch ( $code ) {
			case 'invalid_action':
				return __( 'The action must be one of update, activate, deactivate and delete.', 'steward' );
			case 'invalid_plugin':
				return __( 'The plugin must be written as directory/file.php or file.php.', 'steward' );
			case 'invalid_service_key':
				return __( 'The service key is missing or wrong.', 'steward' );
			case 'invalid_signature':
				return __( 'The signature of the call is missing, wrong, too old or was used before. Check the clocks of panel and site.', 'steward' );
			case 'remote_disabled':
				return __( 'Remote management is switched off on this site.', 'steward' );
			case 'management_plugin':
				return __( 'The management plugin itself cannot be changed remotely.', 'steward' );
			case 'file_changes_disabled':
				return __( 'This site does not allow its files to be changed.', 'steward' );
			case 'not_found':
				return __( 'There is nothing at this address. Check the path and the method.', 'steward' );
			case 'plugin_not_found':
				return __( 'This plugin is not installed on the site.', 'steward' );
			case 'site_busy':
				return __( 'Another update or action is running on this site. Try again when it has ended.', 'steward' );
			case 'outside_look_needed':
				return __( 'This site cannot open its own pages. Look at it from outside, then call again.', 'steward' );
			case 'request_too_large':
				return __( 'The request is too large. Send a smaller body.', 'steward' );
			case 'invalid_request':
				return __( 'The request is not valid. Check its fields and send it again.', 'steward' );
			default:
				return __( 'Something went wrong on the site. Look into its log.', 'steward' );
		}
	}
}
