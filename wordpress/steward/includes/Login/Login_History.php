<?php
/**
 * @package Steward
 */

namespace Steward\Login;

defined( 'ABSPATH' ) || exit;

/** The last log-ins from the panel, for the settings page. Contains no token. */
final class Login_History {

	const OPTION = 'steward_login_history';

	private const MAX_ENTRIES = 20;

	/**
	 * @param array{user: int, actor: string} $terms   Terms of the token.
	 * @param string                          $outcome `accepted`, `refused_by_site` or a code of Login_Rule.
	 */
	public static function add( array $terms, string $outcome ): void {
		$entry = $terms + [ 'at' => time(), 'outcome' => $outcome ];
		update_option( self::OPTION, array_slice( array_merge( [ $entry ], self::entries() ), 0, self::MAX_ENTRIES ), false );
	}

	/** @return array<int, array{user: int, actor: string, at: int, outcome: string}> The last one first. */
	public static function entries(): array {
		$entries = get_option( self::OPTION, [] );
		return is_array( $entries ) ? array_values( array_filter( $entries, 'is_array' ) ) : [];
	}
}
