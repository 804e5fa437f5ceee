<?php
/**
 * @package Steward
 */

namespace Steward\Actions;

use Steward\Updating\Health_Check;
use Steward\Updating\Item_Update;
use Steward\Updating\Offers;
use Steward\Updating\Plugin_Item;
use Steward\Updating\Watchdog_File;
use WP_Error;

defined( 'ABSPATH' ) || exit;

/** Brings a plugin to its latest version. */
final class Update_Plugin implements Action {

	public function changes_files(): bool {
		return true;
	}

	public function run( string $plugin ) {
		$is_known = Offers::refresh( [ Offers::PLUGINS ] );
		$offered  = Offers::plugins()[ $plugin ] ?? null;
		if ( null === $offered ) {
			return $is_known ? true : new WP_Error( 'steward_unknown', __( 'WordPress could not find out whether there is a newer version. Try again later.', 'steward' ) );
		}
		Watchdog_File::install();
		$update = new Item_Update( new Plugin_Item( $plugin ), $offered, new Health_Check() );
		$result = Offers::pinned( [ $update, 'run' ] );
		return $result['success'] ? true : new WP_Error( 'steward_update', $result['error'] );
	}
}
