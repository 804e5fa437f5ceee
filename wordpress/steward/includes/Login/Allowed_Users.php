<?php
/**
 * @package Steward
 */

namespace Steward\Login;

use Steward\Connection;
use WP_User;

defined( 'ABSPATH' ) || exit;

/**
 * The users of this site that users of the panel may log in as. An administrator of the site chooses them; without a
 * choice, log-in from the panel is off.
 */
final class Allowed_Users {

	/** `site_url`: the address of the choice. `users`: the rights of each user at that time, by id. */
	const OPTION = 'steward_login';

	const MAX_USERS = 50;

	/** Reads options only, because a report of errors calls this before WordPress knows users. */
	public static function is_on(): bool {
		$choice = self::choice();
		return [] !== $choice['users'] && Login_Rule::is_same_address( $choice['site_url'], Connection::site_url() );
	}

	/** @param WP_User[] $users Users of this site. None turns log-in off. */
	public static function store( array $users ): void {
		Login_Token::delete_all();
		if ( [] === $users ) {
			delete_option( self::OPTION );
			return;
		}
		$rights = [];
		foreach ( array_slice( $users, 0, self::MAX_USERS ) as $user ) {
			$rights[ $user->ID ] = self::rights_of( $user );
		}
		$choice = [
			'site_url' => Connection::site_url(),
			'users'    => $rights,
		];
		update_option( self::OPTION, $choice, false );
	}

	/** Call this when the site gets another panel: the administrator allowed the former one. */
	public static function turn_off(): void {
		self::store( [] );
	}

	/** @return array{site_url: string, users: array<int, string[]>} */
	public static function choice(): array {
		$stored = get_option( self::OPTION, [] );
		$users  = is_array( $stored ) && is_array( $stored['users'] ?? null ) ? $stored['users'] : [];
		return [
			'site_url' => (string) ( $stored['site_url'] ?? '' ),
			'users'    => array_map( static fn( $rights ) => array_map( 'strval', (array) $rights ), $users ),
		];
	}

	/** @return WP_User[] The chosen users that may be used now. */
	public static function usable(): array {
		$users = array_map( 'get_userdata', self::is_on() ? array_keys( self::choice()['users'] ) : [] );
		return array_values( array_filter( $users, static fn( $user ) => $user && null === self::refusal_for( $user->ID ) ) );
	}

	/** The error code of Login_Rule if it refuses a log-in as this user, or null. */
	public static function refusal_for( int $user_id ): ?string {
		$user  = get_userdata( $user_id );
		$facts = [
			'is_remote_on' => Connection::is_remote_enabled(),
			'site_url'     => Connection::site_url(),
			'rights'       => $user ? self::rights_of( $user ) : null,
			'has_role'     => $user && [] !== $user->roles,
		];
		return Login_Rule::refusal( self::choice(), $user_id, $facts );
	}

	/** @return string[] Roles and single capabilities of the user on this site. */
	private static function rights_of( WP_User $user ): array {
		$rights = array_map( 'strval', array_keys( array_filter( $user->caps ) ) );
		if ( is_multisite() && is_super_admin( $user->ID ) ) {
			$rights[] = 'super admin';
		}
		sort( $rights );
		return $rights;
	}
}
