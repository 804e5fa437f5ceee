<?php
/**
 * @package Steward
 */

namespace Steward\Panel;

use Steward\Connection;
use Steward\Watchdog\Error_Store;
use Steward\Watchdog\Error_Watch;

defined( 'ABSPATH' ) || exit;

/** Reports the errors that the watchdog has counted. Each report of the inventory contains them too. */
final class Error_Report {

	/** Error_Check of the watchdog schedules this event. The watchdog may be that of an older version. */
	private const EVENT = 'steward_report_errors';

	public static function register(): void {
		add_action( self::EVENT, [ self::class, 'send_if_due' ] );
	}

	public static function unschedule(): void {
		wp_clear_scheduled_hook( self::EVENT );
	}

	/** Sends an immediate report if there are news and the limits allow it. */
	public static function send_if_due(): void {
		if ( ! self::is_available() || ! Connection::is_connected() || ! Error_Store::claim_report() ) {
			return;
		}
		$due_number = self::due_number();
		$response   = License::report_errors();
		if ( is_wp_error( $response ) ) {
			error_log( 'Steward: could not report errors: ' . $response->get_error_message() );
			return;
		}
		self::mark_reported( $due_number );
	}

	/** Returns the fields that each report contains if the panel knows them. */
	public static function fields(): array {
		return self::is_available() ? [ 'item_errors' => Error_Store::build_report() ] : [];
	}

	/** Identifies the news that a report contains. */
	public static function due_number(): int {
		return self::is_available() ? Error_Store::due_number() : 0;
	}

	/** @param int $due_number Result of due_number() before the report. */
	public static function mark_reported( int $due_number ): void {
		self::is_available() && Error_Store::mark_reported( $due_number );
	}

	/** The files of the watchdog are incomplete while this plugin is replaced. */
	private static function is_available(): bool {
		return Capabilities::panel_supports( Capabilities::ITEM_ERRORS ) && class_exists( Error_Watch::class, false ) && Error_Watch::load();
	}
}
