<?php
/**
 * The watchdog. A must-use plugin loads it before all other plugins.
 *
 * The .maintenance file also loads it, without the database and most of WordPress. So it has no autoloader, and the
 * code for maintenance mode uses only files.
 *
 * @package Steward
 */

namespace Steward\Watchdog;

defined( 'ABSPATH' ) || exit;

const PARTS = [ 'State', 'Files', 'Journal', 'Renamed', 'Undo', 'Maintenance', 'Ticket', 'Looked_At', 'Call_Signature', 'Call_Log', 'Order', 'Remote_Request' ];

/** Returns false while this plugin is being replaced: some files may be missing. */
function is_complete(): bool {
	foreach ( PARTS as $name ) {
		if ( ! is_file( __DIR__ . '/' . $name . '.php' ) ) {
			return false;
		}
	}
	return true;
}

if ( ! class_exists( __NAMESPACE__ . '\\State', false ) && is_complete() ) {
	foreach ( PARTS as $steward_name ) {
		require_once __DIR__ . '/' . $steward_name . '.php';
	}
	unset( $steward_name );
}
