import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { findComplaints } from './support/debug-log.ts';
import type { Session } from './support/sign-in.ts';
import { type ErrorGroup, type Faults, useWatchedSite } from './support/use-watched-site.ts';

const DIE = 'shop_missing();';
const on = (hook: string, condition = 'true', fault = DIE) => ({
  hook,
  fault: `if ( ${condition} ) { ${fault} }`,
});

const FAULTS = {
  home: on('template_redirect', 'is_front_page()'),
  subscribers: on('wp', "is_user_logged_in() && ! current_user_can( 'edit_posts' )"),
  second_load: on(
    'admin_init',
    "! wp_doing_ajax() && 2 === (int) get_option( 'shop_loads' ) + 1 || ! update_option( 'shop_loads', 1 )",
  ),
  post_requests: on('init', "'POST' === $_SERVER['REQUEST_METHOD']"),
  plugins_screen: on('load-plugins.php'),
  editor: on('load-post-new.php'),
  posts_route: on('rest_prepare_post'),
  own_route: {
    ...on('shop_items'),
    always:
      "add_action( 'rest_api_init', function () { register_rest_route( 'shop/v1', '/items', array( 'callback' => fn() => apply_filters( 'shop_items', 1 ), 'permission_callback' => '__return_true' ) ); } );",
  },
  ajax: {
    ...on('wp_ajax_shop'),
    always: "add_action( 'wp_ajax_nopriv_shop', fn() => do_action( 'wp_ajax_shop' ) );",
  },
  post_type: {
    ...on('template_redirect', "is_singular( 'product' )"),
    always:
      "add_action( 'init', fn() => register_post_type( 'product', array( 'public' => true, 'has_archive' => true ) ) );",
  },
  shortcode: {
    ...on('shop_shortcode'),
    // The theme of the test bed prints no content.
    always: `add_shortcode( 'shop', fn() => apply_filters( 'shop_shortcode', '' ) );
      add_action( 'wp_footer', fn() => print( is_page() ? apply_filters( 'the_content', get_queried_object()->post_content ) : '' ) );`.replaceAll(
      /\s*\n\s*/g,
      ' ',
    ),
  },
  feed: on('template_redirect', 'is_feed()'),
  search: on('template_redirect', 'is_search()'),
  cron_event: on('shop_event'),
  odd_requests: on('wp', "isset( $_GET['odd'] )"),
  before_load: {
    hook: 'shop_none',
    fault: '',
    always:
      "if ( isset( $_GET['early'] ) && 'before_load' === get_option( 'shop_fault' ) ) { shop_missing(); }",
  },
  odd_entry: on('wp', "is_singular() && 'Odd' === get_queried_object()->post_title"),
  credentials: on('wp', "isset( $_SERVER['PHP_AUTH_USER'] )"),
  odd_list: on(
    'wp',
    "in_array( 'Odd', wp_list_pluck( $GLOBALS['wp_query']->posts, 'post_title' ) )",
  ),
  odd_comment: on(
    'wp',
    "get_comments( array( 'search' => 'Oddness' ) ) || get_comments_number( 1 ) > 1",
  ),
  loading: {
    hook: 'shop_none',
    fault: '',
    always: "if ( 'loading' === get_option( 'shop_fault' ) ) { shop_missing(); }",
  },
  replaced: on('wp', "isset( $_GET['odd'] )", `touch( __FILE__ ); clearstatcache(); ${DIE}`),
  memory: on(
    'wp',
    "isset( $_GET['odd'] )",
    "ini_set( 'memory_limit', '48M' ); $all = array(); while ( true ) { $all[] = str_repeat( 'x', 1000 ); }",
  ),
  large_memory: on('wp', "isset( $_GET['odd'] )", "str_repeat( 'x', PHP_INT_MAX >> 20 );"),
  time_limit: on('wp', "isset( $_GET['odd'] )", 'set_time_limit( 1 ); while ( true ) { }'),
  other_user: on('wp', "isset( $_GET['odd'] )", `wp_set_current_user( 1 ); ${DIE}`),
  exception: on(
    'wp',
    "isset( $_GET['odd'] )",
    "throw new RuntimeException( 'Password \\'hunter2\\' of max@example.com is wrong' );",
  ),
  caught: on('wp', 'true', 'try { shop_missing(); } catch ( Error $e ) { }'),
} satisfies Faults;

