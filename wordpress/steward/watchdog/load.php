<?php
/**
 * The watchdog. A must-use plugin loads it before WordPress loads ordinary plugins.
 *
 * The .maintenance file also loads it, before the database and most of WordPress. So the watchdog has no autoloader,
 * and in maintenance mode it uses only files.
 *
 * @package Steward
 */

namespace Steward\Watchdog;

defined( 'ABSPATH' ) || exit;

const CLASSES = [ 'State_Name', 'State', 'Files', 'Journal', 'Plugin_Rename', 'Saved_Version', 'Undo', 'Maintenance', 'Ticket', 'Health_Check_Request', 'Call_Signature', 'Call_Log', 'Verdict_Endpoint', 'Remote_Request' ];

/** Whether all files exist. Some may be missing while this plugin is being replaced. */
function is_complete(): bool {
	foreach ( CLASSES as $name ) {
		if ( ! is_file( __DIR__ . '/' . $name . '.php' ) ) {
			return false;
		}
	}
	return true;
}

if ( ! class_exists( __NAMESPACE__ . '\\State', false ) && is_complete() ) {
	foreach ( CLASSES as $steward_name ) {
		require_once __DIR__ . '/' . $steward_name . '.php';
	}
	unset( $steward_name );
}
