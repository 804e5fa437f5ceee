import { describe, expect, it } from 'vitest';
import { useUpdatedSite } from './support/use-updated-site.ts';

const wordpress = useUpdatedSite();
const onActivation = (code: string) =>
  `register_activation_hook( __FILE__, function () { ${code} } );`;
const afterActivation = (code: string) =>
  `add_action( 'activated_plugin', function ( $plugin ) { if ( plugin_basename( __FILE__ ) === $plugin ) { ${code} } } );`;

async function activate(body: string) {
  const file = await wordpress.plugin('shop', { active: false, body });
  const response = await wordpress.act('activate', file);
  return { ...response, active: (await wordpress.readInstalled()).active };
}
const ACTIVE = ['shop/shop.php'];

describe('plugin that prints during activation', () => {
  it('is activated, and its output is returned as a warning', async () => {
    const { status, body, active } = await activate(onActivation("echo '<p>Hello!</p>';"));
    expect([status, active]).toEqual([200, ACTIVE]);
    expect(body.warnings).toEqual(['The plugin printed output during activation: Hello!']);
  });

  it('is activated without a warning when it prints only blank lines', async () => {
    const { body, active } = await activate('?>\n\n<?php');
    expect(body).toEqual({
      ...{ success: true, action: 'activate', plugin: 'shop/shop.php' },
      checked: { pages_planned: 9, pages_compared: 9 },
    });
    expect(active).toEqual(ACTIVE);
  });
});

describe('plugin that redirects to a welcome page', () => {
  for (const [how, code] of [
    ['with wp_redirect', "wp_redirect( admin_url( 'index.php?page=hello' ) ); exit;"],
    ['with wp_safe_redirect', "wp_safe_redirect( admin_url( 'index.php?page=hello' ) ); exit;"],
    ['with a bare header', "header( 'Location: ' . admin_url( 'index.php?page=hello' ) ); exit;"],
  ] as const) {
    it(`is activated with a warning when it redirects ${how}`, async () => {
      const { status, body, active } = await activate(afterActivation(code));
      expect([status, body.success, active]).toEqual([200, true, ACTIVE]);
      expect(String(body.warnings)).toMatch(/hello|ended the request/);
    });
  }

  it('stays inactive with an error when it redirects before WordPress has activated it', async () => {
    const { status, body, active } = await activate(
      onActivation("wp_redirect( admin_url( 'index.php?page=hello' ) ); exit;"),
    );
    expect([status, body.code, active]).toEqual([500, 'action_failed', []]);
    expect(body.error).toMatch(/still inactive\. The plugin redirects to .*page=hello/);
  });
});

describe('plugin that closes the site to visitors', () => {
  for (const [mode, body] of [
    [
      'a coming-soon page',
      "add_action( 'template_redirect', function () { wp_die( 'Soon.', '', 503 ); } );",
    ],
    ['members only', "add_action( 'template_redirect', function () { auth_redirect(); } );"],
  ] as const) {
    it(`is activated because that is its purpose: ${mode}`, async () => {
      const { status, active } = await activate(body);
      expect([status, active]).toEqual([200, ACTIVE]);
      await wordpress.reset();
    });
  }
});

describe('plugin with a fatal error on activation', () => {
  it('stays inactive', async () => {
    const { status, body, active } = await activate(afterActivation('function wp_head() {}'));
    expect([status, body.code, active]).toEqual([500, 'action_failed', []]);
  });

  it('is deactivated when later pages have a fatal error', async () => {
    const { status, body, active } = await activate(
      "add_action( 'wp_footer', function () { no_such(); } );",
    );
    expect([status, active]).toEqual([500, []]);
    expect(body.error).toMatch(/breaks the site: .*no_such/);
  });
});
