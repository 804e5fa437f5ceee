<?php
/**
 * @package Steward
 */

namespace Steward\Admin;

use Steward\Connection;

defined( 'ABSPATH' ) || exit;

/** The result message of a form on the settings page. Shown once, to the user who submitted the form. */
final class Flash {

	/** @var array|null */
	private static $shown = null;

	public static function success( string $message ): void {
		self::store( [ 'type' => 'success', 'message' => $message ] );
	}

	public static function failure( string $message, string $panel_url, bool $offers_forgetting ): void {
		self::store( [ 'type' => 'error', 'message' => $message, 'panel_url' => $panel_url, 'offers_forgetting' => $offers_forgetting ] );
	}

	public static function show(): void {
		$flash = self::load();
		if ( [] !== $flash ) {
			printf( '<div class="notice notice-%s inline" id="steward-message"><p>%s</p></div>', esc_attr( $flash['type'] ), esc_html( $flash['message'] ) );
		}
	}

	/** After a failed submission the user need not type the address again. */
	public static function prefilled_panel_url(): string {
		return (string) ( self::load()['panel_url'] ?? '' ) ?: ( Connection::panel_url() ?: Suggested_Panel::url() );
	}

	public static function offers_forget(): bool {
		return (bool) ( self::load()['offers_forgetting'] ?? false );
	}

	private static function store( array $flash ): void {
		set_transient( self::name(), $flash, 5 * MINUTE_IN_SECONDS );
	}

	private static function load(): array {
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