const wordpress = useWatchedSite(FAULTS);
let admin: Session;
let subscriber: Session;
beforeAll(async () => {
  admin = await wordpress.signIn('admin');
  subscriber = await wordpress.signIn('subscriber');
});

const SAME_ORIGIN = { 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': 'document' };
const fromPage = (path: string) => ({ ...SAME_ORIGIN, referer: wordpress.site.url + path });
const fromAdmin = () => fromPage('/wp-admin/plugins.php');
const as = (
  { cookie, nonce }: Session,
  more: Record<string, string> = fromAdmin(),
): RequestInit => ({
  headers: { cookie, 'x-wp-nonce': nonce, ...more },
});

const SHOP = { type: 'plugin', slug: 'shop/shop.php', version: '4.0.2' };
const MISSING = 'Uncaught Error: Call to undefined function shop_missing()';
/** The line of a fault: the header comment has five lines. */
const placeOf = (fault: keyof typeof FAULTS) =>
  `shop.php:${Object.keys(FAULTS).indexOf(fault) + 6}`;
const summarize = (groups: ErrorGroup[]) =>
  groups.map(({ request_kind, is_confirmed }) => [request_kind, is_confirmed]);

describe('a version that dies where an administrator works', () => {
  it.each([
    ['on the Plugins screen', 'plugins_screen', '/wp-admin/plugins.php', 'admin'],
    ['in the editor', 'editor', '/wp-admin/post-new.php', 'admin'],
    ['in its own REST route', 'own_route', '/wp-json/shop/v1/items', 'rest'],
    ['in its AJAX action', 'ajax', '/wp-admin/admin-ajax.php?action=shop', 'ajax'],
    ['before WordPress knows the user', 'before_load', '/?early=1', 'front'],
  ] as const)('is confirmed by the request: %s', async (_, fault, path, kind) => {
    expect(await wordpress.fail(fault, path, as(admin))).toBe(500);
    const groups = await wordpress.nextReport();
    expect(groups).toEqual([
      {
        ...SHOP,
        message: MISSING,
        place: placeOf(fault),
        request_kind: kind,
        via: [],
        is_confirmed: true,
        count: 1,
        first_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
        last_at: expect.any(String),
      },
    ]);
    // An immediate report contains no inventory, and no page was requested for it.
    expect(wordpress.panel.reports[0]).not.toHaveProperty('inventory');
    expect((await wordpress.readStore()).checks).toEqual([]);
  });

  it('is confirmed on the second load of the admin, and on POST', async () => {
    await wordpress.site.deleteOption('shop_loads');
    expect(await wordpress.fail('second_load', '/wp-admin/index.php', as(admin))).toBe(200);
    expect(await wordpress.fail('second_load', '/wp-admin/index.php', as(admin))).toBe(500);
    expect(summarize(await wordpress.nextReport())).toEqual([['admin', true]]);
    const post = { ...as(admin), method: 'POST' };
    expect(await wordpress.fail('post_requests', '/wp-admin/admin-ajax.php', post)).toBe(500);
    expect(summarize(await wordpress.readGroups())).toEqual([
      ['admin', true],
      ['ajax', true],
    ]);
  });

  it('is confirmed on the command line, but not in a cron event that runs there', async () => {
    await wordpress.fail('cron_event');
    const die = (before: string) =>
      wordpress.site.runPhp(`${before} do_action( 'shop_event' );`).catch(() => {});
    await die("define( 'DOING_CRON', true );");
    expect(summarize(await wordpress.readGroups())).toEqual([['cron', false]]);
    await die('');
    expect(summarize(await wordpress.readGroups())).toEqual([
      ['cron', false],
      ['command_line', true],
    ]);
  });
});

describe('a version that dies for visitors on a public page', () => {
  beforeAll(async () => {
    await wordpress.site.runPhp(`
      wp_insert_post( array( 'post_type' => 'product', 'post_title' => 'Lamp', 'post_status' => 'publish', 'post_author' => 1 ) );
      wp_insert_post( array( 'post_type' => 'page', 'post_title' => 'Offers', 'post_content' => '[shop]', 'post_status' => 'publish', 'post_author' => 1 ) );
      flush_rewrite_rules();`);
  });

  it.each([
    ['the home page', 'home', '/?utm_source=mail', 'front'],
    ['every page', 'loading', '/wp-login.php', 'login'],
    ['its post type', 'post_type', '/product/lamp/', 'front'],
    ['its shortcode', 'shortcode', '/offers/', 'front'],
    ['the feed', 'feed', '/feed/', 'front'],
    ['the search', 'search', '/?s=lamp', 'front'],
    ['wp/v2/posts', 'posts_route', '/wp-json/wp/v2/posts?per_page=1', 'rest'],
  ] as const)(
    'is confirmed after the site reproduced it twice: %s',
    async (_, fault, path, kind) => {
      expect(await wordpress.fail(fault, path)).toBe(500);
      const groups = await wordpress.nextReport();
      expect(groups).toMatchObject([
        { ...SHOP, place: placeOf(fault), request_kind: kind, is_confirmed: true, count: 1 },
      ]);
      expect((await wordpress.readStore()).checks).toHaveLength(2);
    },
  );
});

describe('an error that a stranger can cause', () => {
  it.each([
    ['signed out', () => ({})],
    ['as a subscriber', () => as(subscriber)],
    ['by a link that an administrator opens', () => as(admin, { 'sec-fetch-site': 'cross-site' })],
    ['by an address that an administrator enters', () => as(admin, { 'sec-fetch-site': 'none' })],
    ['by a browser that tells nothing', () => as(admin, {})],
    ['by an image in a comment', () => as(admin, { ...fromAdmin(), 'sec-fetch-dest': 'image' })],
    ['by a link in a comment', () => as(admin, fromPage('/a-post/'))],
    ['by a link on the comments screen', () => as(admin, fromPage('/wp-admin/edit-comments.php'))],
    ['from another host', () => as(admin, { referer: 'https://evil.example/' })],
  ])('is reported, and not confirmed: %s', async (_, request) => {
    expect(await wordpress.fail('odd_requests', '/?odd=1', request())).toBe(500);
    const groups = await wordpress.nextReport();
    expect(groups).toMatchObject([
      { ...SHOP, place: placeOf('odd_requests'), request_kind: 'front', is_confirmed: false },
    ]);
    // None of the pages that the site has requested contains what the stranger sent.
    const { checks } = await wordpress.readStore();
    expect(checks.length).toBeGreaterThan(0);
    expect(await wordpress.readGroups()).toMatchObject([{ count: 1 }]);
  });

  it.each([
    ['subscribers', '/', () => as(subscriber), 'front'],
    ['post_requests', '/', () => ({ method: 'POST' }), 'front'],
    ['own_route', '/wp-json/shop/v1/items', () => ({}), 'rest'],
    ['ajax', '/wp-admin/admin-ajax.php?action=shop', () => ({}), 'ajax'],
  ] as const)(
    'on a page that no administrator opens is not confirmed: %s',
    async (fault, path, request, kind) => {
      expect(await wordpress.fail(fault, path, request())).toBe(500);
      expect(summarize(await wordpress.nextReport())).toEqual([[kind, false]]);
    },
  );

  it('while the plugin acts as another user is not confirmed', async () => {
    expect(await wordpress.fail('other_user', '/?odd=1', { headers: fromAdmin() })).toBe(500);
    expect(summarize(await wordpress.nextReport())).toEqual([['front', false]]);
  });

  it('by credentials for HTTP basic authentication is not confirmed', async () => {
    const headers = { authorization: `Basic ${btoa('odd:odd')}` };
    expect(await wordpress.fail('credentials', '/', { headers })).toBe(500);
    expect(summarize(await wordpress.nextReport())).toEqual([['front', false]]);
  });

  it.each([
    ['odd_entry', '/product/odd/'],
    ['odd_list', '/'],
  ] as const)(
    'by publishing an entry, as in a forum, is not confirmed: %s',
    async (fault, path) => {
      await wordpress.site.runPhp(`
      $author = get_user_by( 'login', 'author' )->ID ?? wp_insert_user( array( 'user_login' => 'author', 'user_pass' => 'password', 'role' => 'author' ) );
      foreach ( array( 'post', 'product' ) as $type ) {
        wp_insert_post( array( 'post_type' => $type, 'post_title' => 'Odd', 'post_status' => 'publish', 'post_author' => $author ) );
      }
      flush_rewrite_rules();`);
      expect(await wordpress.fail(fault, path)).toBe(500);
      expect(summarize(await wordpress.nextReport())).toEqual([['front', false]]);
    },
  );

  it('by a comment is not confirmed', async () => {
    await wordpress.site.runPhp(
      "wp_insert_comment( array( 'comment_post_ID' => 1, 'comment_content' => 'Oddness', 'comment_approved' => 1 ) );",
    );
    expect(await wordpress.fail('odd_comment', '/?p=1')).toBe(500);
    expect(summarize(await wordpress.nextReport())).toEqual([['front', false]]);
  });

  it('with the Host header of another server sends no ticket there', async () => {
    const own = join(wordpress.site.root, 'wp-content/mu-plugins/a-test.php');
    onTestFinished(() => rm(own));
    await writeFile(
      own,
      "<?php foreach ( array( 'home', 'siteurl' ) as $name ) { add_filter( \"option_$name\", fn() => 'http://' . $_SERVER['HTTP_HOST'] ); }",
    );
    await wordpress.site.setOption('shop_fault', 'home');
    const sent = request(wordpress.site.url, { headers: { host: 'evil.example' } }).end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    expect(response.resume().statusCode).toBe(500);
    // The site counts a request before it responds.
    expect(await wordpress.readStore()).toMatchObject({ checks: [] });
    expect(await wordpress.readGroups()).toHaveLength(1);
  });

  it('in a cron event is not confirmed', async () => {
    await wordpress.fail('cron_event');
    await wordpress.site.runPhp("wp_schedule_single_event( time() - 1, 'shop_event' );");
    await fetch(`${wordpress.site.url}/wp-cron.php`);
    expect(summarize(await wordpress.nextReport())).toEqual([['cron', false]]);
  });

  it('sends at most ten requests an hour', async () => {
    for (const fault of ['odd_requests', 'exception', 'post_requests', 'subscribers'] as const) {
      const init = fault === 'post_requests' ? { method: 'POST' } : as(subscriber);
      await wordpress.fail(fault, '/?odd=1', init);
      await expect
        .poll(async () => (await wordpress.readStore()) as object)
        .toMatchObject({ checked_until: 0 });
    }
    expect((await wordpress.readStore()).checks).toHaveLength(10);
  });

  it('is confirmed when an administrator opens the page from the admin', async () => {
    await wordpress.fail('odd_requests', '/?odd=1');
    await wordpress.nextReport();
    const { referer } = fromAdmin();
    await wordpress.fail('odd_requests', '/?odd=1', as(admin, { referer }));
    expect(await wordpress.readGroups()).toMatchObject([{ is_confirmed: true, count: 2 }]);
  });
});

describe('each kind of fatal error', () => {
  it.each([
    ['memory', '/?odd=1', /^Allowed memory size of N bytes exhausted/],
    ['large_memory', '/?odd=1', /^(Allowed memory|Possible integer overflow)/],
    ['time_limit', '/?odd=1', /^Maximum execution time of N second exceeded/],
    ['exception', '/?odd=1', /^Uncaught RuntimeException: Password … of \[email\] is wrong$/],
    ['before_load', '/?early=1', /^Uncaught Error: Call to undefined function shop_missing\(\)$/],
  ] as const)('is counted, and WordPress shows its own page: %s', async (fault, path, message) => {
    const response = await fetchFailing(fault, path);
    expect(response.status).toBe(500);
    expect(await response.text()).toContain('There has been a critical error');
    const groups = await wordpress.readGroups();
    expect(groups).toMatchObject([{ ...SHOP, place: placeOf(fault) }]);
    expect(groups[0]?.message).toMatch(message);
  });

  it('is not counted if the plugin handles it', async () => {
    expect(await wordpress.fail('caught', '/')).toBe(200);
    expect(await wordpress.readGroups()).toEqual([]);
  });

  async function fetchFailing(fault: string, path: string) {
    await wordpress.site.setOption('shop_fault', fault);
    return fetch(wordpress.site.url + path);
  }
});

describe('a report', () => {
  it('of the inventory contains the errors', async () => {
    await wordpress.fail('odd_requests', '/?odd=1');
    await wordpress.nextReport();
    wordpress.panel.reports = [];
    await wordpress.site.setOption('shop_fault', '');
    await wordpress.site.runPhp("do_action( 'steward_check_in' );");
    expect(wordpress.panel.reports).toHaveLength(1);
    expect(wordpress.panel.reports[0]).toMatchObject({
      inventory: {},
      item_errors: { now: expect.any(String), dropped: 0, groups: [SHOP] },
    });
  });

  it('is sent by WP-Cron if the site cannot request its own pages', async () => {
    const block = join(wordpress.site.root, 'wp-content/mu-plugins/a-test.php');
    onTestFinished(() => rm(block));
    await writeFile(
      block,
      "<?php add_filter( 'pre_http_request', fn( $before, $arguments, $url ) => str_starts_with( $url, home_url() ) ? new WP_Error( 'blocked' ) : $before, 10, 3 );",
    );
    await wordpress.fail('plugins_screen', '/wp-admin/plugins.php', as(admin));
    const planned = await wordpress.site.runPhp(
      "echo (int) wp_next_scheduled( 'steward_report_errors' ) - time();",
    );
    expect(Number(planned)).toBeGreaterThan(0);
    expect(Number(planned)).toBeLessThanOrEqual(60);
    expect(wordpress.panel.reports).toEqual([]);
    await wordpress.site.runPhp("do_action( 'steward_report_errors' );");
    expect(summarize(await wordpress.nextReport())).toEqual([['admin', true]]);
    await wordpress.site.runPhp("do_action( 'steward_report_errors' );");
    expect(wordpress.panel.reports).toHaveLength(1);
  });

  it('contains no errors, and starts no request, with a panel that does not know them', async () => {
    wordpress.panel.capabilities = [];
    await wordpress.connect([]);
    await wordpress.fail('home', '/');
    await wordpress.fail('plugins_screen', '/wp-admin/plugins.php', as(admin));
    await wordpress.site.runPhp("do_action( 'steward_check_in' );");
    expect(wordpress.panel.reports).toHaveLength(1);
    expect(wordpress.panel.reports[0]).not.toHaveProperty('item_errors');
    const { checks, groups } = await wordpress.readStore();
    expect(checks).toEqual([]);
    expect(Object.values(groups)).toHaveLength(2);
  });
});

it('logs nothing of its own', async () => {
  await wordpress.fail('home', '/');
  await wordpress.nextReport();
  const log = await wordpress.site.debugLog();
  expect(log).not.toContain('Steward:');
  expect(findComplaints(log).filter((line) => !line.includes('Fatal error'))).toEqual([]);
});

it('an error of a request that was running while the files were replaced is not counted', async () => {
  expect(await wordpress.fail('replaced', '/?odd=1')).toBe(500);
  expect(await wordpress.readGroups()).toEqual([]);
});
