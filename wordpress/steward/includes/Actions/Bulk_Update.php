<?php
/**
 * @package Steward
 */

namespace Steward\Actions;

use Steward\Panel\Capabilities;
use Steward\Panel\License;
use Steward\Rest\Refusal;
use Steward\Updating\Core_Update;
use Steward\Updating\File_Rights;
use Steward\Updating\Health_Check;
use Steward\Updating\Installed_Plugins;
use Steward\Updating\Item_Update;
use Steward\Updating\Offers;
use Steward\Updating\Plugin_Item;
use Steward\Updating\Site_Lock;
use Steward\Updating\Theme_Item;
use Steward\Updating\Update_Batch;
use Steward\Updating\Upgrade_Message;
use Steward\Updating\Watchdog_File;
use WP_Error;
use WP_REST_Request;

defined( 'ABSPATH' ) || exit;

/** POST remote/update: every pending update of plugins, themes and core. One that fails never stops the rest. */
final class Bulk_Update {

	/** @var array[] */
	private $errors = [];

	/** @var Health_Check */
	private $health;

	/** @var Site_Lock */
	private $lock;

	/** @return array|WP_Error */
	public function handle( WP_REST_Request $request ) {
		$panel_looks = Capabilities::panel_looks( $request );
		return Obeyed_Call::hold(
			$request,
			function ( Site_Lock $lock ) use ( $panel_looks ) {
				$fault = File_Rights::fault_of_site();
				if ( null !== $fault ) {
					return Refusal::because( 'file_changes_disabled', $fault );
				}
				$this->lock   = $lock;
				$this->health = new Health_Check();
				Watchdog_File::install();
				return $this->update_all( $panel_looks );
			}
		);
	}

	/** @return array|WP_Error */
	private function update_all( bool $panel_looks ) {
		Offers::look_if_never_done();
		$batch   = new Update_Batch( $this->health );
		$results = Offers::pinned(
			function () use ( $batch, $panel_looks ) {
				$plugins = $this->plugin_updates( Offers::plugins() );
				$themes  = $this->theme_updates( Offers::themes() );
				if ( $batch->needs_outside_look( array_merge( $plugins, $themes ), $panel_looks ) ) {
					return Refusal::because( 'outside_look_needed' );
				}
				$batch->run( array_merge( $plugins, $themes ), [ $this->lock, 'extend' ] );
				$results = [
					'plugins' => $this->results( 'plugin', $plugins ),
					'themes'  => $this->results( 'theme', $themes ),
					'core'    => $this->update_core( Offers::core() ),
				];
				foreach ( $batch->leftovers() as $folder ) {
					/* translators: %s: Name of a folder. */
					$this->note( 'system', null, sprintf( __( 'A previous version could not be deleted. Delete the folder %s.', 'steward' ), str_replace( ABSPATH, '', $folder ) ) );
				}
				return $results;
			}
		);
		if ( is_wp_error( $results ) ) {
			return $results;
		}
		$success = [] === array_filter(
			$this->errors,
			static function ( array $error ): bool {
				return 'system' !== $error['type'];
			}
		);
		$this->refresh_and_report();
		$awaiting = $batch->await_verdict();
		return [
			'success' => $success,
			'results' => $results,
			'errors'  => $this->errors,
		] + ( null === $awaiting ? [] : [ 'awaiting_verdict' => $awaiting ] );
	}

	/** @return Item_Update[] */
	private function plugin_updates( array $offered ): array {
		$updates = [];
		foreach ( $offered as $plugin => $version ) {
			// Replacing ourselves while we work is asking for trouble; our own updates come another way.
			if ( ! Installed_Plugins::is_management( $plugin ) ) {
				$updates[] = new Item_Update( new Plugin_Item( $plugin ), $version );
			}
		}
		return $updates;
	}

	/** @return Item_Update[] */
	private function theme_updates( array $offered ): array {
		$updates = [];
		foreach ( $offered as $theme => $version ) {
			$updates[] = new Item_Update( new Theme_Item( $theme ), $version );
		}
		return $updates;
	}

	/** @param Item_Update[] $updates Which have ended. */
	private function results( string $type, array $updates ): array {
		$results = [];
		foreach ( $updates as $update ) {
			$result = $update->result();
			if ( ! $result['success'] ) {
				$this->note( $type, $result['slug'], $result['error'] );
			}
			$results[] = Capabilities::without_unknown_details( $result );
		}
		return $results;
	}

	private function update_core( ?object $offer ): ?array {
		if ( null === $offer ) {
			return null;
		}
		$this->lock->extend();
		$result = ( new Core_Update( $offer, $this->health ) )->run();
		if ( ! $result['success'] ) {
			$this->note( 'core', null, $result['error'] );
		}
		unset( $result['error'] );
		return Capabilities::without_unknown_details( $result );
	}

	/** What goes wrong here does not make an update a failure. */
	private function refresh_and_report(): void {
		if ( ! Offers::refresh() ) {
			$this->note( 'system', null, __( 'WordPress could not look for updates again.', 'steward' ) );
		}
		$told = License::verify_site();
		if ( is_wp_error( $told ) ) {
			$this->note( 'system', null, Upgrade_Message::of( $told ) );
		}
	}

	private function note( string $type, ?string $slug, string $error ): void {
		$this->errors[] = compact( 'type', 'slug', 'error' );
	}
}
