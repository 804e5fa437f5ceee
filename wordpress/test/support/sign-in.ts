import type { WordPressSite } from '@steward/testkit/wordpress/site.ts';

export type Session = { cookie: string; nonce: string };

/** Makes the user a member of a site of the network. */
export type BlogRole = { blog: number; role: string };

/** Signs a user in, as a browser that sends the cookies and the REST nonce of the admin. */
export async function signIn(
  site: Pick<WordPressSite, 'runPhp'>,
  login: string,
  { blog, role }: BlogRole = { blog: 0, role: '' },
): Promise<Session> {
  const printed = await site.runPhp(`
    $user  = get_user_by( 'login', '${login}' ) ?: get_user_by( 'id', wp_create_user( '${login}', 'password', '${login}@example.org' ) );
    ${blog ? `add_user_to_blog( ${blog}, $user->ID, '${role}' );` : ''}
    $until = time() + 3600;
    $token = WP_Session_Tokens::get_instance( $user->ID )->create( $until );
    $pairs = [
      AUTH_COOKIE      => wp_generate_auth_cookie( $user->ID, $until, 'auth', $token ),
      LOGGED_IN_COOKIE => wp_generate_auth_cookie( $user->ID, $until, 'logged_in', $token ),
    ];
    $_COOKIE += $pairs;
    wp_set_current_user( $user->ID );
    $cookie = implode( '; ', array_map( static fn( $name, $value ) => "$name=$value", array_keys( $pairs ), $pairs ) );
    echo wp_json_encode( [ 'cookie' => $cookie, 'nonce' => wp_create_nonce( 'wp_rest' ) ] );`);
  return JSON.parse(printed);
}
