<?php
/**
 * @package Steward
 */

namespace Steward\Admin;

use Steward\Login\Allowed_Users;
use Steward\Login\Login_History;
use Steward\Panel\Capabilities;
use Steward\Watchdog\Call_Signature;
use WP_User;

defined( 'ABSPATH' ) || exit;

/** The part of the settings page on which an administrator allows log-in from the panel. */
final class Login_Settings {

	private const MAX_LISTED_USERS  = 200;
	private const MAX_SHOWN_LOG_INS = 5;

	public static function render(): void {
		if ( ! Call_Signature::is_required() || ! Capabilities::panel_supports( Capabilities::LOGIN ) ) {
			return;
		}
		$is_on = Allowed_Users::is_on();
		echo '<h2>' . esc_html__( 'Log-in from the panel', 'steward' ) . '</h2>';
		echo '<p id="steward-login-state">' . esc_html( $is_on
			? __( 'On. Users of the panel who manage this site can log in as the users below, without their password.', 'steward' )
			: __( 'Off. If you turn it on, users of the panel who manage this site can log in as the users that you choose, without their password.', 'steward' ) ) . '</p>';
		/* translators: %s: E-mail address of the administrator of this site. */
		echo '<p>' . esc_html( sprintf( __( 'A log-in works once, for 30 seconds. The site reports each one to %s. Two-factor plugins of this site still ask for the second factor.', 'steward' ), (string) get_option( 'admin_email' ) ) ) . '</p>';
		self::render_form( $is_on );
		if ( $is_on ) {
			printf( '<form method="post" action="%s" style="margin-top:8px">', esc_url( admin_url( 'admin-post.php' ) ) );
			Settings_Forms::print_hidden_fields( 'login_off' );
			echo '<button class="button" id="steward-button-login_off">' . esc_html__( 'Turn off log-in from the panel', 'steward' ) . '</button></form>';
		}
		self::render_history();
	}

	/**
	 * Returns the given users that the current user may choose: those whose password they may change, because the panel can
	 * then act as these users.
	 *
	 * @param int[] $ids Ids of users.
	 * @return WP_User[]
	 */
	public static function choosable_users( array $ids ): array {
		$users = array_map( 'get_userdata', array_slice( array_unique( $ids ), 0, Allowed_Users::MAX_USERS ) );
		return array_values(
			array_filter( $users, static fn( $user ) => $user && [] !== $user->roles && current_user_can( 'edit_user', $user->ID ) )
		);
	}

	private static function render_form( bool $is_on ): void {
		$chosen = array_keys( Allowed_Users::choice()['users'] );
		// Users without access to the dashboard, such as customers of a shop, may be many.
		$listed = get_users( [ 'capability' => 'edit_posts', 'number' => self::MAX_LISTED_USERS, 'fields' => 'ID', 'orderby' => 'display_name' ] );
		$users  = array_map( 'get_userdata', array_unique( array_map( 'intval', array_merge( $chosen, $listed ) ) ) );
		printf( '<form method="post" action="%s">', esc_url( admin_url( 'admin-post.php' ) ) );
		Settings_Forms::print_hidden_fields( 'login_on' );
		echo '<fieldset style="max-height:240px;overflow:auto;max-width:720px"><legend class="screen-reader-text">' . esc_html__( 'Users for log-in from the panel', 'steward' ) . '</legend>';
		foreach ( array_filter( $users ) as $user ) {
			$is_chosen = in_array( $user->ID, $chosen, true );
			$is_usable = ! $is_chosen || ! $is_on || null === Allowed_Users::refusal_for( $user->ID );
			printf(
				'<label style="display:block;margin:4px 0"><input type="checkbox" name="users[]" value="%d"%s> %s</label>',
				(int) $user->ID,
				checked( $is_chosen && $is_usable, true, false ),
				esc_html( self::describe( $user ) . ( $is_usable ? '' : ' – ' . __( 'the role has changed; choose this user again to allow it', 'steward' ) ) )
			);
		}
		echo '</fieldset><p><button class="button" id="steward-button-login_on">' . esc_html( $is_on
			? __( 'Save the users', 'steward' )
			: __( 'Turn on log-in as these users', 'steward' ) ) . '</button></p></form>';
	}

	private static function describe( WP_User $user ): string {
		$names = wp_roles()->get_names();
		$roles = array_map( static fn( $role ) => translate_user_role( $names[ $role ] ?? $role ), $user->roles );
		return sprintf( '%s (%s) – %s', $user->display_name, $user->user_login, implode( ', ', $roles ) );
	}

	private static function render_history(): void {
		$entries = array_slice( Login_History::entries(), 0, self::MAX_SHOWN_LOG_INS );
		if ( [] === $entries ) {
			return;
		}
		echo '<h3>' . esc_html__( 'Last log-ins', 'steward' ) . '</h3><ul id="steward-log-ins">';
		foreach ( $entries as $entry ) {
			$user = get_userdata( (int) ( $entry['user'] ?? 0 ) );
			$name = $user ? $user->user_login : (string) ( $entry['user'] ?? '' );
			$text = 'accepted' === ( $entry['outcome'] ?? '' )
				/* translators: 1: Date and time, 2: name of a user of the panel, 3: user name on this site. */
				? __( '%1$s: %2$s logged in as %3$s.', 'steward' )
				/* translators: 1: Date and time, 2: name of a user of the panel, 3: user name on this site. */
				: __( '%1$s: the site refused %2$s as %3$s.', 'steward' );
			echo '<li>' . esc_html( sprintf( $text, (string) wp_date( 'Y-m-d H:i', (int) ( $entry['at'] ?? 0 ) ), (string) ( $entry['actor'] ?? '' ), $name ) ) . '</li>';
		}
		echo '</ul>';
	}
}
