<?php
/**
 * @package Steward
 */

namespace Steward\Actions;

use Steward\Panel\Capabilities;
use Steward\Panel\License;
use Steward\Rest\Api_Error;
use Steward\Updating\Core_Update;
use Steward\Updating\File_Permissions;
use Steward\Health\Health_Check;
use Steward\Updating\Pending_Updates;
use Steward\Updating\Plain_Error_Text;
use Steward\Updating\Requested_Items;
use Steward\Updating\Site_Lock;
use Steward\Updating\Translation_Update;
use Steward\Updating\Update_Batch;
use Steward\Updating\Update_Plan;
use Steward\Updating\Watchdog_File;
use WP_Error;
use WP_REST_Request;

defined( 'ABSPATH' ) || exit;

/**
 * POST remote/update: updates the requested items or, without `items`, runs all pending updates of plugins, themes and
 * core. Also handles POST remote/install and remote/restore. After a failed item, the next item follows.
 */
final class Bulk_Update {

	/** @var array[] */
	private $errors = [];

	/** @var string See Requested_Items. */
	private $purpose;

	/** @var Requested_Items|null Null: all pending updates. */
	private $requested = null;

	/** @var Translation_Update|null Null: not requested. */
	private $translations = null;

	/** @var Health_Check */
	private $health;

	/** @var Site_Lock */
	private $lock;

	public function __construct( string $purpose = Requested_Items::UPDATE ) {
		$this->purpose = $purpose;
	}

	/** @return array|WP_Error */
	public function handle( WP_REST_Request $request ) {
		$requested = Requested_Items::from_body( (string) $request->get_body(), $this->purpose );
		if ( is_wp_error( $requested ) ) {
			return $requested;
		}
		$this->requested = $requested;
		$this->health    = Health_Check::for_call( $request );
		return Logged_Call::run(
			$request,
			function ( Site_Lock $lock ) {
				$permission_error = File_Permissions::site_error();
				if ( null !== $permission_error ) {
					return Api_Error::create( 'file_changes_disabled', $permission_error );
				}
				$this->lock = $lock;
				Watchdog_File::install();
				return $this->update();
			}
		);
	}

	/** @return array|WP_Error */
	private function update() {
		Pending_Updates::refresh_missing();
		$batch   = new Update_Batch( $this->health );
		$results = Pending_Updates::with_pinned_lists(
			function () use ( $batch ) {
				return $this->run_updates( $batch );
			}
		);
		if ( is_wp_error( $results ) ) {
			return $results;
		}
		$is_refreshed = $this->refresh();
		if ( null !== $this->translations ) {
			$results['translations'] = $this->collect_results( 'translation', [ $this->translations->result( $is_refreshed ) ] );
		}
		$this->report();
		$awaiting = $batch->await_verdict();
		return [
			'success' => $this->has_succeeded(),
			'results' => $results,
			'errors'  => $this->errors,
		] + $this->health->describe() + ( null === $awaiting ? [] : [ 'awaiting_verdict' => $awaiting ] );
	}

	/** @return array|WP_Error Results of plugins, themes and core. */
	private function run_updates( Update_Batch $batch ) {
		$plan    = $this->plan();
		$updates = $plan->updates();
		is_object( $plan->core() ) && $this->health->include_core();
		$refusal = $batch->prepare( $updates );
		if ( null !== $refusal ) {
			return $refusal;
		}
		$batch->run( $updates, [ $this->lock, 'extend' ] );
		foreach ( $plan->installs() as $install ) {
			$this->lock->extend();
			$install->run();
		}
		$results = [
			'plugins' => $this->collect_results( 'plugin', $plan->plugin_results() ),
			'themes'  => $this->collect_results( 'theme', $plan->theme_results() ),
			'core'    => $this->update_core( $plan->core() ),
		];
		if ( $plan->has_translations() ) {
			$this->translations = new Translation_Update();
			$this->translations->run( [ $this->lock, 'extend' ] );
		}
		foreach ( $batch->leftovers() as $folder ) {
			/* translators: %s: Name of a folder. */
			$this->add_error( 'system', null, sprintf( __( 'A backup of a previous version could not be deleted. Delete the folder %s.', 'steward' ), str_replace( ABSPATH, '', $folder ) ) );
		}
		return $results;
	}

	private function plan(): Update_Plan {
		if ( null === $this->requested ) {
			return Update_Plan::all_pending();
		}
		switch ( $this->purpose ) {
			case Requested_Items::INSTALL:
				return Update_Plan::to_install( $this->requested );
			case Requested_Items::RESTORE:
				return Update_Plan::to_restore( $this->requested );
			default:
				return Update_Plan::requested( $this->requested );
		}
	}

	/** @param array[] $results Results of items of this type. */
	private function collect_results( string $type, array $results ): array {
		foreach ( $results as $result ) {
			if ( ! $result['success'] ) {
				$this->add_error( $type, $result['slug'], $result['error'] );
			}
		}
		return array_map( [ $this, 'remove_unknown_details' ], $results );
	}

	/** @param object|array|null $planned Offer to install, result, or null. See Update_Plan::core(). */
	private function update_core( $planned ): ?array {
		if ( null === $planned ) {
			return null;
		}
		$result = $planned;
		if ( is_object( $planned ) ) {
			$this->lock->extend();
			$result = ( new Core_Update( $planned, $this->health ) )->run();
		}
		if ( ! $result['success'] ) {
			$this->add_error( 'core', null, $result['error'] );
		}
		unset( $result['slug'], $result['error'] );
		return $this->remove_unknown_details( $result );
	}

	/** Keeps all details if the panel requested single items: such a panel knows them. */
	private function remove_unknown_details( array $result ): array {
		return null === $this->requested ? Capabilities::remove_unknown_details( $result ) : $result;
	}

	/** Whether all items have succeeded. `system` errors do not make the update fail. */
	private function has_succeeded(): bool {
		return [] === array_filter(
			$this->errors,
			static function ( array $error ): bool {
				return 'system' !== $error['type'];
			}
		);
	}

	/** Returns whether WordPress could check for updates. */
	private function refresh(): bool {
		$is_refreshed = Pending_Updates::refresh();
		if ( ! $is_refreshed ) {
			$this->add_error( 'system', null, __( 'WordPress could not check for new updates, so the list of pending updates may be out of date.', 'steward' ) );
		}
		return $is_refreshed;
	}

	private function report(): void {
		$reported = License::report_inventory();
		if ( is_wp_error( $reported ) ) {
			$this->add_error( 'system', null, Plain_Error_Text::from( $reported ) );
		}
	}

	private function add_error( string $type, ?string $slug, string $error ): void {
		$this->errors[] = compact( 'type', 'slug', 'error' );
	}
}
