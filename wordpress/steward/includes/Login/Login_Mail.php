<?php
/**
 * @package Steward
 */

namespace Steward\Login;

use Steward\Admin\Settings_Page;
use Steward\Connection;
use WP_User;

defined( 'ABSPATH' ) || exit;

/** Tells the administrator of the site that a user of the panel has logged in. A failed mail does not stop the log-in. */
final class Login_Mail {

	public static function send( WP_User $user, string $actor ): void {
		$site = wp_specialchars_decode( (string) get_option( 'blogname' ), ENT_QUOTES );
		/* translators: %s: Title of the site. */
		$subject = sprintf( __( '[%s] Log-in from the Steward panel', 'steward' ), $site );
		$lines   = [
			/* translators: 1: Name of a user of the panel, 2: user name on this site, 3: address of the site. */
			sprintf( __( '%1$s has logged in as %2$s on %3$s.', 'steward' ), $actor, $user->user_login, Connection::site_url() ),
			'',
			/* translators: %s: Address of the panel. */
			sprintf( __( 'Panel: %s', 'steward' ), Connection::panel_url() ),
			/* translators: %s: Date and time. */
			sprintf( __( 'Time: %s', 'steward' ), (string) wp_date( 'Y-m-d H:i:s T' ) ),
			'',
			/* translators: %s: Address of the settings page. */
			sprintf( __( 'If you did not expect this, turn off log-in from the panel: %s', 'steward' ), Settings_Page::url() ),
		];
		wp_mail( (string) get_option( 'admin_email' ), $subject, implode( "\n", $lines ) );
	}
}
