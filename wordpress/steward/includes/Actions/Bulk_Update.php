<?php
/**
 * @package Steward
 */

namespace Steward\Actions;

use Steward\Panel\License;
use Steward\Rest\Refusal;
use Steward\Updating\Core_Update;
use Steward\Updating\Health_Check;
use Steward\Updating\Installed_Plugins;
use Steward\Updating\Item;
use Steward\Updating\Item_Update;
use Steward\Updating\Offers;
use Steward\Updating\Plugin_Item;
use Steward\Updating\Site_Lock;
use Steward\Updating\Theme_Item;
use Steward\Updating\Upgrade_Message;
use Steward\Updating\Watchdog_File;
use Steward\Updating\Wordpress_Admin;
use WP_Error;

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
	public function handle() {
		return Site_Lock::hold(
			function ( Site_Lock $lock ) {
				if ( ! Wordpress_Admin::allows_file_changes() ) {
					return Refusal::because( 'file_changes_disabled' );
				}
				$this->lock   = $lock;
				$this->health = new Health_Check();
				Watchdog_File::install();
				return $this->update_all();
			}
		);
	}

	private function update_all(): array {
		Offers::look_if_never_done();
		$results = Offers::pinned(
			function () {
				$plugins = $this->update_plugins( Offers::plugins() );
				$themes  = $this->update_themes( Offers::themes() );
				$core    = $this->update_core( Offers::core() );
				return compact( 'plugins', 'themes', 'core' );
			}
		);
		$success = [] === $this->errors;
		$this->refresh_and_report();
		return [
			'success' => $success,
			'results' => $results,
			'errors'  => $this->errors,
		];
	}

	private function update_plugins( array $offered ): array {
		$results = [];
		foreach ( $offered as $plugin => $version ) {
			// Replacing ourselves while we work is asking for trouble; our own updates come another way.
			if ( ! Installed_Plugins::is_management( $plugin ) ) {
				$results[] = $this->update_item( 'plugin', new Plugin_Item( $plugin ), $version );
			}
		}
		return $results;
	}

	private function update_themes( array $offered ): array {
		$results = [];
		foreach ( $offered as $theme => $version ) {
			$results[] = $this->update_item( 'theme', new Theme_Item( $theme ), $version );
		}
		return $results;
	}

	private function update_item( string $type, Item $item, string $version ): array {
		$this->lock->extend();
		$result = ( new Item_Update( $item, $version, $this->health ) )->run();
		if ( ! $result['success'] ) {
			$this->note( $type, $item->slug(), $result['error'] );
		}
		return $result;
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
		return $result;
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
