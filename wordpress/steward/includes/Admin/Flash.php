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
	private static $loaded = null;

	public static function store_success( string $message ): void {
		self::store( [ 'type' => 'success', 'message' => $message ] );
	}

	public static function store_failure( string $message, string $panel_url, bool $offers_forgetting ): void {
		self::store( [ 'type' => 'error', 'message' => $message, 'panel_url' => $panel_url, 'offers_forgetting' => $offers_forgetting ] );
	}

	public static function show(): void {
		$flash = self::load();
		if ( [] !== $flash ) {
			printf( '<div class="notice notice-%s inline" id="steward-message"><p>%s</p></div>', esc_attr( $flash['type'] ), esc_html( $flash['message'] ) );
		}
	}

	/** Returns the address from a failed submission, so that the user need not type it again, or a default. */
	public static function prefilled_panel_url(): string {
		return (string) ( self::load()['panel_url'] ?? '' ) ?: ( Connection::panel_url() ?: Suggested_Panel::url() );
	}

	public static function offers_forgetting(): bool {
		return (bool) ( self::load()['offers_forgetting'] ?? false );
	}

	private static function store( array $flash ): void {
		set_transient( self::name(), $flash, 5 * MINUTE_IN_SECONDS );
	}

	private static function load(): array {
		if ( null === self::$loaded ) {
			$flash        = get_transient( self::name() );
			self::$loaded = is_array( $flash ) ? $flash : [];
			delete_transient( self::name() );
		}
		return self::$loaded;
	}

	private static function name(): string {
		return 'steward_flash_' . get_current_user_id();
	}
}
