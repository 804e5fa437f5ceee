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

if ( ! class_exists( State::class, false ) ) {
	foreach ( [ 'State', 'Files', 'Journal', 'Undo', 'Maintenance', 'Ticket', 'Looked_At', 'Order', 'Remote_Request' ] as $steward_name ) {
		require_once __DIR__ . '/' . $steward_name . '.php';
	}
	unset( $steward_name );
}
