import { existsSync } from 'node:fs';
import { readdir, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { useUpdatedSite } from './support/use-updated-site.ts';

const FATAL = 'this_function_does_not_exist();';
const wordpress = useUpdatedSite();

/** Sets old file times, because opcache does not cache recently changed files. */
async function setOldFileTimes(name: string) {
  const folder = join(wordpress.site.root, 'wp-content/plugins', name);
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile()) await utimes(path, new Date('2024-01-01'), new Date('2024-01-01'));
  }
}

async function expectRolledBack(file: string, reason: RegExp) {
  const response = await wordpress.act('update', file);
  expect(response).toMatchObject({ status: 500, body: { code: 'action_failed' } });
  expect(response.body.error).toMatch(reason);
  expect(response.body.error).toMatch(/Rolled back to version 1\.0\.$/);
  expect((await wordpress.readInstalled()).plugins[file]).toBe('1.0');
}

describe('new version that lacks required files', () => {
  for (const [what, code] of [
    ['on every page', "require __DIR__ . '/inc/shop.php';"],
    ['for visitors only', "if ( ! is_admin() ) { require __DIR__ . '/inc/shop.php'; }"],
  ] as const) {
    it(`is rolled back although opcache still has the files: needed ${what}`, async () => {
      const files = { 'inc/shop.php': '<?php function shop() {}' };
      const file = await wordpress.plugin('shop', { body: code, files });
      await setOldFileTimes('shop');
      for (let visit = 0; visit < 3; visit++) expect(await wordpress.status('/')).toBe(200);
      await wordpress.offerPlugin('shop', { body: code });
      await expectRolledBack(file, /inc\/shop\.php/);
      // Wait until PHP's cached file information has expired.
      for (let second = 0; second < 3; second++) {
        expect(await wordpress.status('/')).toBe(200);
        await delay(1000);
      }
      expect(await wordpress.status('/')).toBe(200);
    });
  }
});

const ON_LOGIN = "'wp-login.php' === $GLOBALS['pagenow']";
describe('new version that breaks', () => {
  for (const [what, body, reason] of [
    [
      'admin pages',
      `add_action( 'admin_init', function () { ${FATAL} } );`,
      /(dashboard|admin area): .*this_fun/,
    ],
    ['the login page', `if ( ${ON_LOGIN} ) { ${FATAL} }`, /login page: .*this_function/],
    [
      'single posts',
      `add_action( 'wp', function () { if ( is_single() ) { ${FATAL} } } );`,
      /newest post: .*this_function/,
    ],
    [
      'pages for signed-in users',
      `add_action( 'wp_footer', function () { if ( is_user_logged_in() ) { ${FATAL} } } );`,
      /signed-in user: .*this_function/,
    ],
    ['WP-Cron', `if ( defined( 'DOING_CRON' ) ) { ${FATAL} }`, /WP-Cron: .*this_function/],
    [
      'pages by die()',
      "add_action( 'template_redirect', function () { die( 'Shop is not licensed.' ); } );",
      /home page: incomplete page/,
    ],
    [
      'pages by an endless redirect',
      "add_action( 'template_redirect', function () { wp_redirect( home_url( '/?' . wp_rand() ) ); exit; } );",
      /home page: redirect loop/,
    ],
    [
      'pages by a redirect to another site',
      "add_action( 'template_redirect', function () { wp_redirect( 'http://elsewhere.example/' ); exit; } );",
      /home page: redirects to http:\/\/elsewhere\.example/,
    ],
    [
      'the admin area for its users',
      "add_filter( 'determine_current_user', function ( $id ) { return is_admin() ? 0 : $id; }, 999 );",
      /(dashboard|admin area): HTTP status 403/,
    ],
    [
      'WP-Cron, followed by a warning',
      `add_action( 'shutdown', function () { @unlink( '/no/such/file' ); } ); if ( defined( 'DOING_CRON' ) ) { ${FATAL} }`,
      /WP-Cron: .*this_function/,
    ],
  ] as const) {
    it(`${what} is rolled back`, async () => {
      const file = await wordpress.plugin('shop');
      await wordpress.offerPlugin('shop', { body });
      await expectRolledBack(file, reason);
    });
  }

  it('nothing is kept: a welcome page, a closed REST API, another title', async () => {
    const file = await wordpress.plugin('shop');
    await wordpress.offerPlugin('shop', {
      body: `add_action( 'admin_init', function () {
          if ( get_option( 'shop_greeted' ) ) { return; }
          update_option( 'shop_greeted', 1 );
          wp_safe_redirect( admin_url( 'profile.php' ) );
          exit;
        } );
        add_filter( 'rest_authentication_errors', function () { return new WP_Error( 'no', 'Closed.', array( 'status' => 401 ) ); } );
        add_filter( 'bloginfo', function ( $text ) { return 'Shop'; } );`,
    });
    expect((await wordpress.act('update', file)).body).toEqual({
      success: true,
      action: 'update',
      plugin: file,
      checked: {
        pages_planned: 7,
        pages_compared: 7,
        notes: [{ page: 'the login page', kind: 'title' }],
      },
    });
    expect((await wordpress.readInstalled()).plugins[file]).toBe('2.0');
  });
});

