import { existsSync } from 'node:fs';
import { readdir, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { useUpdatedSite } from './support/use-updated-site.ts';

const FATAL = 'this_function_does_not_exist();';
const wordpress = useUpdatedSite();

/** Old enough that PHP keeps what it compiles of them. */
async function makeOld(name: string) {
  const folder = join(wordpress.site.root, 'wp-content/plugins', name);
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile()) await utimes(path, new Date('2024-01-01'), new Date('2024-01-01'));
  }
}

async function expectTakenBack(file: string, reason: RegExp) {
  const answer = await wordpress.act('update', file);
  expect(answer).toMatchObject({ status: 500, body: { code: 'action_failed' } });
  expect(answer.body.error).toMatch(reason);
  expect(answer.body.error).toMatch(/Rolled back to version 1\.0\.$/);
  expect((await wordpress.look()).plugins[file]).toBe('1.0');
}

describe('a release without files that the old one had', () => {
  for (const [what, code] of [
    ['on every page', "require __DIR__ . '/inc/shop.php';"],
    ['for visitors alone', "if ( ! is_admin() ) { require __DIR__ . '/inc/shop.php'; }"],
  ] as const) {
    it(`is taken back, though PHP still has them compiled: needed ${what}`, async () => {
      const files = { 'inc/shop.php': '<?php function shop() {}' };
      const file = await wordpress.plugin('shop', { body: code, files });
      await makeOld('shop');
      for (let visit = 0; visit < 3; visit++) expect(await wordpress.status('/')).toBe(200);
      await wordpress.offerPlugin('shop', { body: code });
      await expectTakenBack(file, /inc\/shop\.php/);
      // As long as PHP may go on with what it knows of files.
      for (let second = 0; second < 3; second++) {
        expect(await wordpress.status('/')).toBe(200);
        await delay(1000);
      }
      expect(await wordpress.status('/')).toBe(200);
    });
  }
});

const ON_LOGIN = "'wp-login.php' === $GLOBALS['pagenow']";
describe('a new version that breaks', () => {
  for (const [what, body, reason] of [
    [
      'admin pages',
      `add_action( 'admin_init', function () { ${FATAL} } );`,
      /(dashboard|admin area): .*this_fun/,
    ],
    [
      'the menu of the admin area',
      "add_action( 'admin_menu', function () { no_such(); } );",
      /(dashboard|admin area): .*no_such/,
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
      'pages in the middle',
      "add_action( 'wp_footer', function () { exit; } );",
      /home page: incomplete page/,
    ],
    [
      'pages by a redirect without end',
      "add_action( 'template_redirect', function () { wp_redirect( home_url( '/?' . wp_rand() ) ); exit; } );",
      /home page: redirect loop/,
    ],
    [
      'pages by a redirect to the login page',
      "add_action( 'template_redirect', function () { auth_redirect(); } );",
      /home page: redirects to .*wp-login\.php/,
    ],
    [
      'pages by a redirect to elsewhere',
      "add_action( 'template_redirect', function () { wp_redirect( 'http://elsewhere.example/' ); exit; } );",
      /home page: redirects to http:\/\/elsewhere\.example/,
    ],
    [
      'pages by wp_die()',
      "add_action( 'template_redirect', function () { wp_die( 'Shop has no tables.', '', 500 ); } );",
      /home page: HTTP status 500/,
    ],
    [
      'pages by wp_die() with 403',
      "add_action( 'template_redirect', function () { wp_die( 'No.', '', 403 ); } );",
      /home page: HTTP status 403/,
    ],
    [
      'pages by an empty one',
      "add_action( 'template_redirect', function () { echo '<html></html>'; exit; } );",
      /home page: almost empty/,
    ],
    [
      'the admin area for its users',
      "add_filter( 'determine_current_user', function ( $id ) { return is_admin() ? 0 : $id; }, 999 );",
      /(dashboard|admin area): HTTP status 403/,
    ],
    [
      'WP-Cron, with a warning after it',
      `add_action( 'shutdown', function () { @unlink( '/no/such/file' ); } ); if ( defined( 'DOING_CRON' ) ) { ${FATAL} }`,
      /WP-Cron: .*this_function/,
    ],
  ] as const) {
    it(`${what} is taken back`, async () => {
      const file = await wordpress.plugin('shop');
      await wordpress.offerPlugin('shop', { body });
      await expectTakenBack(file, reason);
    });
  }

  it('nothing is not taken back: a greeting, a page more, another title', async () => {
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
    });
    expect((await wordpress.look()).plugins[file]).toBe('2.0');
  });
});

