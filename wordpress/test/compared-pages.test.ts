import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { paperTheme } from './support/paper-theme.ts';
import { useUpdatedSite } from './support/use-updated-site.ts';

const wordpress = useUpdatedSite();
const FILE = 'shop/shop.php';

/** What a small shop plugin registers: a shortcode, a block, a post type, a REST route, an admin page and two hooks. */
const registerShop = ({ list = 'lamps chairs tables', screen = 'Orders of this week' } = {}) => `
  add_shortcode( 'shop_list', function () { return '<p>${list}</p>'; } );
  add_action( 'init', function () {
    register_post_type( 'product', array( 'public' => true, 'label' => 'Products' ) );
    register_block_type( 'shop/offers', array( 'render_callback' => function () { return '<p>${list}</p>'; } ) );
  } );
  add_action( 'rest_api_init', function () {
    register_rest_route( 'shop/v1', '/stock', array( 'methods' => 'GET', 'callback' => function () { return array( '${list}' ); }, 'permission_callback' => '__return_true' ) );
  } );
  add_filter( 'plugin_action_links_shop/shop.php', function ( $links ) { return $links; } );
  add_action( 'pre_get_posts', function () {} );
  add_action( 'admin_menu', function () {
    add_menu_page( 'Shop', 'Shop', 'manage_options', 'shop', function () { echo '<h1>${screen}</h1>'; } );
  } );`;

const TEXT =
  'Our books are bound by hand in a small workshop near the river, as they were a century ago. ';

beforeEach(async () => {
  await wordpress.mustUse(
    `empty( $_GET['steward_check'] ) || file_put_contents( WP_CONTENT_DIR . '/requests.log', $_SERVER['REQUEST_METHOD'] . ' ' . preg_replace( '/[?&]steward_check=[^&]*/', '', $_SERVER['REQUEST_URI'] ) . PHP_EOL, FILE_APPEND );`,
  );
  await wordpress.site.deleteOption('shop_done');
  await rm(join(wordpress.site.root, 'wp-content/requests.log'), { force: true });
  await wordpress.theme('paper', paperTheme());
  await wordpress.site.runPhp(`
    foreach ( get_posts( array( 'post_type' => array( 'post', 'page', 'product' ), 'numberposts' => -1, 'post_status' => 'any' ) ) as $post ) { wp_delete_post( $post->ID, true ); }
    foreach ( array( 'Bindings', 'Paper', 'Ink' ) as $title ) {
      wp_insert_post( array( 'post_title' => $title, 'post_content' => '${TEXT.repeat(3)}', 'post_status' => 'publish', 'post_author' => 1 ) );
    }
    foreach ( array( 'List' => '[shop_list]', 'Offers' => '<!-- wp:shop/offers /-->' ) as $title => $content ) {
      wp_insert_post( array( 'post_type' => 'page', 'post_title' => $title, 'post_content' => $content . ' ${TEXT.repeat(2)}', 'post_status' => 'publish', 'post_author' => 1 ) );
    }
    wp_insert_post( array( 'post_type' => 'product', 'post_title' => 'Lamp', 'post_content' => '${TEXT}', 'post_status' => 'publish', 'post_author' => 1 ) );
    flush_rewrite_rules();`);
});

type Checked = {
  pages_planned: number;
  pages_compared: number;
  reason?: string;
  differences?: { page: string; kind: string; percent?: number; detail?: string }[];
  notes?: { page: string; kind: string }[];
};

async function updateShop(body: string) {
  await wordpress.plugin('shop', { body: registerShop() });
  await wordpress.site.runPhp('flush_rewrite_rules();');
  await wordpress.offerPlugin('shop', { body });
  const response = (await wordpress.act('update', FILE)).body;
  return response as { success: boolean; verified?: false; error?: string; checked?: Checked };
}

const requests = async () =>
  (await readFile(join(wordpress.site.root, 'wp-content/requests.log'), 'utf8'))
    .trim()
    .split('\n')
    .filter((line) => line.startsWith('GET'));

