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

	/** @var bool Whether the panel has said that it looks at the site from outside. */
	private $panel_looks;

	/** @var Update_Batch */
	private $batch;

	public function __construct( bool $panel_looks ) {
		$this->panel_looks = $panel_looks;
		$this->batch       = new Update_Batch( new Health_Check() );
	}

	/** @return array{call: string, ticket: string}|null See the batch. */
	public function await_verdict(): ?array {
		return $this->batch->await_verdict();
	}

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
		$batch  = $this->batch;
		if ( $batch->needs_outside_look( [ $update ], $this->panel_looks ) ) {
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
		return array_intersect_key( $result, array_flip( [ 'verified', 'new_plugin' ] ) );
	}
}
