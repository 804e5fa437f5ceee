import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createCallSigner } from '@steward/conformance/call-signer.ts';
import {
  CreateLoginResponse,
  ListLoginUsersResponse,
  LOGIN_TOKEN_SECONDS,
  SERVICE_KEY_HEADER,
} from '@steward/contract';
import { SECOND_SITE } from '@steward/testkit/wordpress/network.ts';
import Value from 'typebox/value';
import { beforeEach, describe, expect, it } from 'vitest';
import { useLicensedSite } from './support/use-licensed-site.ts';

/** The main site of a network, below a folder. */
const wordpress = useLicensedSite({ multisite: true, path: '/shop' });
const signer = createCallSigner();

const ACTOR = 'Olga Reyes';
let anna: number;
let ben: number;

/** Writes each mail to a file instead of sending it. */
const CATCH_MAILS = `add_filter( 'pre_wp_mail', function ( $none, $mail ) {
  file_put_contents( WP_CONTENT_DIR . '/mails.txt', json_encode( $mail ) . "\\n", FILE_APPEND );
  return true;
}, 10, 2 );`;

/** Creates two editors. The administrator of the site has allowed the first one. */
const SET_UP = `
  @unlink( WP_CONTENT_DIR . '/mails.txt' );
  delete_option( 'steward_login_history' );
  update_option( 'steward_panel_key', '${signer.publicKey}' );
  update_option( 'steward_accept_unsigned', '1' );
  Steward\\Connection::switch_remote( true );
  $ids = array();
  foreach ( array( 'anna', 'ben' ) as $login ) {
    $user = get_user_by( 'login', $login ) ?: get_user_by( 'id', wp_create_user( $login, 'password', "$login@example.org" ) );
    revoke_super_admin( $user->ID );
    $user->set_role( 'editor' );
    $ids[] = $user->ID;
  }
  Steward\\Login\\Allowed_Users::store( array( get_userdata( $ids[0] ) ) );
  echo json_encode( $ids );`;

async function setUp() {
  [anna, ben] = JSON.parse(await wordpress.site.runPhp(SET_UP));
}
beforeEach(setUp);

