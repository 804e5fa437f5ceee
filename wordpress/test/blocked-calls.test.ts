import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from '@steward/testkit/command.ts';
import { type PanelClient, signInAt } from '@steward/testkit/panel/panel-client.ts';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { useLicensedSite } from './support/use-licensed-site.ts';

const FATAL = "some_secret_of_the_log( 'password' );";
const wordpress = useLicensedSite({ hasWorker: true });
let owner: PanelClient;
beforeAll(async () => {
  owner = await signInAt(wordpress.panel.url, await wordpress.panel.newUser());
});

const addPendingUpdate = async () => {
  await wordpress.plugin('shop');
  await wordpress.offerPlugin('shop');
};
async function updateByPanel() {
  const { body } = await owner.post('/remote/update', { site_ids: [wordpress.site.siteId] });
  return body.results[0];
}
const siteStatus = async () =>
  (await owner.get(`/panel/sites/${wordpress.site.siteId}`)).body.site.status;

describe('plugin that closes the site to visitors', () => {
  for (const [what, name, body, error] of [
    [
      'coming soon',
      'coming-soon',
      "add_action( 'init', function () { wp_die( 'Coming soon', '', array( 'response' => 503 ) ); } );",
      /^The plugin coming-soon blocks calls from the panel\. Exempt \/service\/v1\/ in its settings\.$/,
    ],
    [
      'members only',
      'members',
      "add_action( 'init', function () { if ( ! is_user_logged_in() && 'wp-login.php' !== $GLOBALS['pagenow'] ) { wp_safe_redirect( wp_login_url() ); exit; } } );",
      /^The plugin members redirects calls from the panel to http.*wp-login\.php\. Exempt/,
    ],
    [
      'exit without output',
      'a-headless',
      "add_action( 'init', function () { if ( ! is_admin() ) { exit; } } );",
      /^Code on the site blocks calls from the panel/,
    ],
  ] as const) {
    it(`is reported as the reason, and no update starts: ${what}`, async () => {
      await addPendingUpdate();
      await wordpress.plugin(name, { body });
      expect(await updateByPanel()).toMatchObject({
        status: 'failed',
        code: 'request_blocked',
        error: expect.stringMatching(error),
      });
      expect(await siteStatus()).toBe('not_reachable');
      expect((await wordpress.readInstalled()).plugins['shop/shop.php']).toBe('1.0');
    });
  }

  it('does not block the panel by removing REST routes', async () => {
    await addPendingUpdate();
    await wordpress.plugin('closed', {
      body: `add_filter( 'rest_endpoints', function ( $routes ) {
        return array_filter( $routes, function ( $route ) { return false === strpos( $route, 'service' ); }, ARRAY_FILTER_USE_KEY );
      } );`,
    });
    expect(await updateByPanel()).toMatchObject({ status: 'succeeded' });
    expect((await wordpress.call('sync')).status).toBe(200);
  });
});

describe('site with a fatal error', () => {
  for (const [where, body] of [
    ['while plugins are loaded', FATAL],
    [
      'in a plugin that loads after Steward',
      `add_action( 'plugins_loaded', function () { no_such(); } );`,
    ],
  ] as const) {
    it(`is reported as down without the error text: ${where}`, async () => {
      await addPendingUpdate();
      await wordpress.plugin('broken', { body });
      const result = await updateByPanel();
      expect(result).toMatchObject({
        status: 'failed',
        code: 'site_down',
        error: expect.stringMatching(/^The site is down: a PHP error in .* ends every request/),
      });
      expect(JSON.stringify(result)).not.toContain('some_secret');
      expect(await siteStatus()).toBe('not_reachable');
    });
  }

  it('is not reachable after a sync', async () => {
    await wordpress.plugin('broken', { body: FATAL });
    await owner.post('/panel/sites/sync', { site_ids: [wordpress.site.siteId] });
    expect(await siteStatus()).toBe('not_reachable');
  });
});

describe('web server that requires a password', () => {
  it('is distinguished from a rejected key', async () => {
    const passwords = join(wordpress.site.folder, 'passwords');
    const hash = (await run('openssl', ['passwd', '-apr1', 'open-sesame'])).trim();
    await writeFile(passwords, `staging:${hash}\n`);
    await wordpress.site.configureServer(
      `auth_basic "Staging"; auth_basic_user_file ${passwords};`,
    );
    onTestFinished(() => wordpress.site.configureServer(''));
    expect(await updateByPanel()).toMatchObject({
      status: 'failed',
      code: 'site_login_required',
      error: expect.stringMatching(
        /requires a user name and password; the license key is not the cause/,
      ),
    });

    await addPendingUpdate();
    const path = `/panel/sites/${wordpress.site.siteId}/web-login`;
    const login = { username: 'staging', password: 'open-sesame' };
    expect((await owner.call('PUT', path, login)).status).toBe(200);
    // The site sends the login in its own health checks.
    expect(await updateByPanel()).toMatchObject({ status: 'succeeded' });
    const { site } = (await owner.get(`/panel/sites/${wordpress.site.siteId}`)).body;
    expect(site.has_web_login).toBe(true);
    const log = JSON.stringify((await owner.get('/panel/audit?limit=20')).body);
    expect(log).toContain('set_web_login');
    expect(log + JSON.stringify(site)).not.toContain('open-sesame');
    expect((await owner.call('DELETE', path)).status).toBe(200);
    expect((await updateByPanel()).code).toBe('site_login_required');
  });
});
