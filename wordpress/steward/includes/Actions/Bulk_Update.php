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
use Steward\Updating\Health_Check;
use Steward\Updating\Installed_Plugins;
use Steward\Updating\Item_Update;
use Steward\Updating\Pending_Updates;
use Steward\Updating\Plugin_Item;
use Steward\Updating\Site_Lock;
use Steward\Updating\Theme_Item;
use Steward\Updating\Update_Batch;
use Steward\Updating\Upgrade_Message;
use Steward\Updating\Watchdog_File;
use WP_Error;
use WP_REST_Request;

defined( 'ABSPATH' ) || exit;

/** POST remote/update: runs all pending updates of plugins, themes and core. A failed item does not stop the others. */
final class Bulk_Update {

	/** @var array[] */
	private $errors = [];

	/** @var Health_Check */
	private $health;

	/** @var Site_Lock */
	private $lock;

	/** @return array|WP_Error */
	public function handle( WP_REST_Request $request ) {
		$panel_checks_pages = Capabilities::panel_checks_pages( $request );
		return Logged_Call::run(
			$request,
			function ( Site_Lock $lock ) use ( $panel_checks_pages ) {
				$permission_error = File_Permissions::site_error();
				if ( null !== $permission_error ) {
					return Api_Error::create( 'file_changes_disabled', $permission_error );
				}
				$this->lock   = $lock;
				$this->health = new Health_Check();
				Watchdog_File::install();
				return $this->update_all( $panel_checks_pages );
			}
		);
	}

	/** @return array|WP_Error */
	private function update_all( bool $panel_checks_pages ) {
		Pending_Updates::refresh_missing();
		$batch   = new Update_Batch( $this->health );
		$results = Pending_Updates::with_pinned_lists(
			function () use ( $batch, $panel_checks_pages ) {
				$plugins = $this->create_plugin_updates( Pending_Updates::plugins() );
				$themes  = $this->create_theme_updates( Pending_Updates::themes() );
				if ( $batch->needs_outside_check( array_merge( $plugins, $themes ), $panel_checks_pages ) ) {
					return Api_Error::create( 'outside_look_needed' );
				}
				$batch->run( array_merge( $plugins, $themes ), [ $this->lock, 'extend' ] );
				$results = [
					'plugins' => $this->collect_results( 'plugin', $plugins ),
					'themes'  => $this->collect_results( 'theme', $themes ),
					'core'    => $this->update_core( Pending_Updates::core() ),
				];
				foreach ( $batch->leftovers() as $folder ) {
					/* translators: %s: Name of a folder. */
					$this->add_error( 'system', null, sprintf( __( 'A backup of a previous version could not be deleted. Delete the folder %s.', 'steward' ), str_replace( ABSPATH, '', $folder ) ) );
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
	private function create_plugin_updates( array $offered ): array {
		$updates = [];
		foreach ( $offered as $plugin => $version ) {
			// The Steward plugin must not replace its own files while it runs.
			if ( ! Installed_Plugins::is_steward( $plugin ) ) {
				$updates[] = new Item_Update( new Plugin_Item( $plugin ), $version );
			}
		}
		return $updates;
	}

	/** @return Item_Update[] */
	private function create_theme_updates( array $offered ): array {
		$updates = [];
		foreach ( $offered as $theme => $version ) {
			$updates[] = new Item_Update( new Theme_Item( $theme ), $version );
		}
		return $updates;
	}

	/** @param Item_Update[] $updates Finished updates. */
	private function collect_results( string $type, array $updates ): array {
		$results = [];
		foreach ( $updates as $update ) {
			$result = $update->result();
			if ( ! $result['success'] ) {
				$this->add_error( $type, $result['slug'], $result['error'] );
			}
			$results[] = Capabilities::remove_unknown_details( $result );
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
			$this->add_error( 'core', null, $result['error'] );
		}
		unset( $result['error'] );
		return Capabilities::remove_unknown_details( $result );
	}

	/** Adds errors as `system` errors, which do not make the update fail. */
	private function refresh_and_report(): void {
		if ( ! Pending_Updates::refresh() ) {
			$this->add_error( 'system', null, __( 'The updates are finished, but WordPress could not check for new updates.', 'steward' ) );
		}
		$reported = License::report_inventory();
		if ( is_wp_error( $reported ) ) {
			$this->add_error( 'system', null, Upgrade_Message::from( $reported ) );
		}
	}

	private function add_error( string $type, ?string $slug, string $error ): void {
		$this->errors[] = compact( 'type', 'slug', 'error' );
	}
}
