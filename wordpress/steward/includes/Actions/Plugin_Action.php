<?php
/**
 * @package Steward
 */

namespace Steward\Actions;

use Steward\Health\Health_Check;
use Steward\Panel\Capabilities;
use Steward\Panel\License;
use Steward\Rest\Api_Error;
use Steward\Rest\Output_Guard;
use Steward\Updating\File_Permissions;
use Steward\Updating\Installed_Plugins;
use Steward\Updating\Plain_Error_Text;
use Throwable;
use WP_Error;
use WP_REST_Request;

defined( 'ABSPATH' ) || exit;

/** POST remote/plugin-action: updates, activates, deactivates or deletes one plugin. */
final class Plugin_Action {

	private const ACTIONS = [
		'update'     => Update_Plugin::class,
		'activate'   => Activate_Plugin::class,
		'deactivate' => Deactivate_Plugin::class,
		'delete'     => Delete_Plugin::class,
	];

	private const MAX_PLUGIN_FILE_LENGTH = 500;

	/** @return array|WP_Error */
	public function handle( WP_REST_Request $request ) {
		$params = $this->parse( $request );
		if ( is_wp_error( $params ) ) {
			return $params;
		}
		if ( Installed_Plugins::is_steward( $params['plugin'] ) ) {
			return Api_Error::create( 'management_plugin' );
		}
		$class  = self::ACTIONS[ $params['action'] ];
		$action = new $class( Health_Check::for_call( $request ) );
		$result = Logged_Call::run(
			$request,
			function () use ( $params, $action ) {
				$result = $this->execute( $params, $action );
				// Also report after a failed action. A failed report does not change the result.
				License::report_inventory();
				$awaiting = $action instanceof Update_Plugin ? $action->await_verdict() : null;
				return null === $awaiting ? $result : $result + [ 'awaiting_verdict' => $awaiting ];
			}
		);
		return self::to_response( $params, $result );
	}

	/** @param array|WP_Error $result Result of the action. */
	private static function to_response( array $params, $result ) {
		return is_wp_error( $result ) ? $result : Capabilities::remove_unknown_details( [ 'success' => true ] + $params + $result );
	}

	/**
	 * Reports missing parameters before invalid ones, as the protocol requires.
	 *
	 * @return array{action: string, plugin: string}|WP_Error
	 */
	private function parse( WP_REST_Request $request ) {
		$body = json_decode( (string) $request->get_body(), true );
		if ( ! is_array( $body ) ) {
			return Api_Error::create( 'invalid_request', __( 'The body is not a JSON object.', 'steward' ) );
		}
		foreach ( [ 'action', 'plugin' ] as $name ) {
			if ( ! isset( $body[ $name ] ) || '' === $body[ $name ] ) {
				/* translators: %s: Name of a parameter. */
				return Api_Error::create( 'missing_parameter', sprintf( __( 'The parameter %s is missing.', 'steward' ), $name ) );
			}
		}
		[ 'action' => $action, 'plugin' => $plugin ] = $body;
		if ( ! is_string( $action ) || ! isset( self::ACTIONS[ $action ] ) ) {
			return Api_Error::create( 'invalid_action' );
		}
		$is_plugin_file = is_string( $plugin )
			&& strlen( $plugin ) <= self::MAX_PLUGIN_FILE_LENGTH
			&& Installed_Plugins::is_valid_file( $plugin );
		return $is_plugin_file ? compact( 'action', 'plugin' ) : Api_Error::create( 'invalid_plugin' );
	}

	/**
	 * Checks with the lock held whether the plugin exists: during an update its files are briefly missing.
	 *
	 * @return array|WP_Error
	 */
	private function execute( array $params, Action $action ) {
		if ( ! Installed_Plugins::exists( $params['plugin'] ) ) {
			return Api_Error::create( 'plugin_not_found' );
		}
		$error = $action->changes_files() ? File_Permissions::site_error() : null;
		if ( null !== $error ) {
			return Api_Error::create( 'file_changes_disabled', $error );
		}
		if ( $action instanceof Handles_Exit ) {
			Output_Guard::set_exit_handler(
				static function ( ?string $fatal ) use ( $action, $params ) {
					return self::to_response( $params, self::normalize_result( $params, $action->after_exit( $params['plugin'], $fatal ) ) );
				}
			);
		}
		try {
			$result = $action->run( $params['plugin'] );
		} catch ( Throwable $thrown ) {
			$result = new WP_Error( 'steward_thrown', $thrown->getMessage() );
		}
		Output_Guard::set_exit_handler( null );
		return self::normalize_result( $params, $result );
	}

	/**
	 * @param array|WP_Error $result Result of the action.
	 * @return array|WP_Error
	 */
	private static function normalize_result( array $params, $result ) {
		if ( is_wp_error( $result ) && 'outside_look_needed' === $result->get_error_code() ) {
			return $result;
		}
		return is_wp_error( $result ) ? Api_Error::create( 'action_failed', Plain_Error_Text::from( $result ), $params ) : $result;
	}
}