describe('new version that cannot be verified', () => {
  for (const [what, body] of [
    ['because shutdown fails on every page', `add_action( 'shutdown', function () { ${FATAL} } );`],
    [
      'because of a rate limit',
      "add_action( 'init', function () { if ( ! is_admin() ) { wp_die( 'Slow down.', '', array( 'response' => 503 ) ); } } );",
    ],
  ] as const) {
    it(`is kept as unverified ${what}`, async () => {
      const file = await wordpress.plugin('shop');
      await wordpress.offerPlugin('shop', { body });
      expect((await wordpress.act('update', file)).body).toMatchObject({ verified: false });
      expect((await wordpress.readInstalled()).plugins[file]).toBe('2.0');
      await wordpress.reset();
    });
  }
});

describe('new version that works on after the response', () => {
  it('is verified', async () => {
    const file = await wordpress.plugin('shop');
    await wordpress.offerPlugin('shop', {
      body: "add_action( 'shutdown', function () { fastcgi_finish_request(); usleep( 300000 ); } );",
    });
    expect((await wordpress.act('update', file)).body).toEqual({
      success: true,
      action: 'update',
      plugin: file,
      checked: { pages_planned: 7, pages_compared: 7 },
    });
  });
});

describe('page cache that responds after WordPress is loaded', () => {
  it('neither blocks calls of the panel nor hides broken pages', async () => {
    // WP Super Cache does this with its setting "late init".
    await wordpress.plugin('cache', {
      body: `add_action( 'init', function () {
        if ( is_admin() || 'index.php' !== $GLOBALS['pagenow'] || defined( 'WPSC_SERVE_DISABLED' ) ) { return; }
        echo '<html>', str_repeat( 'stored ', 3000 ), '</html>';
        exit;
      } );`,
    });
    const file = await wordpress.plugin('shop');
    await wordpress.offerPlugin('shop', {
      body: `add_action( 'wp_footer', function () { ${FATAL} } );`,
    });
    await expectRolledBack(file, /home page: .*this_function/);
  });
});

describe('page that times out before the update', () => {
  const SHORT_TIMEOUT = "add_filter( 'steward_health_check_timeout', function () { return 2; } );";

  it('is checked again, and an update that breaks it is rolled back', async () => {
    await wordpress.mustUse(SHORT_TIMEOUT);
    const slowAtFirst = `if ( ${ON_LOGIN} && add_option( 'shop_is_warm', 1 ) ) { sleep( 3 ); }`;
    const file = await wordpress.plugin('shop', { body: slowAtFirst });
    await wordpress.offerPlugin('shop', { body: `if ( ${ON_LOGIN} ) { ${FATAL} }` });
    await expectRolledBack(file, /login page: .*this_function/);
  });

  it('leaves the update unverified when it always times out', async () => {
    await wordpress.mustUse(SHORT_TIMEOUT);
    const body = `if ( ${ON_LOGIN} ) { sleep( 3 ); }`;
    const file = await wordpress.plugin('shop', { body });
    await wordpress.offerPlugin('shop', { body });
    expect((await wordpress.act('update', file)).body).toMatchObject({ verified: false });
    expect((await wordpress.readInstalled()).plugins[file]).toBe('2.0');
  });
});

