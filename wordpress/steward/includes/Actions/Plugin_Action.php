<?php
/**
 * @package Steward
 */

namespace Steward\Actions;

use Steward\Panel\Capabilities;
use Steward\Panel\License;
use Steward\Rest\Output_Guard;
use Steward\Rest\Refusal;
use Steward\Updating\File_Rights;
use Steward\Updating\Installed_Plugins;
use Steward\Updating\Upgrade_Message;
use Throwable;
use WP_Error;
use WP_REST_Request;

defined( 'ABSPATH' ) || exit;

/** POST remote/plugin-action: one of four actions on one plugin. */
final class Plugin_Action {

	private const ACTIONS = [
		'update'     => Update_Plugin::class,
		'activate'   => Activate_Plugin::class,
		'deactivate' => Deactivate_Plugin::class,
		'delete'     => Delete_Plugin::class,
	];

	private const LONGEST_PLUGIN_FILE = 500;
	private const PLUGIN_FILE         = '~^(?!.*\.\.)(?!\.)[^/\\\\\x00-\x1f\x7f]+(/(?!\.)[^/\\\\\x00-\x1f\x7f]+)?\.php$~Du';

	/** @return array|WP_Error */
	public function handle( WP_REST_Request $request ) {
		$asked = $this->read( $request );
		if ( is_wp_error( $asked ) ) {
			return $asked;
		}
		if ( Installed_Plugins::is_management( $asked['plugin'] ) ) {
			return Refusal::because( 'management_plugin' );
		}
		$class  = self::ACTIONS[ $asked['action'] ];
		$action = Update_Plugin::class === $class ? new Update_Plugin( Capabilities::panel_looks( $request ) ) : new $class();
		$done   = Obeyed_Call::hold(
			$request,
			function () use ( $asked, $action ) {
				$done = $this->act( $asked, $action );
				// The panel should know how things stand also when the action failed; that it could not be told undoes nothing.
				License::verify_site();
				$awaiting = $action instanceof Update_Plugin ? $action->await_verdict() : null;
				return null === $awaiting ? $done : $done + [ 'awaiting_verdict' => $awaiting ];
			}
		);
		return self::answer( $asked, $done );
	}

	/** @param array|WP_Error $done What the action gave. */
	private static function answer( array $asked, $done ) {
		return is_wp_error( $done ) ? $done : Capabilities::without_unknown_details( [ 'success' => true ] + $asked + $done );
	}

	/**
	 * In the order of the protocol: what is missing, then what is wrong.
	 *
	 * @return array{action: string, plugin: string}|WP_Error
	 */
	private function read( WP_REST_Request $request ) {
		$body = json_decode( $request->get_body(), true );
		if ( ! is_array( $body ) ) {
			return Refusal::because( 'invalid_request', __( 'The body is not a JSON object.', 'steward' ) );
		}
		foreach ( [ 'action', 'plugin' ] as $name ) {
			if ( ! isset( $body[ $name ] ) || '' === $body[ $name ] ) {
				/* translators: %s: Name of a parameter. */
				return Refusal::because( 'missing_parameter', sprintf( __( 'The parameter %s is missing.', 'steward' ), $name ) );
			}
		}
		[ 'action' => $action, 'plugin' => $plugin ] = $body;
		if ( ! is_string( $action ) || ! isset( self::ACTIONS[ $action ] ) ) {
			return Refusal::because( 'invalid_action' );
		}
		$is_plugin_file = is_string( $plugin )
			&& strlen( $plugin ) <= self::LONGEST_PLUGIN_FILE
			&& preg_match( self::PLUGIN_FILE, $plugin );
		return $is_plugin_file ? compact( 'action', 'plugin' ) : Refusal::because( 'invalid_plugin' );
	}

	/**
	 * Whether the plugin is there is asked with the lock held: in the middle of an update it is away for a moment.
	 *
	 * @return array|WP_Error
	 */
	private function act( array $asked, Action $action ) {
		if ( ! Installed_Plugins::exists( $asked['plugin'] ) ) {
			return Refusal::because( 'plugin_not_found' );
		}
		$fault = $action->changes_files() ? File_Rights::fault_of_site() : null;
		if ( null !== $fault ) {
			return Refusal::because( 'file_changes_disabled', $fault );
		}
		if ( $action instanceof Ends_Early ) {
			Output_Guard::answer_at_exit(
				static function ( ?string $fatal ) use ( $action, $asked ) {
					return self::answer( $asked, self::refused( $asked, $action->after_exit( $asked['plugin'], $fatal ) ) );
				}
			);
		}
		try {
			$result = $action->run( $asked['plugin'] );
		} catch ( Throwable $thrown ) {
			$result = new WP_Error( 'steward_thrown', $thrown->getMessage() );
		}
		Output_Guard::answer_at_exit( null );
		return self::refused( $asked, $result );
	}

	/**
	 * @param array|WP_Error $result What the action gave.
	 * @return array|WP_Error
	 */
	private static function refused( array $asked, $result ) {
		if ( is_wp_error( $result ) && 'outside_look_needed' === $result->get_error_code() ) {
			return $result;
		}
		return is_wp_error( $result ) ? Refusal::because( 'action_failed', Upgrade_Message::of( $result ), $asked ) : $result;
	}
}
