<?php
/**
 * @package Steward
 */

namespace Steward\Panel;

use Steward\Connection;
use Steward\Login\Allowed_Users;
use const Steward\VERSION;

defined( 'ABSPATH' ) || exit;

/** Protocol extensions. An extension is used only if both sides support it. */
final class Capabilities {

	/** Results include names, previous versions, warnings, renamed files, and whether the update was verified or rolled back. */
	const RESULT_DETAILS = 'result_details';

	/** The panel checks the pages of a site that cannot open its own pages, and orders a rollback if they are broken. */
	const OUTSIDE_LOOK = 'outside_look';

	/** On request, the panel calls the site and reports whether the call succeeded. */
	const PROBE = 'probe';

	/** This site has its own key, which is valid for no other site. */
	const SITE_KEY = 'site_key';

	/** The panel signs its calls. This site refuses unsigned calls, unless an administrator accepts them. */
	const SIGNED_CALLS = 'signed_calls';

	/** This site logs the calls that it executes, and reports the log. */
	const CALL_LOG = 'call_log';

	/** The panel can request updates of single items. */
	const UPDATE_ITEMS = 'update.items';

	/** The panel can install new plugins and themes, in signed calls only. */
	const INSTALL = 'install';

	/** The panel can restore saved versions of plugins and themes. */
	const RESTORE = 'restore';

	/** The panel can ask this site to update the Steward plugin, and offers its package. */
	const SELF_UPDATE = 'self_update';

	/** The update guard of this site restores the Steward plugin after a signed verdict of the panel. */
	const UPDATE_GUARD = 'update_guard';

	/** This site reports what the panel needs to predict whether an update would fail. */
	const PREFLIGHT = 'preflight';

	/** This site reports requests that ended in a fatal error. */
	const ITEM_ERRORS = 'item_errors';

	/** The panel names pages that the owner of the site has marked, and reads how far a change was checked. */
	const PAGE_CHECKS = 'page_checks';

	/** Users of the panel can log in as chosen users. Named only while an administrator of this site allows it. */
	const LOGIN = 'login';

	/** This site reports when its backup plugins last completed a backup. */
	const BACKUP_STATE = 'backup_state';

	// WordPress has a polyfill for sodium, but a host can disable these functions.
	private const NEED_SODIUM = [ self::SITE_KEY, self::SIGNED_CALLS, self::CALL_LOG, self::INSTALL, self::SELF_UPDATE, self::UPDATE_GUARD, self::LOGIN ];

	private const KNOWN = [ self::RESULT_DETAILS, self::OUTSIDE_LOOK, self::PROBE, self::UPDATE_ITEMS, self::SITE_KEY, self::SIGNED_CALLS, self::CALL_LOG, self::INSTALL, self::RESTORE, self::SELF_UPDATE, self::UPDATE_GUARD, self::PREFLIGHT, self::ITEM_ERRORS, self::PAGE_CHECKS, self::BACKUP_STATE, self::LOGIN ];

	private const DETAILS = [ 'verified', 'warnings', 'new_plugin', 'old_version', 'name', 'rolled_back', 'code' ];

	/** @return string[] */
	public static function supported(): array {
		$missing = function_exists( 'sodium_crypto_sign_verify_detached' ) ? [] : self::NEED_SODIUM;
		$off     = Allowed_Users::is_on() ? [] : [ self::LOGIN ];
		return (array) apply_filters( 'steward_capabilities', array_values( array_diff( self::KNOWN, $missing, $off ) ) );
	}

	/**
	 * Identifies the running plugin by its version and the extensions that it knows. Does not depend on the PHP settings:
	 * these can differ between web requests and WP-Cron.
	 */
	public static function build(): string {
		return VERSION . ' ' . implode( ' ', self::KNOWN );
	}

	/** Removes the fields that a panel without RESULT_DETAILS does not know. */
	public static function remove_unknown_details( array $result ): array {
		return self::panel_supports( self::RESULT_DETAILS ) ? $result : array_diff_key( $result, array_flip( self::DETAILS ) );
	}

	public static function panel_supports( string $capability ): bool {
		return in_array( $capability, Connection::state()['panel_capabilities'], true );
	}

	/** @param array $response Response of the panel. */
	public static function store( array $response ): void {
		$capabilities = array_values( array_filter( (array) ( $response['capabilities'] ?? [] ), 'is_string' ) );
		Connection::update_state( [ 'panel_capabilities' => $capabilities ] );
	}
}
