import { describe, expect, it } from 'vitest';
import { useLicensedSite } from './support/use-licensed-site.ts';

const wordpress = useLicensedSite();

/** Issues a ticket that signs in the administrator, as a health check does. */
const issueTicket = (page: string) =>
  wordpress.site.runPhp(`
    Steward\\Updating\\State_Folder::ensure( Steward\\Watchdog\\State::folder() );
    echo Steward\\Watchdog\\Ticket::issue( 1, [], site_url( '${page}' ) );`);

/** Opens a page with a ticket, as an attacker who has intercepted the request of the health check. */
async function open(page: string, ticket: string, options: RequestInit = {}) {
  const url = new URL(wordpress.site.url + page);
  url.searchParams.append('steward_check', ticket);
  const response = await fetch(url, { redirect: 'manual', ...options });
  const isRefused = /wp-login\.php/.test(response.headers.get('location') ?? '');
  return { response, isRefused, body: await response.text() };
}

const DASHBOARD = '/wp-admin/index.php';
const SECRETS = `
add_action( 'admin_footer', function () {
	wp_set_auth_cookie( get_current_user_id() );
	$shown = [ 'cookies' => $_COOKIE, 'nonce' => wp_create_nonce( 'act' ), 'token' => wp_get_session_token() ];
	echo '<!--secrets ' . wp_json_encode( $shown ) . '-->';
} );
add_action( 'init', function () { ob_start(); } );`;

type Shown = { cookies: Record<string, string>; nonce: string; token: string };

async function openAndRead(): Promise<Shown & { setCookies: string[] }> {
  const { response, body } = await open(DASHBOARD, await issueTicket(DASHBOARD));
  const shown: Shown = JSON.parse(/<!--secrets (.*?)-->/.exec(body)?.[1] ?? '{}');
  const setCookies = response.headers.getSetCookie().map((each) => each.split(';')[0] ?? '');
  return { ...shown, setCookies };
}

const isSignedIn = async (cookies: string[]) => {
  const response = await fetch(wordpress.site.url + DASHBOARD, {
    redirect: 'manual',
    headers: { cookie: cookies.join('; ') },
  });
  return response.status === 200;
};

describe('an intercepted ticket of a health check', () => {
  it('opens its page once', async () => {
    const ticket = await issueTicket(DASHBOARD);
    expect((await open(DASHBOARD, ticket)).response.status).toBe(200);
    expect((await open(DASHBOARD, ticket)).isRefused).toBe(true);
  });

  it('opens no other page', async () => {
    const ticket = await issueTicket(DASHBOARD);
    for (const other of [
      '/wp-admin/users.php',
      `${DASHBOARD}?page=other`,
      '/wp-admin/profile.php',
    ]) {
      expect((await open(other, ticket)).isRefused, other).toBe(true);
    }
    expect((await open(DASHBOARD, ticket)).response.status).toBe(200);
  });

  it('changes nothing: it is valid for GET only', async () => {
    const ticket = await issueTicket(DASHBOARD);
    for (const method of ['POST', 'PUT', 'HEAD']) {
      const { response } = await open(DASHBOARD, ticket, { method });
      expect([method, response.status]).toEqual([method, 302]);
    }
  });

  it('expires after a minute', async () => {
    const ticket = await issueTicket(DASHBOARD);
    await wordpress.site.runPhp(`
      $file  = 'check-${ticket.split('.')[0]}.json';
      $terms = Steward\\Watchdog\\State::read( $file );
      Steward\\Watchdog\\State::write( $file, [ 'until' => $terms['until'] - 61 ] + $terms );`);
    expect((await open(DASHBOARD, ticket)).isRefused).toBe(true);
  });

  it('gives no cookie that another request accepts', async () => {
    await wordpress.mustUse(SECRETS);
    const { cookies, setCookies } = await openAndRead();
    const seen = Object.entries(cookies).map(
      ([name, value]) => `${name}=${encodeURIComponent(value)}`,
    );
    expect(seen.length).toBeGreaterThan(1);
    expect(setCookies.length).toBeGreaterThan(1);
    expect(await isSignedIn(seen)).toBe(false);
    expect(await isSignedIn(setCookies)).toBe(false);
    // The earlier, constant token of these sessions.
    const constant = await wordpress.site.runPhp(`
      echo LOGGED_IN_COOKIE . '=' . urlencode( wp_generate_auth_cookie( 1, time() + 60, 'logged_in', 'steward' ) ) . '; '
        . AUTH_COOKIE . '=' . urlencode( wp_generate_auth_cookie( 1, time() + 60, 'auth', 'steward' ) );`);
    expect(await isSignedIn([constant])).toBe(false);
  });

  it('gives no nonce that another request accepts', async () => {
    await wordpress.mustUse(SECRETS);
    const [first, second] = [await openAndRead(), await openAndRead()];
    expect(first.token).toMatch(/^[0-9a-f]{64}$/);
    expect(first.token).not.toBe(second.token);
    expect(first.nonce).not.toBe(second.nonce);
  });
});
