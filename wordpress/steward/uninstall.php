<?php
/**
 * Deletes the data of Steward on this site and frees its license seat.
 *
 * @package Steward
 */

namespace Steward;

defined( 'WP_UNINSTALL_PLUGIN' ) || exit;

require_once __DIR__ . '/steward.php';

Panel\Check_In::unschedule();
Panel\Error_Report::unschedule();
// Ignores errors. If the panel is unreachable, the seat stays in use until the site is disconnected in the panel.
Panel\License::disconnect();
Connection::forget();
delete_option( Panel\Enrolment_Code::OPTION );
delete_option( 'steward_lock_holder' );
$GLOBALS['wpdb']->query( $GLOBALS['wpdb']->prepare( "DELETE FROM {$GLOBALS['wpdb']->options} WHERE option_name LIKE %s", $GLOBALS['wpdb']->esc_like( Watchdog\Call_Signature::NONCE_PREFIX ) . '%' ) );
Watchdog\Call_Log::delete_all();
Login\Login_Token::delete_all();
delete_option( 'steward.lock' );
delete_site_transient( Self_Update\Plugin_Offer::TRANSIENT );
delete_transient( 'steward_flash_' . get_current_user_id() );
Updating\Watchdog_File::remove();
Updating\Saved_Versions::delete_all();
// The last step: other code would create the folder again.
Updating\State_Folder::delete_all();