describe('page that was broken before the update', () => {
  it('does not roll back the update', async () => {
    await wordpress.mustUse(
      `add_action( 'wp', function () { if ( is_single() ) { ${FATAL} } } );
      add_action( 'admin_init', function () { wp_die( 'Under construction.', '', 503 ); } );`,
    );
    const file = await wordpress.plugin('shop');
    await wordpress.offerPlugin('shop');
    expect(await wordpress.act('update', file)).toMatchObject({ status: 200 });
    expect((await wordpress.readInstalled()).plugins[file]).toBe('2.0');
  });

  it('does not hide pages that break now', async () => {
    await wordpress.mustUse(`add_action( 'admin_init', function () { ${FATAL} } );`);
    const file = await wordpress.plugin('shop');
    await wordpress.offerPlugin('shop', { body: FATAL });
    await expectRolledBack(file, /home page: .*this_function/);
  });
});

describe('several items, one of which fails the final health check', () => {
  it('are kept, except the one in whose file the site fails', async () => {
    await wordpress.plugin('alpha');
    await wordpress.plugin('beta');
    await wordpress.plugin('gamma');
    await wordpress.offerPlugin('alpha');
    await wordpress.offerPlugin('beta', { body: `if ( ${ON_LOGIN} ) { ${FATAL} }` });
    await wordpress.offerPlugin('gamma');
    const { success, results } = await wordpress.update();
    expect(success).toBe(false);
    expect(results.plugins).toMatchObject([
      { slug: 'alpha/alpha.php', new_version: '2.0', success: true },
      { slug: 'beta/beta.php', new_version: '1.0', success: false },
      { slug: 'gamma/gamma.php', new_version: '2.0', success: true },
    ]);
    expect(results.plugins[1]?.error).toMatch(/login page: .* Rolled back to version 1\.0\.$/);
    expect(await wordpress.status('/wp-login.php')).toBe(200);
  });

  it('are rolled back in reverse order until the site works, if nothing names the item', async () => {
    for (const name of ['alpha', 'beta', 'gamma']) await wordpress.plugin(name);
    await wordpress.offerPlugin('alpha');
    await wordpress.offerPlugin('beta', { body: `if ( ${ON_LOGIN} ) { die( 'Closed.' ); }` });
    await wordpress.offerPlugin('gamma');
    const { results } = await wordpress.update();
    expect(results.plugins).toMatchObject([
      { slug: 'alpha/alpha.php', new_version: '2.0', success: true },
      { slug: 'beta/beta.php', new_version: '1.0', success: false },
      { slug: 'gamma/gamma.php', new_version: '1.0', success: false },
    ]);
    expect(results.plugins[1]?.error).toMatch(/login page: incomplete page/);
  });
});

describe('visitors', () => {
  it('never see a version that was not verified', async () => {
    const file = await wordpress.plugin('shop');
    await wordpress.offerPlugin('shop', {
      body: "add_action( 'wp_head', function () { echo 'NEW'; } ); if ( ! is_admin() ) { usleep( 600000 ); } add_action( 'wp_footer', function () { no_such(); } );",
    });
    const update = wordpress.act('update', file);
    let isOver = false;
    void update.finally(() => {
      isOver = true;
    });
    const responses: string[] = [];
    while (!isOver) {
      const response = await fetch(wordpress.site.url);
      responses.push(
        `${response.status} ${(await response.text()).includes('NEW') ? 'new' : 'old'}`,
      );
    }
    expect((await update).status).toBe(500);
    const closed = responses.indexOf('503 old');
    expect(closed).toBeGreaterThan(-1);
    // A request that arrives just before maintenance mode may load the plugins late.
    const others = responses.filter((_, index) => index !== closed - 1);
    expect(new Set(others)).toEqual(new Set(['200 old', '503 old']));
    expect(existsSync(join(wordpress.site.root, '.maintenance'))).toBe(false);
  });
});
