<?php
/**
 * @package Steward
 */

namespace Steward\Admin;

use Steward\Connection;
use Steward\License_Key;
use Steward\Panel\Check_In;
use Steward\Panel\License;
use Steward\Panel\Panel_Client;
use Steward\Watchdog\Call_Signature;
use WP_Error;

defined( 'ABSPATH' ) || exit;

/** What the buttons of the settings page do. Each needs the capability and a nonce of its own. */
final class Settings_Forms {

	private const FORMS = [ 'connect', 'disconnect', 'forget', 'check', 'remote_on', 'remote_off', 'unsigned_on', 'unsigned_off' ];

	public function register(): void {
		foreach ( self::FORMS as $form ) {
			add_action(
				"admin_post_steward_{$form}",
				function () use ( $form ) {
					$this->receive( $form );
				}
			);
		}
	}

	/** The hidden fields of a form. */
	public static function fields( string $form ): void {
		// By hand: wp_nonce_field() would give each of several forms on a page the same id.
		printf( '<input type="hidden" name="action" value="steward_%s">', esc_attr( $form ) );
		printf( '<input type="hidden" name="_wpnonce" value="%s">', esc_attr( wp_create_nonce( "steward_{$form}" ) ) );
	}

	private function receive( string $form ): void {
		if ( ! current_user_can( Settings_Page::capability() ) ) {
			wp_die( esc_html__( 'You may not change how this site is connected.', 'steward' ), '', [ 'response' => 403 ] );
		}
		check_admin_referer( "steward_{$form}" );
		$result = $this->{$form}();
		if ( is_wp_error( $result ) ) {
			Flash::failure( $result->get_error_message(), $this->entered( 'panel_url' ), 'disconnect' === $form );
		} else {
			Flash::success( $result );
		}
		// The safe one knows the host of the home page alone, and the admin area may have another.
		wp_redirect( Settings_Page::url() ); // phpcs:ignore WordPress.Security.SafeRedirect
		exit;
	}

	/** @return string|WP_Error */
	private function connect() {
		$panel_url = $this->entered( 'panel_url' );
		$panel_url = false === strpos( $panel_url, '://' ) ? 'https://' . $panel_url : $panel_url;
		$parts     = wp_parse_url( $panel_url );
		if ( ! in_array( $parts['scheme'] ?? '', [ 'http', 'https' ], true ) || empty( $parts['host'] ) ) {
			return new WP_Error( 'panel_url', __( 'The address of the panel is not valid. It looks like https://panel.example.com.', 'steward' ) );
		}
		$license_key = License_Key::normalize( $this->entered( 'license_key' ) );
		if ( null === $license_key ) {
			return new WP_Error( 'license_key', __( 'This license key has a typing error. Copy it once more.', 'steward' ) );
		}
		$result = License::connect( $panel_url, $license_key );
		if ( is_wp_error( $result ) ) {
			return $result;
		}
		// So that the panel shows what is installed at once; if that fails, the next check-in does it.
		Check_In::run_after_connecting();
		return '' === Connection::state()['endpoint_fault']
			? __( 'This site is connected.', 'steward' )
			: __( 'The license is active on this site.', 'steward' );
	}

	/** @return string|WP_Error */
	private function disconnect() {
		$result = License::disconnect();
		if ( ! is_wp_error( $result ) ) {
			return __( 'This site is disconnected, and its slot is free.', 'steward' );
		}
		$message = $result->get_error_message();
		return Panel_Client::UNAVAILABLE === $result->get_error_code()
			/* translators: %s: Error message. */
			? new WP_Error( 'disconnect', sprintf( __( '%s The slot was not freed. Try again later, or forget the connection here and release the site in the panel.', 'steward' ), $message ) )
			: $result;
	}

	private function forget(): string {
		Connection::forget();
		return __( 'The connection is forgotten. Release the site in the panel to free its slot.', 'steward' );
	}

	/** @return string|WP_Error */
	private function check() {
		$result = Check_In::run( true );
		return is_wp_error( $result ) ? $result : __( 'The license is valid, and the panel knows what is installed here.', 'steward' );
	}

	private function remote_on(): string {
		Connection::switch_remote( true );
		return __( 'Remote is on.', 'steward' );
	}

	private function remote_off(): string {
		Connection::switch_remote( false );
		return __( 'Remote is off.', 'steward' );
	}

	private function unsigned_on(): string {
		return $this->switch_unsigned( true, __( 'Unsigned calls are accepted.', 'steward' ) );
	}

	private function unsigned_off(): string {
		return $this->switch_unsigned( false, __( 'Unsigned calls are refused.', 'steward' ) );
	}

	private function switch_unsigned( bool $is_on, string $done ): string {
		update_option( Call_Signature::UNSIGNED, $is_on ? '1' : '' );
		// The panel records it; if it cannot be reached, it learns of it with the next check-in.
		License::verify_site();
		return $done;
	}

	private function entered( string $name ): string {
		// The nonce was checked before this is called.
		return isset( $_POST[ $name ] ) && is_string( $_POST[ $name ] ) ? trim( sanitize_text_field( wp_unslash( $_POST[ $name ] ) ) ) : ''; // phpcs:ignore WordPress.Security.NonceVerification
	}
}
