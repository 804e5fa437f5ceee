<?php
/**
 * The watchdog: loaded before all other plugins, by a file among the must-use plugins.
 *
 * It is also loaded by the file that puts the site into maintenance, when neither the database nor most of WordPress is
 * there. So it has no autoloader, and what maintenance needs uses nothing but files.
 *
 * @package Steward
 */

namespace Steward\Watchdog;

defined( 'ABSPATH' ) || exit;

const PARTS = [ 'State', 'Files', 'Journal', 'Renamed', 'Undo', 'Maintenance', 'Ticket', 'Looked_At', 'Call_Signature', 'Call_Log', 'Order', 'Remote_Request' ];

/** False while this plugin itself is being replaced: then half of it may be missing. */
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
