import { writePlugin } from '@steward/testkit/wordpress/packages.ts';
import { describe, expect, it } from 'vitest';
import {
  press,
  readMessage,
  takeScreenshot,
  useSettingsPage,
} from './support/use-settings-page.ts';

const { newSite, signIn, connect } = useSettingsPage();
const NOT_REACHED = '#steward-not-reached';

describe('connecting a site that the panel cannot reach', () => {
  for (const [what, body, reason] of [
    [
      'coming soon',
      "add_action( 'init', function () { if ( ! is_user_logged_in() && 'wp-login.php' !== $GLOBALS['pagenow'] ) { wp_die( 'Soon.', '', 503 ); } } );",
      /The plugin closed blocks calls from the panel/,
    ],
    [
      'members only',
      "add_action( 'init', function () { if ( ! is_user_logged_in() && 'wp-login.php' !== $GLOBALS['pagenow'] ) { wp_safe_redirect( wp_login_url() ); exit; } } );",
      /The plugin closed redirects calls from the panel to .*wp-login\.php/,
    ],
  ] as const) {
    it(`shows the reason and the next step: ${what}`, async () => {
      const site = await newSite();
      const page = await signIn(site);
      await writePlugin(site, 'closed', '1.0', { body });
      await site.setActivePlugins(['closed/closed.php', 'steward/steward.php']);
      await connect(page, site);
      expect(await readMessage(page)).toBe('The license is active on this site.');
      const notice = page.locator(NOT_REACHED);
      expect(await notice.innerText()).toMatch(reason);
      await takeScreenshot(page, `not-reached-${what.replace(' ', '-')}`);
      await site.setActivePlugins(['steward/steward.php']);
      await press(page, 'Check now');
      expect(await readMessage(page)).toContain('valid');
      expect(await notice.count()).toBe(0);
    });
  }

  it('reports a firewall that blocks the panel', async () => {
    const site = await newSite();
    const page = await signIn(site);
    await site.configureServer('if ($http_user_agent ~ "^Steward/") { return 403; }');
    await connect(page, site);
    expect(await page.locator(NOT_REACHED).innerText()).toMatch(
      /A firewall or another filter blocks the panel/,
    );
  });
});

describe('site with different hosts for home page and admin area', () => {
  it('returns to the settings page after connecting', async () => {
    const site = await newSite();
    await site.setConstants({ WP_HOME: site.url.replace('127.0.0.1', 'localhost') });
    const page = await signIn(site);
    await connect(page, site);
    expect(page.url()).toContain('options-general.php?page=steward');
    expect(await readMessage(page)).toMatch(/connected|active/);
  });
});