describe('the checked pages', () => {
  it('are those of every site and those of the item, within the budget', async () => {
    const { checked, verified } = await updateShop(registerShop());
    expect(verified).toBeUndefined();
    expect(checked).toEqual({ pages_planned: 14, pages_compared: 14 });
    const paths = (await requests()).map((line) => line.slice(4));
    expect(paths).toEqual(
      expect.arrayContaining([
        '/offers/',
        '/product/lamp/',
        '/wp-admin/admin.php?page=shop',
        '/wp-json/shop/v1/stock',
        '/wp-admin/plugins.php',
        '/wp-admin/post-new.php',
        '/?s=steward',
      ]),
    );
    expect(paths.filter((path) => path === '/wp-admin/index.php')).toHaveLength(3);
    // The panel adds four.
    expect(paths.length).toBeLessThanOrEqual(32);
    const drafts = await wordpress.site.query(
      "SELECT COUNT(*) FROM wp_posts WHERE post_status = 'auto-draft'",
    );
    expect(drafts).toEqual([['0']]);
  });

  it('are within the budget for three plugins', async () => {
    for (const name of ['one', 'two', 'three']) {
      await wordpress.plugin(name);
      await wordpress.offerPlugin(name);
    }
    const { checked } = (await wordpress.update()) as { checked?: Checked };
    expect(checked?.pages_compared).toBe(checked?.pages_planned);
    expect((await requests()).length).toBeLessThanOrEqual(32);
  });

  it('include those that the owner has marked, without addresses that act', async () => {
    await wordpress.plugin('shop');
    await wordpress.offerPlugin('shop');
    const check_pages = ['/list/', '/?action=delete', 'https://elsewhere.example/', '/a\u0000b'];
    await wordpress.call('plugin-action', { action: 'update', plugin: FILE, check_pages });
    const paths = (await requests()).map((line) => line.slice(4));
    expect(paths.filter((path) => path === '/list/')).toHaveLength(2);
    expect(paths.join()).not.toMatch(/delete|elsewhere|%00/);
  });
});

const ONCE = "if ( get_option( 'shop_done' ) ) { return; } update_option( 'shop_done', 1 );";

