<?php
/**
 * @package Steward
 */

namespace Steward\Panel;

use Steward\Connection;
use Steward\Rest\Rest_Address;
use Steward\Updating\Offers;
use Steward\Updating\Wordpress_Admin;
use WP_Error;

defined( 'ABSPATH' ) || exit;

/** Asks the panel from time to time, about twice a day: when it wants to be asked. */
final class Check_In {

	const EVENT = 'steward_check_in';

	private const RETRY_SECONDS      = 15 * MINUTE_IN_SECONDS;
	private const HALF_A_DAY_SECONDS = 12 * HOUR_IN_SECONDS;
	private const SHORTEST_SECONDS   = MINUTE_IN_SECONDS;
	private const LONGEST_SECONDS    = 7 * DAY_IN_SECONDS;
	private const PROOF_SECONDS      = 10;

	public function register(): void {
		add_action( self::EVENT, [ self::class, 'run' ] );
		// An event may get lost: with a restored database, or when a check-in dies.
		add_action( 'init', [ self::class, 'ensure_scheduled' ] );
	}

	/**
	 * @param bool $asks_for_probe Whether the panel should try to call this site: a user waits for the result.
	 * @return true|WP_Error
	 */
	public static function run( bool $asks_for_probe = false ) {
		$seconds = License::check();
		if ( is_wp_error( $seconds ) && Enrolment::PENDING === $seconds->get_error_code() ) {
			// Left by a move that was killed in the middle.
			Enrolment::move_back();
		}
		self::schedule( self::pause_after( $seconds ) );
		if ( is_wp_error( $seconds ) ) {
			return $seconds;
		}
		// What is pending changes by itself, so each check-in also looks and reports.
		Wordpress_Admin::load();
		Offers::refresh();
		Connection::change_state( [ 'endpoint_url' => Rest_Address::working() ] );
		return License::verify_site( $asks_for_probe );
	}

	/**
	 * The first, for which a user waits. A site that is connected again has to wait for the panel to call it: until then its
	 * new key opens nothing.
	 *
	 * @return true|WP_Error
	 */
	public static function run_after_connecting() {
		$until = time() + self::PROOF_SECONDS;
		do {
			$result     = self::run( true );
			$is_pending = is_wp_error( $result ) && Enrolment::PENDING === $result->get_error_code();
			$is_pending && sleep( 1 );
		} while ( $is_pending && time() < $until );
		if ( $is_pending ) {
			Connection::change_state( [ 'endpoint_fault' => $result->get_error_message() ] );
		}
		return $result;
	}

	public static function ensure_scheduled(): void {
		if ( ! Connection::is_connected() ) {
			self::unschedule();
		} elseif ( ! wp_next_scheduled( self::EVENT ) ) {
			self::schedule( wp_rand( self::SHORTEST_SECONDS, HOUR_IN_SECONDS ) );
		}
	}

	public static function unschedule(): void {
		if ( wp_next_scheduled( self::EVENT ) ) {
			wp_clear_scheduled_hook( self::EVENT );
		}
	}

	/** @param int|WP_Error $answer What the panel wishes, or why it does not. */
	private static function pause_after( $answer ): int {
		if ( ! is_wp_error( $answer ) ) {
			return $answer;
		}
		// Silence may pass soon, and so may that the panel has not reached this site yet. Another refusal will not.
		$passes = in_array( $answer->get_error_code(), [ Panel_Client::UNAVAILABLE, Enrolment::PENDING ], true );
		$pause  = $passes ? self::RETRY_SECONDS : self::HALF_A_DAY_SECONDS;
		return $pause + wp_rand( 0, $pause );
	}

	private static function schedule( int $seconds ): void {
		self::unschedule();
		wp_schedule_single_event( time() + min( self::LONGEST_SECONDS, max( self::SHORTEST_SECONDS, $seconds ) ), self::EVENT );
	}
}
