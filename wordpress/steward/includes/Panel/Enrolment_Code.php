<?php
/**
 * @package Steward
 */

namespace Steward\Panel;

use Steward\Admin\Suggested_Panel;
use Steward\Connection;
use Steward\License_Key;
use Steward\Updating\Admin_Includes;
use WP_Error;
use WP_Upgrader;

defined( 'ABSPATH' ) || exit;

/**
 * The code that connects this site without a user: from the zip of the plugin (enrolment.php), or from wp-config.php
 * (STEWARD_ENROLMENT_CODE, and STEWARD_PANEL_URL for the address of the panel).
 */
final class Enrolment_Code {

	/** The last attempt. Not part of the connection: it stays after a disconnect, so that the site does not use the code again. */
	const OPTION = 'steward_enrolment';

	private const DEFAULT_STATE = [
		'code_hash'      => '',
		'first_tried_at' => 0,
		'is_final'       => false, // The site does not try again: the panel accepted or refused the code, or MAX_RETRY_SECONDS have passed.
		'error'          => '',
	];

	private const LOCK         = 'steward_enrolment';
	private const LOCK_SECONDS = 2 * MINUTE_IN_SECONDS;

	/** A code expires after this time. */
	private const MAX_RETRY_SECONDS = DAY_IN_SECONDS;

	/** Whether there is a code with which the site still tries to connect. */
	public static function is_pending(): bool {
		return '' !== self::code() && '' !== self::panel_url() && ! ( self::is_tried() && self::state()['is_final'] );
	}

	/** Returns why this code did not connect the site, or an empty string. */
	public static function error(): string {
		return '' !== self::code() && self::is_tried() ? (string) self::state()['error'] : '';
	}

	/** Makes a refused code pending again. Call this only on a user action: the site must not retry forever. */
	public static function allow_retry(): void {
		delete_option( self::OPTION );
	}

	/**
	 * Connects this site. Does nothing while another request does the same.
	 *
	 * @return true|WP_Error
	 */
	public static function connect() {
		Admin_Includes::load();
		if ( ! WP_Upgrader::create_lock( self::LOCK, self::LOCK_SECONDS ) ) {
			return new WP_Error( Panel_Client::UNAVAILABLE, __( 'Another request is connecting this site.', 'steward' ) );
		}
		try {
			// The request that held the lock may have connected this site.
			wp_cache_delete( 'alloptions', 'options' );
			wp_cache_delete( 'notoptions', 'options' );
			return Connection::is_connected() ? true : self::send();
		} finally {
			WP_Upgrader::release_lock( self::LOCK );
		}
	}

	/** @return true|WP_Error */
	private static function send() {
		$first_tried_at = self::is_tried() ? (int) self::state()['first_tried_at'] : time();
		// Store the attempt first: this request may be killed.
		self::store( $first_tried_at, false, '' );
		$code   = License_Key::normalize( self::code(), License_Key::ENROLMENT_PREFIX );
		$result = null === $code
			? new WP_Error( 'enrolment_code', __( 'The enrolment code is not valid. Create a new one in the panel.', 'steward' ) )
			: License::connect( self::panel_url(), $code );
		if ( ! is_wp_error( $result ) ) {
			self::store( $first_tried_at, true, '' );
			self::delete_file();
			return true;
		}
		$is_transient = Panel_Client::UNAVAILABLE === $result->get_error_code() && time() - $first_tried_at < self::MAX_RETRY_SECONDS;
		self::store( $first_tried_at, ! $is_transient, $result->get_error_message() );
		return $result;
	}

	/** Call this on a connected site, which needs no code. Ignores errors: PHP may not have the right to delete the file. */
	public static function delete_file(): void {
		if ( is_file( self::file() ) ) {
			@unlink( self::file() );
		}
	}

	private static function code(): string {
		$constant = self::constant( 'STEWARD_ENROLMENT_CODE' );
		if ( '' !== $constant ) {
			return $constant;
		}
		$code = is_file( self::file() ) ? include self::file() : '';
		return is_string( $code ) ? trim( $code ) : '';
	}

	private static function panel_url(): string {
		return self::constant( 'STEWARD_PANEL_URL' ) ?: Suggested_Panel::url();
	}

	private static function constant( string $name ): string {
		$value = defined( $name ) ? constant( $name ) : '';
		return is_string( $value ) ? trim( $value ) : '';
	}

	private static function file(): string {
		return dirname( \Steward\PLUGIN_FILE ) . '/enrolment.php';
	}

	private static function is_tried(): bool {
		return hash_equals( (string) self::state()['code_hash'], hash( 'sha256', self::code() ) );
	}

	private static function state(): array {
		$state = get_option( self::OPTION, [] );
		return array_merge( self::DEFAULT_STATE, is_array( $state ) ? $state : [] );
	}

	private static function store( int $first_tried_at, bool $is_final, string $error ): void {
		update_option(
			self::OPTION,
			[
				'code_hash'      => hash( 'sha256', self::code() ),
				'first_tried_at' => $first_tried_at,
				'is_final'       => $is_final,
				'error'          => $error,
			],
			false
		);
	}
}
