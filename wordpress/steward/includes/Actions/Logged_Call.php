<?php
/**
 * @package Steward
 */

namespace Steward\Actions;

use Steward\Rest\Api_Error;
use Steward\Updating\Site_Lock;
use Steward\Watchdog\Call_Log;
use WP_Error;
use WP_REST_Request;

defined( 'ABSPATH' ) || exit;

/** Runs a call that changes this site: acquires the site lock and writes the call log before any change. */
final class Logged_Call {

	/**
	 * @param callable(Site_Lock): mixed $work Work of the call.
	 * @return mixed|WP_Error
	 */
	public static function run( WP_REST_Request $request, callable $work ) {
		return Site_Lock::run_exclusive(
			static function ( Site_Lock $lock ) use ( $request, $work ) {
				$route = strtolower( untrailingslashit( $request->get_route() ) );
				return Call_Log::add( $route, (string) $request->get_body() )
					? $work( $lock )
					: Api_Error::create( 'internal_error', __( 'The call could not be logged. No changes were made. Check the database of the site.', 'steward' ) );
			}
		);
	}
}
