<?php
/**
 * @package Steward
 */

namespace Steward\Actions;

use Steward\Rest\Refusal;
use Steward\Updating\Site_Lock;
use Steward\Watchdog\Call_Log;
use WP_Error;
use WP_REST_Request;

defined( 'ABSPATH' ) || exit;

/** A call that changes this site: done alone, and in the log before anything is touched. */
final class Obeyed_Call {

	/**
	 * @param callable(Site_Lock): mixed $work What to do.
	 * @return mixed|WP_Error
	 */
	public static function hold( WP_REST_Request $request, callable $work ) {
		return Site_Lock::hold(
			static function ( Site_Lock $lock ) use ( $request, $work ) {
				$route = strtolower( untrailingslashit( $request->get_route() ) );
				return Call_Log::add( $route, (string) $request->get_body() )
					? $work( $lock )
					: Refusal::because( 'internal_error', __( 'The call could not be logged, so nothing was done. Check the database of the site.', 'steward' ) );
			}
		);
	}
}
