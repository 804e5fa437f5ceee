<?php
/**
 * @package Steward
 */

namespace Steward\Actions;

use Steward\Login\Allowed_Users;
use Steward\Login\Login_Rule;
use Steward\Rest\Api_Error;
use WP_Error;
use WP_User;

defined( 'ABSPATH' ) || exit;

/** POST remote/login-users: the users of this site that users of the panel may log in as. */
final class List_Login_Users {

	/** @return array|WP_Error */
	public function handle() {
		if ( ! Allowed_Users::is_on() ) {
			return Api_Error::create( Login_Rule::OFF );
		}
		return [
			'success' => true,
			'users'   => array_map( [ self::class, 'describe' ], Allowed_Users::usable() ),
		];
	}

	private static function describe( WP_User $user ): array {
		$names = wp_roles()->get_names();
		$roles = array_map( static fn( $role ) => translate_user_role( $names[ $role ] ?? $role ), array_values( $user->roles ) );
		return [
			'id'    => $user->ID,
			'login' => self::shorten( $user->user_login ),
			'name'  => self::shorten( $user->display_name ),
			'role'  => self::shorten( implode( ', ', $roles ) ),
		];
	}

	private static function shorten( string $text ): string {
		return mb_substr( wp_strip_all_tags( $text ), 0, 200 );
	}
}
