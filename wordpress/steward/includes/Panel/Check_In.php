<?php
/**
 * @package Steward
 */

namespace Steward\Panel;

use Steward\Connection;
use Steward\Rest\Rest_Address;
use Steward\Updating\Admin_Includes;
use Steward\Updating\Pending_Updates;
use Steward\Updating\State_Move;
use WP_Error;

defined( 'ABSPATH' ) || exit;

/** The check-in with the panel, about twice a day. The panel sets the interval. */
final class Check_In {

	const EVENT = 'steward_check_in';

	private const RETRY_SECONDS          = 15 * MINUTE_IN_SECONDS;
	private const REFUSED_RETRY_SECONDS  = 12 * HOUR_IN_SECONDS;
	private const MIN_DELAY_SECONDS      = MINUTE_IN_SECONDS;
	private const MAX_NEW_BUILD_DELAY_SECONDS  = 5 * MINUTE_IN_SECONDS;
	private const MAX_DELAY_SECONDS      = 7 * DAY_IN_SECONDS;
	private const MAX_PROOF_WAIT_SECONDS = 10;

	public function register(): void {
		add_action( self::EVENT, [ self::class, 'run' ] );
		// A database restore or a killed check-in can lose the event.
		add_action( 'init', [ self::class, 'ensure_scheduled' ] );
		// The activation hook would be too early: the panel cannot reach a plugin that WordPress does not load yet.
		add_action( 'activated_plugin', [ self::class, 'enrol_on_activation' ] );
	}

	/** Connects this site when Steward is activated and has an enrolment code. */
	public static function enrol_on_activation( string $plugin ): void {
		if ( plugin_basename( \Steward\PLUGIN_FILE ) !== $plugin || Connection::is_connected() ) {
			return;
		}
		Enrolment_Code::allow_retry();
		if ( Enrolment_Code::is_pending() ) {
			self::enrol();
		}
	}

	/** @return true|WP_Error */
	private static function enrol() {
		$result = Enrolment_Code::connect();
		if ( ! is_wp_error( $result ) ) {
			return self::run_after_connecting();
		}
		if ( Enrolment_Code::is_pending() ) {
			self::schedule( self::delay_after( $result ) );
		}
		return $result;
	}

	/**
	 * @param bool $requests_probe Whether the panel should try to call this site. Used when a user waits for the result.
	 * @return true|WP_Error
	 */
	public static function run( bool $requests_probe = false ) {
		if ( ! Connection::is_connected() && Enrolment_Code::is_pending() ) {
			return self::enrol();
		}
		Connection::update_state( [ 'checked_in_build' => Capabilities::build() ] );
		State_Move::run_if_needed();
		$seconds = License::check();
		if ( is_wp_error( $seconds ) && Enrolment::ADDRESS_NOT_PROVEN === $seconds->get_error_code() ) {
			// An earlier request may have obtained a site key and been killed before the address was proven.
			Enrolment::restore_previous_key();
		}
		self::schedule( self::delay_after( $seconds ) );
		if ( is_wp_error( $seconds ) ) {
			return $seconds;
		}
		// A new copy of the plugin may contain an enrolment code, which a connected site does not need.
		Enrolment_Code::delete_file();
		// Each check-in reports pending updates: new updates appear without any action on the site.
		Admin_Includes::load();
		Pending_Updates::refresh();
		Connection::update_state( [ 'endpoint_url' => Rest_Address::find_working_url() ] );
		return License::report_inventory( $requests_probe );
	}

	/**
	 * Runs the first check-in while the user waits. Repeats it for some seconds after a reconnect: the new site key is not
	 * valid until the address of the site is proven.
	 *
	 * @return true|WP_Error
	 */
	public static function run_after_connecting() {
		$deadline = time() + self::MAX_PROOF_WAIT_SECONDS;
		do {
			$result     = self::run( true );
			$is_pending = is_wp_error( $result ) && Enrolment::ADDRESS_NOT_PROVEN === $result->get_error_code();
			$is_pending && sleep( 1 );
		} while ( $is_pending && time() < $deadline );
		if ( $is_pending ) {
			Connection::update_state( [ 'endpoint_fault' => $result->get_error_message() ] );
		}
		return $result;
	}

	public static function ensure_scheduled(): void {
		if ( ! Connection::is_connected() ) {
			self::ensure_enrolment_scheduled();
		} elseif ( Connection::state()['checked_in_build'] !== Capabilities::build() ) {
			self::schedule_for_new_build();
		} elseif ( ! wp_next_scheduled( self::EVENT ) ) {
			self::schedule( wp_rand( self::MIN_DELAY_SECONDS, HOUR_IN_SECONDS ) );
		}
	}

	/** Needed if the plugin was activated without hooks, or if the code was added to wp-config.php later. */
	private static function ensure_enrolment_scheduled(): void {
		if ( ! Enrolment_Code::is_pending() ) {
			self::unschedule();
		} elseif ( ! wp_next_scheduled( self::EVENT ) ) {
			self::schedule( self::MIN_DELAY_SECONDS );
		}
	}

	/** The panel must not wait half a day for the new capabilities of an updated plugin. */
	private static function schedule_for_new_build(): void {
		// Store the build now, not after the check-in: a failed check-in schedules its own retry.
		Connection::update_state( [ 'checked_in_build' => Capabilities::build() ] );
		$scheduled_at = wp_next_scheduled( self::EVENT );
		if ( ! $scheduled_at || $scheduled_at > time() + self::MAX_NEW_BUILD_DELAY_SECONDS ) {
			self::schedule( wp_rand( self::MIN_DELAY_SECONDS, self::MAX_NEW_BUILD_DELAY_SECONDS ) );
		}
	}

	public static function unschedule(): void {
		if ( wp_next_scheduled( self::EVENT ) ) {
			wp_clear_scheduled_hook( self::EVENT );
		}
	}

	/** @param int|WP_Error $result Interval from the panel, or the error of the check-in. */
	private static function delay_after( $result ): int {
		if ( ! is_wp_error( $result ) ) {
			return $result;
		}
		// An unavailable panel and a pending proof of address are transient errors. Other errors are not.
		$is_transient = in_array( $result->get_error_code(), [ Panel_Client::UNAVAILABLE, Enrolment::ADDRESS_NOT_PROVEN ], true );
		$delay        = $is_transient ? self::RETRY_SECONDS : self::REFUSED_RETRY_SECONDS;
		return $delay + wp_rand( 0, $delay );
	}

	private static function schedule( int $seconds ): void {
		self::unschedule();
		wp_schedule_single_event( time() + min( self::MAX_DELAY_SECONDS, max( self::MIN_DELAY_SECONDS, $seconds ) ), self::EVENT );
	}
}
