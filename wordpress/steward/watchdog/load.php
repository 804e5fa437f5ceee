<?php
/**
 * The watchdog. A must-use plugin loads it before WordPress loads ordinary plugins.
 *
 * The .maintenance file also loads it, before the database and most of WordPress. So the watchdog has no autoloader,
 * and in maintenance mode it uses only files.
 *
 * This file declares no function and no constant: two copies of it can run in one request, for example while a symbolic
 * link to the current release changes.
 *
 * @package Steward
 */

namespace Steward\Watchdog;

defined( 'ABSPATH' ) || exit;

( static function (): void {
	if ( class_exists( __NAMESPACE__ . '\\State', false ) ) {
		return;
	}
	$classes = [ 'State_Name', 'State', 'Files', 'Journal', 'Plugin_Rename', 'Saved_Version', 'Undo', 'Maintenance', 'Ticket', 'Health_Check_Request', 'Call_Signature', 'Call_Log', 'Verdict_Endpoint', 'Remote_Request', 'Error_Watch' ];
	// Some files may be missing while this plugin is being replaced.
	foreach ( $classes as $name ) {
		if ( ! is_file( __DIR__ . '/' . $name . '.php' ) ) {
			return;
		}
	}
	foreach ( $classes as $name ) {
		require_once __DIR__ . '/' . $name . '.php';
	}
} )();