/** Sends a call that the panel has signed. `unsigned`: with the key alone. */
async function call(path: string, fields: object, { unsigned = false } = {}) {
  const { site } = wordpress;
  const body = JSON.stringify(fields);
  const response = await fetch(`${site.url}/wp-json/service/v1/remote/${path}`, {
    method: 'POST',
    headers: {
      [SERVICE_KEY_HEADER]: site.key,
      'content-type': 'application/json',
      ...(!unsigned && signer.headersFor({ siteUrl: site.url, path, body })),
    },
    body,
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

async function createLogin(user = anna) {
  const { status, body } = await call('login', { user, actor: ACTOR });
  expect([status, Value.Check(CreateLoginResponse, body)]).toEqual([200, true]);
  expect(body.login).toBe('anna');
  return body as unknown as CreateLoginResponse;
}

/** Posts a token as the browser of the user does. Returns the names of the cookies that contain a session. */
async function post(url: string, fields: Record<string, string>) {
  const body = new URLSearchParams(fields);
  const response = await fetch(url, { method: 'POST', redirect: 'manual', body });
  const cookies = response.headers.getSetCookie();
  const sessions = cookies.filter((cookie) =>
    /^wordpress_(logged_in|sec)?_?\w+=\w+%7C/.test(cookie),
  );
  const cookie = sessions.map((each) => each.split(';')[0]).join('; ');
  const text = await response.text();
  return { status: response.status, location: response.headers.get('location'), cookie, text };
}

async function expectRefused(result: ReturnType<typeof post>, reason: RegExp) {
  const { status, cookie, text } = await result;
  expect([status, cookie]).toEqual([403, '']);
  expect(text).toMatch(reason);
}

const INVALID = /This log-in is not valid\. It works once, for 30 seconds/;
const runPhp = (code: string) => wordpress.site.runPhp(code);
const countTokens = () =>
  runPhp(`global $wpdb;
    echo $wpdb->get_var( "SELECT COUNT(*) FROM {$wpdb->options} WHERE option_name LIKE 'steward\\\\_login\\\\_token\\\\_%'" );`);
const readHistory = async () =>
  JSON.parse(await runPhp(`echo json_encode( Steward\\Login\\Login_History::entries() );`));
const readMails = async () =>
  (await readFile(join(wordpress.site.root, 'wp-content/mails.txt'), 'utf8').catch(() => ''))
    .trim()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as { to: string; subject: string; message: string });

describe('log-in from the panel', () => {
  it('opens one session for a chosen user, tells the administrator, and is in the call log', async () => {
    await wordpress.mustUse(CATCH_MAILS);
    const listed = await call('login-users', {});
    expect(Value.Check(ListLoginUsersResponse, listed.body)).toBe(true);
    expect(listed.body.users).toEqual([{ id: anna, login: 'anna', name: 'anna', role: 'Editor' }]);
    const { url, token } = await createLogin();
    expect(url).toBe(`${wordpress.site.url}/wp-admin/admin-post.php?action=steward_login`);
    const { status, location, cookie } = await post(url, { token });
    expect([status, location]).toEqual([302, `${wordpress.site.url}/wp-admin/`]);
    const dashboard = await fetch(`${wordpress.site.url}/wp-admin/profile.php`, {
      headers: { cookie },
    });
    expect(await dashboard.text()).toContain('anna@example.org');

    await expectRefused(post(url, { token }), INVALID);
    const [mail, ...others] = await readMails();
    expect(others).toEqual([]);
    expect(mail?.to).toBe(await wordpress.site.getOption('admin_email'));
    expect(mail?.subject).toContain('Log-in from the Steward panel');
    expect(mail?.message).toContain(`${ACTOR} has logged in as anna on ${wordpress.site.url}.`);
    expect(await readHistory()).toMatchObject([{ user: anna, actor: ACTOR, outcome: 'accepted' }]);
    const log = await runPhp(`echo json_encode( Steward\\Watchdog\\Call_Log::build_report( 0 ) );`);
    expect(JSON.parse(log).entries.at(-1).route).toBe('/service/v1/remote/login');
    // The token is nowhere on the site, not even in its logs.
    expect(JSON.stringify(await readMails()) + log + (await runPhp(DUMP_OPTIONS))).not.toContain(
      token,
    );
  });

  it('opens one session of two posts at the same time', async () => {
    const { url, token } = await createLogin();
    const results = await Promise.all(Array.from({ length: 8 }, () => post(url, { token })));
    expect(results.map(({ status }) => status).toSorted()).toEqual([302, ...Array(7).fill(403)]);
    expect(results.filter(({ cookie }) => cookie !== '')).toHaveLength(1);
  });

  it('refuses a call without a signature, of another user, and with wrong fields', async () => {
    const login = { user: anna, actor: ACTOR };
    const refused = (status: number, code: string) => ({ status, body: { code } });
    expect(await call('login', login, { unsigned: true })).toMatchObject(
      refused(401, 'invalid_signature'),
    );
    expect(await call('login-users', {}, { unsigned: true })).toMatchObject(
      refused(401, 'invalid_signature'),
    );
    for (const user of [ben, 1, 0, 99_999]) {
      expect(await call('login', { user, actor: ACTOR })).toMatchObject(
        refused(403, 'login_user_not_allowed'),
      );
    }
    for (const fields of [
      {},
      { user: anna },
      { user: String(anna), actor: ACTOR },
      { ...login, actor: 'x'.repeat(201) },
    ]) {
      expect(await call('login', fields)).toMatchObject(refused(400, 'invalid_request'));
    }
    expect(await countTokens()).toBe('0');
  });

  it('refuses a post without a token, in an address, with a wrong one, and one that expired', async () => {
    const { url, token } = await createLogin();
    await expectRefused(post(url, {}), INVALID);
    await expectRefused(post(`${url}&token=${token}`, {}), INVALID);
    await expectRefused(post(`${url}&token=${token}`, { token }), INVALID);
    expect((await fetch(`${url}&token=${token}`, { redirect: 'manual' })).status).toBe(403);
    await expectRefused(post(url, { 'token[]': token }), INVALID);
    const wrong = Array.from({ length: 8 }, (_, n) => n.toString(16).padStart(64, '0'));
    await Promise.all(wrong.map((each) => expectRefused(post(url, { token: each }), INVALID)));
    // Wrong tokens store nothing, and do not use up the right one.
    expect(await countTokens()).toBe('1');
    await ageTokens(LOGIN_TOKEN_SECONDS);
    await expectRefused(post(url, { token }), INVALID);
    await createLogin();
    expect(await countTokens()).toBe('1');
  });

  it('refuses a token on another site of the network', async () => {
    const { url, token } = await createLogin();
    const { cookie } = await post(url.replace('/shop/', `/shop/${SECOND_SITE}/`), { token });
    expect(cookie).toBe('');
    expect((await post(url, { token })).status).toBe(302);
  });

  it('refuses a token if the user, the choice or the connection has changed since the call', async () => {
    const changes: [change: () => string, reason: RegExp][] = [
      [() => `get_userdata( ${anna} )->set_role( 'administrator' );`, /no longer chosen/],
      [() => `grant_super_admin( ${anna} );`, /no longer chosen/],
      [
        () => `require ABSPATH . 'wp-admin/includes/user.php';
          require ABSPATH . 'wp-admin/includes/ms.php'; wpmu_delete_user( ${anna} );`,
        /no longer chosen/,
      ],
      [() => 'Steward\\Connection::switch_remote( false );', /Log-in from the panel is off/],
      [() => 'Steward\\Login\\Allowed_Users::turn_off();', INVALID],
      [
        () => `Steward\\Panel\\Enrolment::store(
          array( 'signing_key' => array( 'public_key' => 'other' ) ), Steward\\Connection::key(), true );`,
        INVALID,
      ],
    ];
    for (const [change, reason] of changes) {
      const { url, token } = await createLogin();
      await runPhp(change());
      await expectRefused(post(url, { token }), reason);
      expect((await call('login', { user: anna, actor: ACTOR })).status).toBeGreaterThan(400);
      await setUp();
    }
  });

  it('works if the log-in page is renamed', async () => {
    // As plugins that rename the log-in page do: they allow admin-post.php.
    await wordpress.mustUse(`add_action( 'init', function () {
      global $pagenow;
      if ( 'wp-login.php' === $pagenow || ( is_admin() && ! is_user_logged_in() && 'admin-post.php' !== $pagenow ) ) { status_header( 404 ); exit; }
    }, 1 );`);
    expect((await fetch(`${wordpress.site.url}/wp-login.php`)).status).toBe(404);
    const first = await createLogin();
    expect((await post(first.url, { token: first.token })).status).toBe(302);
  });

  it('lets a two-factor plugin step in, and a plugin refuse the user', async () => {
    // As the plugin Two Factor does.
    const { remove } = await wordpress.mustUse(`
      add_filter( 'authenticate', function ( $user ) {
        if ( $user instanceof WP_User ) { add_filter( 'send_auth_cookies', '__return_false', PHP_INT_MAX ); }
        return $user;
      }, PHP_INT_MAX );
      add_action( 'wp_login', function () { wp_clear_auth_cookie(); echo 'Enter the code'; exit; }, PHP_INT_MAX );`);
    const first = await createLogin();
    const asked = await post(first.url, { token: first.token });
    expect([asked.status, asked.cookie, asked.text]).toEqual([200, '', 'Enter the code']);
    await expectRefused(post(first.url, { token: first.token }), INVALID);
    await remove();
    await wordpress.mustUse(`add_filter( 'wp_authenticate_user', function () {
      return new WP_Error( 'locked', 'This account is <b>locked</b>.' );
    } );`);
    const second = await createLogin();
    await expectRefused(
      post(second.url, { token: second.token }),
      /This site refused the log-in\. This account is locked\. Log in on the log-in page/,
    );
    expect(await readHistory()).toMatchObject([
      { outcome: 'refused_by_site' },
      { outcome: 'accepted' },
    ]);
  });

  it('is named only while it is allowed, and is removed with the connection', async () => {
    await createLogin();
    const names = "echo implode( ' ', Steward\\Panel\\Capabilities::supported() ), ';';";
    const turnOff = 'Steward\\Login\\Allowed_Users::turn_off();';
    const [on, off] = (await runPhp(names + turnOff + names)).split(';');
    expect([on, off].map((each) => /\blogin\b/.test(String(each)))).toEqual([true, false]);
    expect(await countTokens()).toBe('0');
    expect(await call('login-users', {})).toMatchObject({
      status: 403,
      body: { code: 'login_off' },
    });
    await setUp();
    await createLogin();
    const left = await runPhp(`Steward\\Connection::forget(); ${DUMP_OPTIONS}`);
    expect(left).not.toContain('steward_login');
    await wordpress.site.connect();
  });
});

const DUMP_OPTIONS = `global $wpdb; echo json_encode( $wpdb->get_results( "SELECT option_name, option_value FROM {$wpdb->options}" ) );`;

/** Moves the tokens into the past. */
const ageTokens = (seconds: number) =>
  runPhp(`global $wpdb;
    $wpdb->query( "UPDATE {$wpdb->options} SET option_value = CONCAT( SUBSTRING( option_value, 1, 10 ) - ${seconds}, SUBSTRING( option_value, 11 ) ) WHERE option_name LIKE 'steward\\\\_login\\\\_token\\\\_%'" );`);
