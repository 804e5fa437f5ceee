<?php
/**
 * @package Steward
 */

namespace Steward\Admin;

use Steward\Connection;
use Steward\License_Key;
use Steward\Login\Allowed_Users;
use Steward\Panel\Check_In;
use Steward\Panel\License;
use Steward\Panel\Panel_Client;
use Steward\Watchdog\Call_Signature;
use WP_Error;

defined( 'ABSPATH' ) || exit;

/** Handles the forms of the settings page. Each form requires the capability and its own nonce. */
final class Settings_Forms {

	private const FORMS = [ 'connect', 'disconnect', 'forget', 'check', 'remote_on', 'remote_off', 'unsigned_on', 'unsigned_off', 'login_on', 'login_off' ];

	public function register(): void {
		foreach ( self::FORMS as $form ) {
			add_action(
				"admin_post_steward_{$form}",
				function () use ( $form ) {
					$this->handle( $form );
				}
			);
		}
	}

	/** Prints the hidden fields of a form. */
	public static function print_hidden_fields( string $form ): void {
		// wp_nonce_field() would give all forms on the page the same element id.
		printf( '<input type="hidden" name="action" value="steward_%s">', esc_attr( $form ) );
		printf( '<input type="hidden" name="_wpnonce" value="%s">', esc_attr( wp_create_nonce( "steward_{$form}" ) ) );
	}

	private function handle( string $form ): void {
		if ( ! current_user_can( Settings_Page::capability() ) ) {
			wp_die( esc_html__( 'You are not allowed to change the Steward connection of this site.', 'steward' ), '', [ 'response' => 403 ] );
		}
		check_admin_referer( "steward_{$form}" );
		$result = $this->{$form}();
		if ( is_wp_error( $result ) ) {
			Flash::store_failure( $result->get_error_message(), $this->posted_value( 'panel_url' ), 'disconnect' === $form );
		} else {
			Flash::store_success( $result );
		}
		// wp_safe_redirect() allows only the host of the home page; the admin area may have another host.
		wp_redirect( Settings_Page::url() ); // phpcs:ignore WordPress.Security.SafeRedirect
		exit;
	}

	/** @return string|WP_Error */
	private function connect() {
		$panel_url = $this->posted_value( 'panel_url' );
		$panel_url = false === strpos( $panel_url, '://' ) ? 'https://' . $panel_url : $panel_url;
		$parts     = wp_parse_url( $panel_url );
		if ( ! in_array( $parts['scheme'] ?? '', [ 'http', 'https' ], true ) || empty( $parts['host'] ) ) {
			return new WP_Error( 'panel_url', __( 'The panel address is not valid. Enter an address such as https://panel.example.com.', 'steward' ) );
		}
		$posted_key  = $this->posted_value( 'license_key' );
		$license_key = License_Key::normalize( $posted_key ) ?? License_Key::normalize( $posted_key, License_Key::ENROLMENT_PREFIX );
		if ( null === $license_key ) {
			return new WP_Error( 'license_key', __( 'This is not a valid license key or enrolment code. Check it for typing errors, or copy it again.', 'steward' ) );
		}
		$result = License::connect( $panel_url, $license_key );
		if ( is_wp_error( $result ) ) {
			return $result;
		}
		// Reports the inventory at once. If this fails, the next check-in reports it.
		Check_In::run_after_connecting();
		return '' === Connection::state()['endpoint_fault']
			? __( 'This site is connected.', 'steward' )
			: __( 'The license is active on this site.', 'steward' );
	}

	/** @return string|WP_Error */
	private function disconnect() {
		$result = License::disconnect();
		if ( ! is_wp_error( $result ) ) {
			return __( 'This site is disconnected. Its license seat is free.', 'steward' );
		}
		$message = $result->get_error_message();
		return Panel_Client::UNAVAILABLE === $result->get_error_code()
			/* translators: %s: Error message. */
			? new WP_Error( 'disconnect', sprintf( __( '%s The license seat is still in use. Try again later, or forget the connection here and disconnect the site in the panel.', 'steward' ), $message ) )
			: $result;
	}

	private function forget(): string {
		Connection::forget();
		return __( 'The connection is removed from this site. Disconnect the site in the panel to free its license seat.', 'steward' );
	}

	/** @return string|WP_Error */
	private function check() {
		$result = Check_In::run( true );
		return is_wp_error( $result ) ? $result : __( 'The license is valid. The panel has received the inventory of this site.', 'steward' );
	}

	private function remote_on(): string {
		Connection::switch_remote( true );
		return __( 'Remote management is on.', 'steward' );
	}

	private function remote_off(): string {
		Connection::switch_remote( false );
		return __( 'Remote management is off.', 'steward' );
	}

	private function unsigned_on(): string {
		return $this->switch_unsigned( true, __( 'This site now accepts unsigned calls.', 'steward' ) );
	}

	private function unsigned_off(): string {
		return $this->switch_unsigned( false, __( 'This site now refuses unsigned calls.', 'steward' ) );
	}

	private function switch_unsigned( bool $is_on, string $message ): string {
		update_option( Call_Signature::UNSIGNED_OPTION, $is_on ? '1' : '' );
		// The panel records the switch. If it is unreachable, the next check-in reports it.
		License::report_inventory();
		return $message;
	}

	/** @return string|WP_Error */
	private function login_on() {
		$users = Login_Settings::choosable_users( $this->posted_ids( 'users' ) );
		if ( [] === $users ) {
			return new WP_Error( 'login', __( 'Choose at least one user whose password you may change.', 'steward' ) );
		}
		Allowed_Users::store( $users );
		// The panel offers the log-in when it knows of it. If it is unreachable, the next check-in reports it.
		License::report_inventory();
		return __( 'Users of the panel can now log in as the chosen users.', 'steward' );
	}

	private function login_off(): string {
		Allowed_Users::turn_off();
		return __( 'Users of the panel can no longer log in to this site.', 'steward' );
	}

	/** @return int[] */
	private function posted_ids( string $name ): array {
		// handle() has checked the nonce.
		$posted = $_POST[ $name ] ?? []; // phpcs:ignore WordPress.Security
		return is_array( $posted ) ? array_map( 'absint', array_filter( $posted, 'is_string' ) ) : [];
	}

	private function posted_value( string $name ): string {
		// handle() has checked the nonce.
		return isset( $_POST[ $name ] ) && is_string( $_POST[ $name ] ) ? trim( sanitize_text_field( wp_unslash( $_POST[ $name ] ) ) ) : ''; // phpcs:ignore WordPress.Security.NonceVerification
	}
}
