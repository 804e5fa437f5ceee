import { describe, expect, it } from 'vitest';
import { useUpdatedSite } from './support/use-updated-site.ts';

const wordpress = useUpdatedSite();
const onActivation = (code: string) =>
  `register_activation_hook( __FILE__, function () { ${code} } );`;
const afterActivation = (code: string) =>
  `add_action( 'activated_plugin', function ( $plugin ) { if ( plugin_basename( __FILE__ ) === $plugin ) { ${code} } } );`;

async function activate(body: string) {
  const file = await wordpress.plugin('shop', { active: false, body });
  const answer = await wordpress.act('activate', file);
  return { ...answer, active: (await wordpress.look()).active };
}
const ACTIVE = ['shop/shop.php'];

describe('a plugin that prints while it is activated', () => {
  it('is active, with what it printed as a warning', async () => {
    const { status, body, active } = await activate(onActivation("echo '<p>Hello!</p>';"));
    expect([status, active]).toEqual([200, ACTIVE]);
    expect(body.warnings).toEqual(['The plugin printed output during activation: Hello!']);
  });

  it('is active without a warning when it is only a blank line', async () => {
    const { body, active } = await activate('?>\n\n<?php');
    expect(body).toEqual({ success: true, action: 'activate', plugin: 'shop/shop.php' });
    expect(active).toEqual(ACTIVE);
  });
});

describe('a plugin that leads its user to a page of greeting', () => {
  for (const [how, code] of [
    ['with wp_redirect', "wp_redirect( admin_url( 'index.php?page=hello' ) ); exit;"],
    ['with wp_safe_redirect', "wp_safe_redirect( admin_url( 'index.php?page=hello' ) ); exit;"],
    ['with a bare header', "header( 'Location: ' . admin_url( 'index.php?page=hello' ) ); exit;"],
  ] as const) {
    it(`is active, and that is said, ${how}`, async () => {
      const { status, body, active } = await activate(afterActivation(code));
      expect([status, body.success, active]).toEqual([200, true, ACTIVE]);
      expect(String(body.warnings)).toMatch(/hello|ended the request/);
    });
  }

  it('before WordPress has activated it is inactive, as in WordPress, and that is said', async () => {
    const { status, body, active } = await activate(
      onActivation("wp_redirect( admin_url( 'index.php?page=hello' ) ); exit;"),
    );
    expect([status, body.code, active]).toEqual([500, 'action_failed', []]);
    expect(body.error).toMatch(/still inactive\. The plugin redirects to .*page=hello/);
  });
});

describe('a plugin that closes the site', () => {
  for (const [what, body] of [
    [
      'as coming soon',
      "add_action( 'template_redirect', function () { wp_die( 'Soon.', '', 503 ); } );",
    ],
    ['to members', "add_action( 'template_redirect', function () { auth_redirect(); } );"],
  ] as const) {
    it(`is active: that is what it is for, ${what}`, async () => {
      const { status, active } = await activate(body);
      expect([status, active]).toEqual([200, ACTIVE]);
      await wordpress.reset();
    });
  }
});

describe('a plugin that dies when it is activated', () => {
  it('is inactive, and the site works', async () => {
    const { status, body, active } = await activate(afterActivation('function wp_head() {}'));
    expect([status, body.code, active]).toEqual([500, 'action_failed', []]);
  });

  it('is inactive also when only later pages die', async () => {
    const { status, body, active } = await activate(
      "add_action( 'wp_footer', function () { no_such(); } );",
    );
    expect([status, active]).toEqual([500, []]);
    expect(body.error).toMatch(/breaks the site: .*no_such/);
  });
});
