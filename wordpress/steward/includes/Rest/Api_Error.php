<?php
/**
 * @package Steward
 */

namespace Steward\Rest;

use WP_Error;

defined( 'ABSPATH' ) || exit;

/** The errors of the protocol: a code for programs, an HTTP status and a message for users. */
final class Api_Error {

	private const STATUSES = [
		'invalid_request'          => 400,
		'missing_parameter'        => 400,
		'invalid_action'           => 400,
		'invalid_items'            => 400,
		'invalid_plugin'           => 400,
		'invalid_service_key'      => 401,
		'invalid_signature'        => 401,
		'remote_disabled'          => 403,
		'management_plugin'        => 403,
		'file_changes_disabled'    => 403,
		'login_off'                => 403,
		'login_user_not_allowed'   => 403,
		'site_connected_elsewhere' => 403,
		'not_found'                => 404,
		'plugin_not_found'         => 404,
		'site_busy'                => 409,
		'site_address_changed'     => 409,
		'outside_look_needed'      => 409,
		'request_too_large'        => 413,
		'action_failed'            => 500,
		'internal_error'           => 500,
	];

	/**
	 * @param string $code    One of the codes above.
	 * @param string $message Replaces the default message.
	 * @param array  $details Additional fields of the response.
	 */
	public static function create( string $code, string $message = '', array $details = [] ): WP_Error {
		return new WP_Error(
			$code,
			'' === $message ? self::default_message( $code ) : $message,
			[
				'status'  => self::STATUSES[ $code ],
				'details' => $details,
			]
		);
	}

	/** Returns the response body of a protocol error. */
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

	private static function default_message( string $code ): string {
		switch ( $code ) {
			case 'invalid_action':
				return __( 'The action must be update, activate, deactivate or delete.', 'steward' );
			case 'invalid_items':
				return __( 'The list of items to update is not valid. Check the type and the slug of each item.', 'steward' );
			case 'invalid_plugin':
				return __( 'The plugin must have the form directory/file.php or file.php.', 'steward' );
			case 'invalid_service_key':
				return __( 'The service key is missing or wrong.', 'steward' );
			case 'invalid_signature':
				return __( 'The signature of the call is missing, invalid, expired or already used. Check the clocks of the panel and the site.', 'steward' );
			case 'site_address_changed':
				return __( 'The address of this site has changed since it was connected. Connect it again at its new address, or correct its address under Settings → General.', 'steward' );
			case 'site_connected_elsewhere':
				return __( 'This site is now connected to another panel. Connect it to this panel again, or disconnect it in this panel.', 'steward' );
			case 'remote_disabled':
				return __( 'Remote management is off on this site.', 'steward' );
			case 'management_plugin':
				return __( 'This action cannot change the Steward plugin itself.', 'steward' );
			case 'file_changes_disabled':
				return __( 'This site does not allow file changes.', 'steward' );
			case 'login_off':
				return __( 'Log-in from the panel is off on this site. Turn it on under Settings → Steward.', 'steward' );
			case 'login_user_not_allowed':
				return __( 'This user is not chosen for log-in from the panel, or has another role now. Choose users under Settings → Steward.', 'steward' );
			case 'not_found':
				return __( 'This endpoint does not exist. Check the path and the method.', 'steward' );
			case 'plugin_not_found':
				return __( 'This plugin is not installed on the site. It may have been deleted there.', 'steward' );
			case 'site_busy':
				return __( 'Another update or action is running on this site. Try again when it has finished.', 'steward' );
			case 'outside_look_needed':
				return __( 'This site cannot open its own pages. Check its pages from outside, then send the call again with outside_look: true.', 'steward' );
			case 'request_too_large':
				return __( 'The request is too large. Send a smaller body.', 'steward' );
			case 'invalid_request':
				return __( 'The request is not valid. Check its fields and send it again.', 'steward' );
			default:
				return __( 'Unexpected error on the site. Check its error log.', 'steward' );
		}
	}
}
