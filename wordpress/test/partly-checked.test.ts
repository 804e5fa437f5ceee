import { describe, expect, it } from 'vitest';
import { type LicensedSiteOptions, useLicensedSite } from './support/use-licensed-site.ts';

const FILE = 'shop/shop.php';

function usePartlyCheckedSite(options: LicensedSiteOptions) {
  const wordpress = useLicensedSite(options);
  const updateShop = async (mustUse = '', body = '') => {
    await wordpress.mustUse(mustUse);
    await wordpress.plugin('shop');
    await wordpress.offerPlugin('shop', { body });
    return (await wordpress.act('update', FILE)).body;
  };
  return Object.assign(wordpress, { updateShop });
}

describe('a host on which PHP keeps the old code', () => {
  const restricted = { 'opcache.restrict_api': '/nowhere' };
  for (const [what, php, reason] of [
    [
      'until it is restarted',
      { ...restricted, 'opcache.validate_timestamps': '0' },
      'PHP still runs the old code: restart PHP (opcache.validate_timestamps is off)',
    ],
    [
      'for a minute',
      { ...restricted, 'opcache.revalidate_freq': '60' },
      'PHP runs the old code for another 61 seconds (opcache.revalidate_freq)',
    ],
  ] as const) {
    describe(what, () => {
      const wordpress = usePartlyCheckedSite({ php });

      it('leaves the update unverified at once, and says why', async () => {
        const { verified, checked } = await wordpress.updateShop();
        expect(verified).toBe(false);
        expect(checked).toMatchObject({ pages_compared: 0, reason });
        expect((await wordpress.readInstalled()).plugins[FILE]).toBe('2.0');
      });
    });
  }
});

describe('a host with one PHP process', () => {
  const wordpress = usePartlyCheckedSite({ workers: 1 });

  it('asks the panel to check, and names the pages and the reason', async () => {
    const response = await wordpress.updateShop(
      "add_filter( 'steward_health_check_timeout', function () { return 1; } );",
    );
    expect(response).toMatchObject({
      code: 'outside_look_needed',
      pages: [
        { page: 'post', path: '/hello-world/' },
        { page: 'login', path: '/wp-login.php' },
      ],
      pages_planned: 7,
      reason: 'this host answers one request at a time',
    });
    expect((await wordpress.readInstalled()).plugins[FILE]).toBe('1.0');
  });
});

describe('a site with a slow page', () => {
  const wordpress = usePartlyCheckedSite({ workers: 3 });

  it('is verified if the page needs most of its time limit', async () => {
    const { verified, checked } = await wordpress.updateShop(
      "'wp-login.php' === $GLOBALS['pagenow'] && sleep( 3 ); add_filter( 'steward_health_check_timeout', function () { return 4; } );",
    );
    expect(verified).toBeUndefined();
    expect(checked).toMatchObject({ pages_planned: 7, pages_compared: 7 });
  });

  it('keeps a version that makes its pages slow', async () => {
    const slow =
      "empty( $_SERVER['HTTP_USER_AGENT'] ) || 0 !== strpos( $_SERVER['HTTP_USER_AGENT'], 'Steward;' ) || usleep( 1300000 );";
    const limit = "add_filter( 'steward_health_check_timeout', function () { return 2; } );";
    const { error, verified, checked } = await wordpress.updateShop(limit, slow);
    expect(error).toBeUndefined();
    const { pages_compared, pages_planned } = checked as Record<string, number>;
    expect(verified).toBe(pages_compared === pages_planned ? undefined : false);
    expect((await wordpress.readInstalled()).plugins[FILE]).toBe('2.0');
  });

  it('is checked one page at a time if three requests at once are too many', async () => {
    const { verified, checked } = await wordpress.updateShop(
      `add_filter( 'steward_health_check_timeout', function () { return 2; } );
      if ( ! empty( $_GET['steward_check'] ) && preg_match( '~^/([?]|wp-admin/index|wp-json/service)~', $_SERVER['REQUEST_URI'] ) ) {
        $GLOBALS['one_request'] = fopen( WP_CONTENT_DIR . '/one-request', 'c' ); flock( $GLOBALS['one_request'], LOCK_EX ); usleep( 800000 );
      }`,
    );
    expect(verified).toBeUndefined();
    expect(checked).toMatchObject({ pages_planned: 7, pages_compared: 7 });
  });
});

describe('a host with several PHP processes', () => {
  const wordpress = usePartlyCheckedSite({});

  it('rolls back a version on which the home page hangs', async () => {
    const hangs = "add_action( 'template_redirect', function () { is_home() && sleep( 4 ); } );";
    const limit = "add_filter( 'steward_health_check_timeout', function () { return 2; } );";
    const { error } = await wordpress.updateShop(limit, hangs);
    expect(error).toMatch(/the home page: no response .* Rolled back to version 1\.0\./);
  });
});
