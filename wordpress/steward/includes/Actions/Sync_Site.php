<?php
/**
 * @package Steward
 */

namespace Steward\Actions;

use Steward\Panel\License;
use Steward\Rest\Refusal;
use Steward\Updating\Offers;
use Steward\Updating\Site_Lock;
use Steward\Updating\Upgrade_Message;
use WP_Error;

defined( 'ABSPATH' ) || exit;

/** POST remote/sync: looks for updates and tells the panel what is installed. Refused while an update runs. */
final class Sync_Site {

	/** @return array|WP_Error */
	public function handle() {
		return Site_Lock::hold(
			static function () {
				$is_new = Offers::refresh();
				$told   = License::verify_site();
				if ( is_wp_error( $told ) ) {
					return Refusal::because( 'action_failed', Upgrade_Message::of( $told ) );
				}
				if ( ! $is_new ) {
					return Refusal::because( 'action_failed', __( 'The panel was told what is installed, but WordPress could not look for updates.', 'steward' ) );
				}
				return [ 'success' => true ];
			}
		);
	}
}