describe('a new version after which a person reads something else', () => {
  for (const [what, body, difference] of [
    [
      'a block renders empty',
      registerShop({ list: '' }),
      { kind: 'output_empty', detail: 'shop/offers' },
    ],
    [
      'the content of posts is an error text',
      `${registerShop()} add_filter( 'the_content', function () { return 'The shop could not connect to its service, please contact support.'; } );`,
      { page: 'the newest post', kind: 'text' },
    ],
    [
      'every page is a maintenance page with status 200',
      `${registerShop()} add_action( 'template_redirect', function () { echo '<html><head><title>Soon</title></head><body><h1>Back soon</h1>' . str_repeat( '<p>We are working on this website.</p>', 900 ) . '</body></html>'; exit; } );`,
      { page: 'the newest post', kind: 'text' },
    ],
    [
      'all pages redirect to one',
      `${registerShop()} add_action( 'template_redirect', function () { if ( ! is_page( 'list' ) ) { wp_safe_redirect( home_url( '/list/' ) ); exit; } } );`,
      { page: 'the newest post', kind: 'address' },
    ],
    [
      'a wizard replaces the dashboard at every load',
      `${registerShop()} add_action( 'admin_init', function () { if ( 'index.php' === $GLOBALS['pagenow'] ) { wp_safe_redirect( admin_url( 'admin.php?page=shop' ) ); exit; } } );`,
      { page: 'the dashboard', kind: 'address' },
    ],
    [
      'a migration has emptied the posts',
      `${registerShop()} add_action( 'init', function () { ${ONCE} $GLOBALS['wpdb']->query( "UPDATE {$GLOBALS['wpdb']->posts} SET post_content = '' WHERE post_type = 'post'" ); } );`,
      { page: '', kind: 'entries', detail: '3' },
    ],
    [
      'another plugin is no longer active',
      `${registerShop()} add_action( 'init', function () { ${ONCE} $plugins = get_option( 'active_plugins' ); update_option( 'active_plugins', array_values( array_diff( $plugins, array( 'other/other.php' ) ) ) ); } );`,
      { page: '', kind: 'plugin_inactive', detail: 'other/other.php' },
    ],
  ] as const) {
    it(`is kept as unverified: ${what}`, async () => {
      await wordpress.plugin('other');
      const { verified, checked, ...rest } = await updateShop(body);
      expect(rest).toMatchObject({ success: true });
      expect(verified).toBe(false);
      expect(checked?.differences).toContainEqual(expect.objectContaining(difference));
    });
  }

  for (const [what, body] of [
    ['only its own output changes', registerShop({ list: 'beds desks', screen: 'All orders' })],
    [
      'a welcome page opens once',
      `${registerShop()} add_action( 'admin_init', function () { ${ONCE} wp_safe_redirect( admin_url( 'admin.php?page=shop' ) ); exit; } );`,
    ],
    [
      'it adds a notice, a style and a menu entry',
      `${registerShop()} add_action( 'admin_notices', function () { echo '<div class="notice"><p>Thank you for updating the shop. Read what is new.</p></div>'; } ); add_action( 'wp_head', function () { echo '<style>body{color:red}</style>'; } );`,
    ],
  ] as const) {
    it(`is verified if ${what}`, async () => {
      const { verified, checked } = await updateShop(body);
      expect(checked).toEqual({ pages_planned: 14, pages_compared: 14 });
      expect(verified).toBeUndefined();
    });
  }

  it('is verified if the text of a page differs in every request', async () => {
    const words =
      'array_map( function () { return wp_generate_password( 8, false ); }, range( 1, 60 ) )';
    await wordpress.mustUse(
      `add_filter( 'the_content', function () { return implode( ' ', ${words} ); } );`,
    );
    const { verified } = await updateShop(registerShop());
    expect(verified).toBeUndefined();
  });

  it('is verified, with a note, if the title of pages differs', async () => {
    const { verified, checked } = await updateShop(
      `${registerShop()} add_filter( 'document_title_parts', function ( $parts ) { $parts['title'] = 'Shop: ' . $parts['title']; return $parts; } );`,
    );
    expect(verified).toBeUndefined();
    expect(checked?.notes).toContainEqual({ page: 'the newest post', kind: 'title' });
  });
});

describe('a new version', () => {
  it('is kept as unverified if its admin page has another address', async () => {
    const { verified, checked } = await updateShop(
      registerShop().replace("'manage_options', 'shop',", "'manage_options', 'shop-orders',"),
    );
    expect(verified).toBe(false);
    expect(checked?.differences).toEqual([
      { page: 'the admin page of shop', kind: 'status', detail: '403' },
    ]);
  });

  it('is checked on a site whose home page says "coming soon" with 503', async () => {
    await wordpress.mustUse(
      "add_action( 'template_redirect', function () { if ( is_front_page() ) { wp_die( 'Coming soon', '', array( 'response' => 503 ) ); } } );",
    );
    await wordpress.plugin('shop');
    await wordpress.offerPlugin('shop', {
      body: "add_action( 'admin_init', function () { no_such_function(); } );",
    });
    expect((await wordpress.act('update', FILE)).body.error).toMatch(
      /the dashboard: .*no_such_function.* Rolled back to version 1\.0\./,
    );
    await (await wordpress.mustUse('')).remove();
  });

  it('is verified if an admin page must be opened before its pages work', async () => {
    const { verified, error } = await updateShop(
      `${registerShop()} add_action( 'admin_init', function () { update_option( 'shop_done', 2 ); } );
      add_action( 'template_redirect', function () { if ( ! get_option( 'shop_done' ) ) { wp_die( 'Migrate first.' ); } } );`,
    );
    expect([error, verified]).toEqual([undefined, undefined]);
  });
});

