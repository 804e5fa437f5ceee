<?php
/**
 * @package Steward
 */

namespace Steward\Actions;

use Steward\Panel\License;
use Steward\Rest\Api_Error;
use Steward\Updating\Pending_Updates;
use Steward\Updating\Plain_Error_Text;
use Steward\Updating\Site_Lock;
use WP_Error;

defined( 'ABSPATH' ) || exit;

/** POST remote/sync: checks for updates and reports the inventory to the panel. Refused while an update runs. */
final class Sync_Site {

	/** @return array|WP_Error */
	public function handle() {
		return Site_Lock::run_exclusive(
			static function () {
				$is_refreshed = Pending_Updates::refresh();
				$reported     = License::report_inventory();
				if ( is_wp_error( $reported ) ) {
					return Api_Error::create( 'action_failed', Plain_Error_Text::from( $reported ) );
				}
				if ( ! $is_refreshed ) {
					return Api_Error::create( 'action_failed', __( 'The inventory was reported to the panel, but WordPress could not check for updates.', 'steward' ) );
				}
				return [ 'success' => true ];
			}
		);
	}
}
