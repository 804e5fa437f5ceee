<?php
/**
 * @package Steward
 */

namespace Steward\Login;

use WP_Error;
use WP_User;

defined( 'ABSPATH' ) || exit;

/**
 * Receives the token that the browser of a user of the panel posts, and logs that user in.
 *
 * Uses admin-post.php: it also works if a plugin has renamed or blocked wp-login.php, and it has the host and the cookies
 * of the dashboard.
 */
final class Login_Receiver {

	const ACTION = 'steward_login';

	public static function register(): void {
		add_action( 'admin_post_nopriv_' . self::ACTION, [ self::class, 'receive' ] );
		add_action( 'admin_post_' . self::ACTION, [ self::class, 'receive' ] );
	}

	public static function url(): string {
		return add_query_arg( 'action', self::ACTION, admin_url( 'admin-post.php' ) );
	}

	public static function receive(): void {
		nocache_headers();
		header( 'Referrer-Policy: no-referrer' );
		// Only from the body of a POST: an address would be written to logs and to the history of the browser.
		$is_post = 'POST' === ( $_SERVER['REQUEST_METHOD'] ?? '' ) && ! isset( $_GET['token'] ); // phpcs:ignore WordPress.Security.NonceVerification
		$token   = $_POST['token'] ?? ''; // phpcs:ignore WordPress.Security
		$terms   = $is_post && is_string( $token ) ? Login_Token::redeem( $token ) : null;
		if ( null === $terms ) {
			self::refuse( __( 'This log-in is not valid. It works once, for 30 seconds. Log in from the panel again.', 'steward' ) );
		}
		$refusal = Allowed_Users::refusal_for( $terms['user'] );
		if ( null !== $refusal ) {
			Login_History::add( $terms, $refusal );
			self::refuse(
				Login_Rule::OFF === $refusal
					? __( 'Log-in from the panel is off on this site. Turn it on under Settings → Steward.', 'steward' )
					: __( 'This user is no longer chosen for log-in from the panel, or has another role now. Choose users under Settings → Steward.', 'steward' )
			);
		}
		$result = self::sign_in( get_userdata( $terms['user'] ), $terms );
		if ( is_wp_error( $result ) ) {
			Login_History::add( $terms, 'refused_by_site' );
			$message = wp_strip_all_tags( $result->get_error_message() );
			/* translators: %s: Reason, from WordPress or a plugin. */
			self::refuse( sprintf( __( 'This site refused the log-in. %s Log in on the log-in page of the site.', 'steward' ), $message ) );
		}
		wp_redirect( admin_url() ); // phpcs:ignore WordPress.Security.SafeRedirect
		exit;
	}

	/**
	 * Logs the user in as the log-in page does after a correct password. Plugins can still refuse, or ask for a second factor:
	 * many do so in `wp_login` and then end the request.
	 *
	 * @param array{user: int, actor: string} $terms Terms of the token.
	 * @return WP_User|WP_Error
	 */
	private static function sign_in( WP_User $user, array $terms ) {
		add_filter(
			'authenticate',
			static function ( $result ) use ( $user ) {
				return is_wp_error( $result ) ? $result : apply_filters( 'wp_authenticate_user', $user, '' );
			},
			10
		);
		add_action(
			'wp_login',
			static function () use ( $user, $terms ) {
				Login_History::add( $terms, 'accepted' );
				Login_Mail::send( $user, $terms['actor'] );
			},
			PHP_INT_MIN
		);
		return wp_signon(
			[
				'user_login'    => $user->user_login,
				'user_password' => '',
				'remember'      => false,
			]
		);
	}

	/** @return never */
	private static function refuse( string $message ): void {
		wp_die( esc_html( $message ), esc_html__( 'Log-in refused', 'steward' ), [ 'response' => 403 ] );
	}
}
