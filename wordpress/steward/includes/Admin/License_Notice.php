<?php
/**
 * @package Steward
 */

namespace Steward\Admin;

use Steward\Connection;

defined( 'ABSPATH' ) || exit;

/** Shows license problems on all admin pages except the settings page, to users who can manage the connection. */
final class License_Notice {

	public function register(): void {
		add_action( 'admin_notices', [ $this, 'show' ] );
		add_action( 'network_admin_notices', [ $this, 'show' ] );
	}

	public function show(): void {
		$screen = get_current_screen();
		if ( ! current_user_can( Settings_Page::capability() ) || ( $screen && 'settings_page_' . Settings_Page::SLUG === $screen->id ) ) {
			return;
		}
		$message = $this->message( $screen ? $screen->id : '' );
		if ( null !== $message ) {
			printf(
				'<div class="notice notice-warning" id="steward-license-notice"><p><strong>%s</strong> %s <a href="%s">%s</a></p></div>',
				esc_html__( 'Steward:', 'steward' ),
				esc_html( $message ),
				esc_url( Settings_Page::url() ),
				esc_html__( 'Settings', 'steward' )
			);
		}
	}

	private function message( string $screen ): ?string {
		if ( ! Connection::is_connected() ) {
			return in_array( $screen, [ 'dashboard', 'plugins', 'plugins-network' ], true )
				? __( 'This site is not connected to a panel yet.', 'steward' )
				: null;
		}
		return Connection::is_licensed() ? null : License_Summary::status();
	}
}
