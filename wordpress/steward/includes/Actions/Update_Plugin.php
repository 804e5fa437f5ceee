<?php
/**
 * @package Steward
 */

namespace Steward\Actions;

use Steward\Health\Health_Check;
use Steward\Updating\Item_Update;
use Steward\Updating\Pending_Updates;
use Steward\Updating\Plugin_Item;
use Steward\Updating\Update_Batch;
use Steward\Updating\Watchdog_File;
use WP_Error;

defined( 'ABSPATH' ) || exit;

/** Updates a plugin to its latest version. */
final class Update_Plugin implements Action {

	/** @var Health_Check */
	private $health;

	/** @var Update_Batch */
	private $batch;

	public function __construct( Health_Check $health ) {
		$this->health = $health;
		$this->batch  = new Update_Batch( $health );
	}

	/** @return array{call: string, ticket: string}|null See Update_Batch::await_verdict(). */
	public function await_verdict(): ?array {
		return $this->batch->await_verdict();
	}

	public function changes_files(): bool {
		return true;
	}

	public function run( string $plugin ) {
		$is_refreshed = Pending_Updates::refresh( [ Pending_Updates::PLUGINS ] );
		$offered      = Pending_Updates::plugins()[ $plugin ] ?? null;
		if ( null === $offered ) {
			return $is_refreshed ? [] : new WP_Error( 'steward_unknown', __( 'WordPress could not check whether a newer version exists. Try again later.', 'steward' ) );
		}
		Watchdog_File::install();
		$update = new Item_Update( new Plugin_Item( $plugin ), $offered );
		$batch  = $this->batch;
		$refusal = $batch->prepare( [ $update ] );
		if ( null !== $refusal ) {
			return $refusal;
		}
		Pending_Updates::with_pinned_lists(
			static function () use ( $batch, $update ): void {
				$batch->run( [ $update ], '__return_null' );
			}
		);
		$result = $update->result();
		if ( ! $result['success'] ) {
			return new WP_Error( 'steward_update', $result['error'] );
		}
		return array_intersect_key( $result, array_flip( [ 'verified', 'new_plugin' ] ) ) + $this->health->describe();
	}
}
