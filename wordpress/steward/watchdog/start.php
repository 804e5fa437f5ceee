<?php
/**
 * Runs the tasks of the watchdog in every request, before WordPress loads ordinary plugins.
 *
 * @package Steward
 */

namespace Steward\Watchdog;

defined( 'ABSPATH' ) || exit;

require_once __DIR__ . '/load.php';

if ( class_exists( __NAMESPACE__ . '\\State', false ) ) {
	try {
		Error_Watch::start();
		Undo::restore_interrupted();
		Plugin_Rename::run_deferred();
		Health_Check_Request::start();
		Verdict_Endpoint::is_requested() && Verdict_Endpoint::respond();
		Remote_Request::watch();
	} catch ( \Throwable $steward_error ) {
		// This code runs in every request: its errors must not break the site.
		error_log( 'Steward: ' . $steward_error->getMessage() );
	}
}
