<?php
/**
 * What the watchdog does in every request, before all other plugins.
 *
 * @package Steward
 */

namespace Steward\Watchdog;

defined( 'ABSPATH' ) || exit;

require_once __DIR__ . '/load.php';

if ( class_exists( __NAMESPACE__ . '\\State', false ) ) {
	try {
		Undo::what_died();
		Renamed::do_what_is_left();
		Looked_At::begin();
		Order::is_asked() && Order::answer();
		Remote_Request::watch();
	} catch ( \Throwable $steward_fault ) {
		// It runs in every request: whatever is wrong with it must not be wrong with the site.
		error_log( 'Steward: ' . $steward_fault->getMessage() );
	}
}
