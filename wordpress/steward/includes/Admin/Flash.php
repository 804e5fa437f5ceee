<?php
/**
 * @package Steward
 */

namespace Steward\Admin;

use Steward\Connection;

defined( 'ABSPATH' ) || exit;

/** What the settings page says after a button was pressed, once, to the person who pressed it. */
final class Flash {

	/** @var array|null */
	private static $shown = null;

	public static function success( string $message ): void {
		self::keep( [ 'type' => 'success', 'message' => $message ] );
	}

	public static function failure( string $message, string $panel_url, bool $offers_forgetting ): void {
		self::keep( [ 'type' => 'error', 'message' => $message, 'panel_url' => $panel_url, 'offers_forgetting' => $offers_forgetting ] );
	}

	public static function show(): void {
		$flash = self::take();
		if ( [] !== $flash ) {
			printf( '<div class="notice notice-%s inline" id="steward-message"><p>%s</p></div>', esc_attr( $flash['type'] ), esc_html( $flash['message'] ) );
		}
	}

	/** What was typed before something was wrong with it, so that nobody types it twice; else what is known. */
	public static function entered_panel_url(): string {
		return (string) ( self::take()['panel_url'] ?? '' ) ?: ( Connection::panel_url() ?: Suggested_Panel::url() );
	}

	public static function is_forgetting_offered(): bool {
		return (bool) ( self::take()['offers_forgetting'] ?? false );
	}

	private static function keep( array $flash ): void {
		set_transient( self::name(), $flash, 5 * MINUTE_IN_SECONDS );
	}

	private static function take(): array {
		if ( null === self::$shown ) {
			$flash       = get_transient( self::name() );
			self::$shown = is_array( $flash ) ? $flash : [];
			delete_transient( self::name() );
		}
		return self::$shown;
	}

	private static function name(): string {
		return 'steward_flash_' . get_current_user_id();
	}
}
