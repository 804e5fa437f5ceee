<?php
/**
 * @package Steward
 */

namespace Steward\Actions;

use Steward\Panel\License;
use Steward\Rest\Api_Error;
use Steward\Self_Update\Own_Plugin;
use Steward\Self_Update\Own_Package;
use Steward\Self_Update\Plugin_Offer;
use Steward\Self_Update\Update_Guard;
use Steward\Updating\File_Permissions;
use Steward\Health\Health_Check;
use Steward\Updating\Installed_Plugins;
use Steward\Updating\Item_Update;
use Steward\Updating\Pending_Updates;
use Steward\Updating\Plain_Error_Text;
use Steward\Updating\Plugin_Item;
use Steward\Updating\Site_Lock;
use Steward\Updating\State_Folder;
use Steward\Updating\Update_Batch;
use Steward\Updating\Versions;
use Steward\Updating\Watchdog_File;
use Steward\Watchdog\State;
use WP_Error;
use WP_REST_Request;

defined( 'ABSPATH' ) || exit;

/**
 * POST remote/self-update: updates this plugin to the version that the panel ships. Responds like remote/update, with one
 * plugin.
 */
final class Self_Update {

	/** @return array|WP_Error */
	public function handle( WP_REST_Request $request ) {
		$health = Health_Check::for_call( $request, true );
		return Logged_Call::run(
			$request,
			function ( Site_Lock $lock ) use ( $health ) {
				$permission_error = File_Permissions::site_error();
				if ( null !== $permission_error ) {
					return Api_Error::create( 'file_changes_disabled', $permission_error );
				}
				return $this->update( $lock, $health );
			}
		);
	}

	/** @return array|WP_Error */
	private function update( Site_Lock $lock, Health_Check $health ) {
		$offer     = Plugin_Offer::fetch();
		$installed = Own_Plugin::version();
		if ( is_wp_error( $offer ) ) {
			$is_rejected = 'steward_package' === $offer->get_error_code();
			return $this->respond( $this->describe_unchanged( $installed ) + [ 'error' => Plain_Error_Text::from( $offer ) ] + ( $is_rejected ? [ 'code' => 'package_rejected' ] : [] ) );
		}
		if ( Versions::are_same( $offer['version'], $installed ) ) {
			return $this->respond( $this->describe_unchanged( $installed ) );
		}
		if ( Versions::is_older( $offer['version'], $installed ) ) {
			/* translators: 1: Offered version, 2: installed version. */
			$error = sprintf( __( 'The panel offers version %1$s of the Steward plugin, which is older than the installed version %2$s. No changes were made.', 'steward' ), $offer['version'], $installed );
			return $this->respond( $this->describe_unchanged( $installed ) + [ 'error' => $error, 'code' => 'package_rejected' ] );
		}
		// Without this folder there is no lock file, and the lock would seem to be held by another request.
		if ( ! State_Folder::ensure( State::folder() ) ) {
			$error = __( 'PHP cannot write to the folder wp-content, or to its folder steward-…. Make PHP the owner of both, or make them writable. No changes were made.', 'steward' );
			return $this->respond( $this->describe_unchanged( $installed ) + [ 'error' => $error, 'code' => 'folder_not_writable' ] );
		}
		if ( ! Update_Guard::acquire_lock() ) {
			return Api_Error::create( 'site_busy' );
		}
		// Load all classes now: the files of the running code are about to be replaced.
		Own_Plugin::load_all_classes();
		Watchdog_File::install();
		if ( ! Update_Guard::install() ) {
			return $this->respond( $this->describe_unchanged( $installed ) + [ 'error' => __( 'The update cannot be protected: PHP cannot write to the folder of must-use plugins. No changes were made.', 'steward' ) ] );
		}
		Update_Guard::end();
		Plugin_Offer::store( $offer );
		Own_Package::start_remote_update();
		$batch  = new Update_Batch( $health );
		$update = new Item_Update( new Plugin_Item( Own_Plugin::file() ), $offer['version'] );
		$refusal = $batch->prepare( [ $update ] );
		if ( null !== $refusal ) {
			return $refusal;
		}
		Pending_Updates::with_pinned_lists(
			static function () use ( $batch, $update, $lock ): void {
				$batch->run( [ $update ], [ $lock, 'extend' ] );
			}
		);
		$result = $update->result();
		if ( $result['success'] ) {
			Plugin_Offer::remove();
		} elseif ( Own_Package::has_rejected() ) {
			$result['code'] = 'package_rejected';
		}
		return $this->respond( $result, $batch ) + $health->describe();
	}

	/** Returns the result for an unchanged plugin. */
	private function describe_unchanged( string $installed ): array {
		return [
			'slug'        => Own_Plugin::file(),
			'new_version' => $installed,
			'old_version' => $installed,
			'name'        => Installed_Plugins::name( Own_Plugin::file() ),
		];
	}

	/** Reports to the panel and builds the response. A result with `error` has failed. */
	private function respond( array $result, ?Update_Batch $batch = null ): array {
		$result['success'] = ! isset( $result['error'] );
		$errors            = $result['success'] ? [] : [ [ 'type' => 'plugin', 'slug' => $result['slug'], 'error' => $result['error'] ] ];
		$reported          = License::report_inventory();
		if ( is_wp_error( $reported ) ) {
			$errors[] = [ 'type' => 'system', 'slug' => null, 'error' => Plain_Error_Text::from( $reported ) ];
		}
		$awaiting = null === $batch ? null : $batch->await_verdict();
		if ( null === $awaiting ) {
			Update_Guard::remove();
		}
		return [
			'success' => $result['success'],
			'results' => [ 'plugins' => [ $result ], 'themes' => [], 'core' => null ],
			'errors'  => $errors,
		] + ( null === $awaiting ? [] : [ 'awaiting_verdict' => $awaiting ] );
	}
}
