<?php
/**
 * @package Steward
 */

namespace Steward\Login;

use Steward\Site_Url;

defined( 'ABSPATH' ) || exit;

/** Decides whether the panel may open a session for a user. Reads nothing, so that a test can try every case. */
final class Login_Rule {

	/** Log-in from the panel, or remote management, is off on this site. */
	const OFF = 'login_off';

	/** The user is not chosen, does not exist, has no role here, or has other rights than when it was chosen. */
	const USER_NOT_ALLOWED = 'login_user_not_allowed';

	/**
	 * @param array{site_url: string, users: array<int, string[]>}                                      $choice Choice of the administrator.
	 * @param array{is_remote_on: bool, site_url: string, rights: string[]|null, has_role: bool} $facts  The site and the user now.
	 * @return string|null Error code, or null: allowed.
	 */
	public static function refusal( array $choice, int $user_id, array $facts ): ?string {
		// A copy of the site at another address gets its own choice.
		$is_on = [] !== $choice['users'] && self::is_same_address( $choice['site_url'], $facts['site_url'] );
		if ( ! $facts['is_remote_on'] || ! $is_on ) {
			return self::OFF;
		}
		$chosen_rights = $choice['users'][ $user_id ] ?? null;
		// With another role, the user is not the one that the administrator chose: an editor may now be an administrator.
		$is_unchanged = null !== $chosen_rights && $chosen_rights === $facts['rights'];
		return $is_unchanged && $facts['has_role'] ? null : self::USER_NOT_ALLOWED;
	}

	/**
	 * Whether a token is valid now, at this address.
	 *
	 * @param array{expires: int, site_url: string} $terms Terms of the token.
	 */
	public static function is_token_valid( array $terms, int $now, string $site_url ): bool {
		return $now < $terms['expires'] && self::is_same_address( $terms['site_url'], $site_url );
	}

	public static function is_same_address( string $first, string $second ): bool {
		$canonical = Site_Url::canonical( $first );
		return null !== $canonical && Site_Url::canonical( $second ) === $canonical;
	}
}
