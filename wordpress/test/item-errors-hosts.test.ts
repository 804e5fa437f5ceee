import { STEWARD } from '@steward/testkit/wordpress/installed-steward.ts';
import { SECOND_SITE } from '@steward/testkit/wordpress/network.ts';
import { describe, expect, it } from 'vitest';
import { useWatchedSite } from './support/use-watched-site.ts';

const FAULTS = {
  home: { hook: 'template_redirect', fault: 'if ( is_front_page() ) { shop_missing(); }' },
  odd_requests: { hook: 'wp', fault: "if ( isset( $_GET['odd'] ) ) { shop_missing(); }" },
};
const GROUP = { type: 'plugin', slug: 'shop/shop.php', version: '4.0.2', request_kind: 'front' };

describe('a host with one PHP process', () => {
  const wordpress = useWatchedSite(FAULTS, { workers: 1 });

  it('reproduces an error, and reports it', async () => {
    expect(await wordpress.fail('home', '/')).toBe(500);
    expect(await wordpress.nextReport()).toMatchObject([{ ...GROUP, is_confirmed: true }]);
    expect(wordpress.panel.reports).toHaveLength(1);
  });

  it('reports an error that it could not reproduce', async () => {
    expect(await wordpress.fail('odd_requests', '/?odd=1')).toBe(500);
    expect(await wordpress.nextReport()).toMatchObject([{ ...GROUP, is_confirmed: false }]);
  });
});

describe('a network of sites', () => {
  const wordpress = useWatchedSite(FAULTS, { multisite: true });

  it.each([
    ['the main site', '/'],
    ['another site', `/${SECOND_SITE}/`],
  ])('reports an error of %s with the key of the main site', async (_, path) => {
    await wordpress.site.setNetworkOption('active_sitewide_plugins', {
      [STEWARD]: 1,
      'shop/shop.php': 1,
    });
    // Each site has its own options.
    await wordpress.site.query(
      "REPLACE INTO wp_2_options (option_name, option_value) VALUES ('shop_fault', 'home')",
    );
    expect(await wordpress.fail('home', path)).toBe(500);
    expect(await wordpress.nextReport()).toMatchObject([{ ...GROUP, is_confirmed: true }]);
    expect(wordpress.panel.reports[0]).toMatchObject({ site_url: wordpress.site.url });
    expect((await wordpress.readStore()).checks).toHaveLength(2);
  });

  it('does not confirm an error of the administrator of one of its sites', async () => {
    const { cookie } = await wordpress.signIn('owner', { blog: 2, role: 'administrator' });
    const referer = `${wordpress.site.url}/${SECOND_SITE}/wp-admin/plugins.php`;
    const headers = { cookie, 'sec-fetch-site': 'same-origin', referer };
    // The administrators of its sites may activate plugins there.
    await wordpress.site.setNetworkOption('menu_items', { plugins: 1 });
    await wordpress.fail('odd_requests');
    await wordpress.site.query(
      "REPLACE INTO wp_2_options (option_name, option_value) VALUES ('shop_fault', 'odd_requests')",
    );
    expect(await wordpress.fail('odd_requests', `/${SECOND_SITE}/?odd=1`, { headers })).toBe(500);
    expect(await wordpress.nextReport()).toMatchObject([{ ...GROUP, is_confirmed: false }]);
  });
});
