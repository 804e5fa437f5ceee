<?php
/**
 * @package Steward
 */

namespace Steward\Actions;

use Steward\Rest\Refusal;
use Steward\Updating\Health_Check;
use Steward\Updating\Item_Update;
use Steward\Updating\Offers;
use Steward\Updating\Plugin_Item;
use Steward\Updating\Update_Batch;
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
			return $is_known ? [] : new WP_Error( 'steward_unknown', __( 'WordPress could not find out whether there is a newer version. Try again later.', 'steward' ) );
		}
		Watchdog_File::install();
		$update = new Item_Update( new Plugin_Item( $plugin ), $offered );
		$batch  = new Update_Batch( new Health_Check() );
		if ( $batch->needs_outside_look( [ $update ] ) ) {
			return Refusal::because( 'outside_look_needed' );
		}
		Offers::pinned(
			static function () use ( $batch, $update ): void {
				$batch->run( [ $update ], '__return_null' );
			}
		);
		$result = $update->result();
		if ( ! $result['success'] ) {
			return new WP_Error( 'steward_update', $result['error'] );
		}
		$awaiting = $batch->awaiting_verdict();
		return array_intersect_key( $result, array_flip( [ 'verified', 'new_plugin' ] ) )
			+ ( null === $awaiting ? [] : [ 'awaiting_verdict' => $awaiting ] );
	}
}