describe('a new version that changes the site', () => {
  it('is rolled back and active again if it deactivates itself', async () => {
    await wordpress.plugin('shop');
    await wordpress.offerPlugin('shop', {
      body: `add_action( 'wp_loaded', function () { require_once ABSPATH . 'wp-admin/includes/plugin.php'; deactivate_plugins( '${FILE}' ); } );`,
    });
    const { error } = (await wordpress.act('update', FILE)).body;
    expect(error).toMatch(/shop\/shop\.php is no longer active\. Rolled back to version 1\.0\./);
    expect((await wordpress.readInstalled()).active).toEqual([FILE]);
  });

  it('is rolled back with the permalinks that it has changed', async () => {
    const { error } = await updateShop(
      `${registerShop()} add_action( 'wp_loaded', function () { update_option( 'permalink_structure', '' ); } );`,
    );
    expect(error).toMatch(/Rolled back to version 1\.0\./);
    expect(await wordpress.site.getOption('permalink_structure')).toBe('/%postname%/');
  });

  it('is unverified if it has switched the theme, which a user may have done', async () => {
    await wordpress.theme('other', paperTheme());
    await wordpress.theme('paper', paperTheme());
    const { verified, checked } = await updateShop(
      `${registerShop()} add_action( 'wp_loaded', function () { update_option( 'template', 'other' ); update_option( 'stylesheet', 'other' ); } );`,
    );
    expect(verified).toBe(false);
    expect(checked?.differences).toContainEqual({ page: '', kind: 'theme' });
  });

  for (const [what, code, detail] of [
    [
      'a warning of PHP',
      "echo '<b>Warning</b>: Undefined variable $price in shop.php on line 7';",
      'Warning: Undefined variable $price in shop.php on line 7',
    ],
    ['a byte order mark', 'echo "\\xEF\\xBB\\xBF";', 'BOM'],
  ] as const) {
    it(`is unverified if it prints ${what} before REST responses`, async () => {
      const body = `${registerShop()} add_action( 'rest_api_init', function () { ${code} } );`;
      const { verified, checked } = await updateShop(body);
      expect(verified).toBe(false);
      expect(checked?.differences).toContainEqual({
        page: 'the REST route of shop',
        kind: 'incomplete',
        detail,
      });
    });
  }
});

describe('a new version of the parent theme', () => {
  const CHILD = {
    'style.css': '/*\nTheme Name: Child\nTemplate: paper\nVersion: 1.0\n*/\n',
    'functions.php': '<?php\n',
  };
  for (const [what, parts, difference] of [
    ['without its footer', { footer: '' }, { kind: 'part_empty', detail: 'footer' }],
    ['without posts', { main: '' }, { kind: 'text' }],
  ] as const) {
    it(`${what} is unverified`, async () => {
      await wordpress.theme('child', { files: CHILD });
      await rm(join(wordpress.site.root, 'wp-content/themes/child/index.php'));
      await wordpress.site.setOption('template', 'paper');
      await wordpress.offerTheme('paper', paperTheme(parts));
      const { results, ...body } = await wordpress.update();
      expect(results.themes).toMatchObject([
        { slug: 'paper', new_version: '2.0', verified: false },
      ]);
      const { checked } = body as { checked?: Checked };
      expect(checked?.differences).toContainEqual(
        expect.objectContaining({ page: 'the newest post', ...difference }),
      );
    });
  }
});

describe('a site whose admin area is closed for itself', () => {
  it('says how many pages were compared, and why not all', async () => {
    await wordpress.site.configureServer(
      'set $asked "$uri $http_user_agent"; if ($asked ~ "^/wp-admin/.* Steward;") { return 403; }',
    );
    const { verified, checked } = await updateShop(registerShop());
    expect(verified).toBe(false);
    expect(checked).toMatchObject({
      pages_planned: 13,
      reason: 'the site cannot open the dashboard itself (HTTP status 403)',
    });
    expect(checked?.pages_compared).toBeLessThan(13);
    expect(checked?.pages_compared).toBeGreaterThan(7);
    await wordpress.site.configureServer('');
  });
});