describe('a new version after which it cannot be told', () => {
  for (const [what, body] of [
    ['whether pages come to their end', `add_action( 'shutdown', function () { ${FATAL} } );`],
    [
      'what is behind a limit of requests',
      "add_action( 'init', function () { if ( ! is_admin() ) { wp_die( 'Slow down.', '', array( 'response' => 503 ) ); } } );",
    ],
  ] as const) {
    it(`${what} stays, and is unverified`, async () => {
      const file = await wordpress.plugin('shop');
      await wordpress.offerPlugin('shop', { body });
      expect((await wordpress.act('update', file)).body).toMatchObject({ verified: false });
      expect((await wordpress.look()).plugins[file]).toBe('2.0');
      await wordpress.reset();
    });
  }

  it('is healthy when it only works on after its answer', async () => {
    const file = await wordpress.plugin('shop');
    await wordpress.offerPlugin('shop', {
      body: "add_action( 'shutdown', function () { fastcgi_finish_request(); usleep( 300000 ); } );",
    });
    expect((await wordpress.act('update', file)).body).toEqual({
      success: true,
      action: 'update',
      plugin: file,
    });
  });
});

describe('a page cache that answers when WordPress is loaded', () => {
  it('neither ends calls of the panel nor hides what is broken', async () => {
    // As WP Super Cache does it with its setting "late init".
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
    await expectTakenBack(file, /home page: .*this_function/);
  });
});

describe('a page that takes too long before the update', () => {
  const IMPATIENT = "add_filter( 'steward_health_check_timeout', function () { return 2; } );";

  it('is looked at a second time, and an update that breaks it is taken back', async () => {
    await wordpress.mustUse(IMPATIENT);
    const slowAtFirst = `if ( ${ON_LOGIN} && add_option( 'shop_is_warm', 1 ) ) { sleep( 3 ); }`;
    const file = await wordpress.plugin('shop', { body: slowAtFirst });
    await wordpress.offerPlugin('shop', { body: `if ( ${ON_LOGIN} ) { ${FATAL} }` });
    await expectTakenBack(file, /login page: .*this_function/);
  });

  it('leaves the update unverified when it was never seen', async () => {
    await wordpress.mustUse(IMPATIENT);
    const body = `if ( ${ON_LOGIN} ) { sleep( 3 ); }`;
    const file = await wordpress.plugin('shop', { body });
    await wordpress.offerPlugin('shop', { body });
    expect((await wordpress.act('update', file)).body).toMatchObject({ verified: false });
    expect((await wordpress.look()).plugins[file]).toBe('2.0');
  });
});

describe('what was broken before', () => {
  it('is no reason to take an update back', async () => {
    await wordpress.mustUse(
      `add_action( 'wp', function () { if ( is_single() ) { ${FATAL} } } );
      add_action( 'admin_init', function () { wp_die( 'Under construction.', '', 503 ); } );`,
    );
    const file = await wordpress.plugin('shop');
    await wordpress.offerPlugin('shop');
    expect(await wordpress.act('update', file)).toMatchObject({ status: 200 });
    expect((await wordpress.look()).plugins[file]).toBe('2.0');
  });

  it('does not hide what is broken now', async () => {
    await wordpress.mustUse(`add_action( 'admin_init', function () { ${FATAL} } );`);
    const file = await wordpress.plugin('shop');
    await wordpress.offerPlugin('shop', { body: FATAL });
    await expectTakenBack(file, /home page: .*this_function/);
  });
});

describe('several items, of which one breaks a page that is looked at in the end', () => {
  it('are taken back, the newest first, until the site is as it was', async () => {
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
      { slug: 'gamma/gamma.php', new_version: '1.0', success: false },
    ]);
    expect(results.plugins[1]?.error).toMatch(/login page: .* Rolled back to version 1\.0\.$/);
    expect(await wordpress.status('/wp-login.php')).toBe(200);
    const { plugins } = await wordpress.look();
    expect([plugins['alpha/alpha.php'], plugins['beta/beta.php']]).toEqual(['2.0', '1.0']);
  });
});

describe('visitors', () => {
  it('never meet a version that was not judged', async () => {
    const file = await wordpress.plugin('shop');
    await wordpress.offerPlugin('shop', {
      body: "add_action( 'wp_head', function () { echo 'NEW'; } ); if ( ! is_admin() ) { usleep( 600000 ); } add_action( 'wp_footer', function () { no_such(); } );",
    });
    const update = wordpress.act('update', file);
    let isOver = false;
    void update.finally(() => {
      isOver = true;
    });
    const met: string[] = [];
    while (!isOver) {
      const response = await fetch(wordpress.site.url);
      met.push(`${response.status} ${(await response.text()).includes('NEW') ? 'new' : 'old'}`);
    }
    expect((await update).status).toBe(500);
    const closed = met.indexOf('503 old');
    expect(closed).toBeGreaterThan(-1);
    // Who came in just before the site was closed may be slow to load its plugins.
    const others = met.filter((_, index) => index !== closed - 1);
    expect(new Set(others)).toEqual(new Set(['200 old', '503 old']));
    expect(existsSync(join(wordpress.site.root, '.maintenance'))).toBe(false);
  });
});
