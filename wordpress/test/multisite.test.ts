import { STEWARD } from '@steward/testkit/wordpress/installed-steward.ts';
import { SECOND_SITE } from '@steward/testkit/wordpress/network.ts';
import { describe, expect, it } from 'vitest';
import { expectQuiet } from './support/debug-log.ts';
import { useLicensedSite } from './support/use-licensed-site.ts';

const FATAL = 'this_function_does_not_exist();';
const wordpress = useLicensedSite({ multisite: true });

const networkActive = async () =>
  Object.keys((await wordpress.site.getNetworkOption('active_sitewide_plugins')) ?? {}).filter(
    (file) => file !== STEWARD,
  );
const activateInNetwork = async (...files: string[]) =>
  wordpress.site.setNetworkOption(
    'active_sitewide_plugins',
    Object.fromEntries([STEWARD, ...files].map((file) => [file, 1])),
  );

describe('multisite network', () => {
  it('keeps plugins network-active, active or inactive', async () => {
    await wordpress.plugin('everywhere', { active: false });
    await wordpress.plugin('here');
    await wordpress.plugin('nowhere', { active: false });
    await activateInNetwork('everywhere/everywhere.php');
    for (const name of ['everywhere', 'here', 'nowhere']) await wordpress.offerPlugin(name);
    expect((await wordpress.update()).success).toBe(true);
    expect(await networkActive()).toEqual(['everywhere/everywhere.php']);
    const { active, plugins } = await wordpress.readInstalled();
    expect(active).toEqual(['here/here.php']);
    expect(Object.values(plugins).filter((version) => version === '2.0')).toHaveLength(3);
    const { inventory } = await wordpress.site.lastReport();
    expect(inventory?.plugins.filter(({ active }) => active).map(({ plugin }) => plugin)).toEqual(
      expect.arrayContaining(['everywhere/everywhere.php', 'here/here.php']),
    );
    await expectQuiet(wordpress.site);
  });

  it('updates single items, and keeps them network-active', async () => {
    const file = await wordpress.plugin('everywhere', { active: false });
    await activateInNetwork(file);
    await wordpress.plugin('here');
    for (const name of ['everywhere', 'here']) await wordpress.offerPlugin(name);
    await wordpress.offerTheme('plain');
    const { success, results } = await wordpress.update([
      { type: 'plugin', slug: file, version: '2.0' },
      { type: 'theme', slug: 'plain', version: '2.0' },
      { type: 'translation', slug: 'all' },
    ]);
    expect(success).toBe(true);
    expect(results.plugins).toMatchObject([{ slug: file, new_version: '2.0' }]);
    expect(await networkActive()).toEqual([file]);
    const { plugins, themes } = await wordpress.readInstalled();
    expect([plugins['here/here.php'], themes.plain]).toEqual(['1.0', '2.0']);
    await expectQuiet(wordpress.site);
  });

  it('rolls back a network-active plugin with a fatal error, which loads before the error handler', async () => {
    const file = await wordpress.plugin('everywhere', { active: false });
    await activateInNetwork(file);
    await wordpress.offerPlugin('everywhere', { body: FATAL });
    expect((await wordpress.act('update', file)).body.error).toMatch(/Rolled back to version 1\.0/);
    expect(await networkActive()).toEqual([file]);
    expect((await fetch(wordpress.site.url)).status).toBe(200);
  });

  for (const [what, condition] of [
    ['the network admin', 'is_network_admin()'],
    ['another site of the network', 'get_current_blog_id() > 1'],
  ] as const) {
    it(`rolls back a network-active version that breaks only ${what}`, async () => {
      const file = await wordpress.plugin('everywhere', { active: false });
      await activateInNetwork(file);
      const body = `add_action( 'init', function () { if ( ${condition} ) { ${FATAL} } } );`;
      await wordpress.offerPlugin('everywhere', { body });
      expect((await wordpress.act('update', file)).body.error).toMatch(
        /this_function.*Rolled back to version 1\.0/,
      );
      expect(await networkActive()).toEqual([file]);
    });
  }

  it('rolls back a version that deactivates itself in the network', async () => {
    const file = await wordpress.plugin('everywhere', { active: false });
    await activateInNetwork(file);
    const body = `add_action( 'wp_loaded', function () { require_once ABSPATH . 'wp-admin/includes/plugin.php'; deactivate_plugins( '${file}', true, true ); } );`;
    await wordpress.offerPlugin('everywhere', { body });
    expect((await wordpress.act('update', file)).body.error).toMatch(
      /everywhere\.php is no longer active\. Rolled back to version 1\.0/,
    );
    expect(await networkActive()).toEqual([file]);
  });

  it('rolls back a version that breaks another site of the network, the only one that uses it', async () => {
    await activateInNetwork();
    const file = await wordpress.plugin('shop', { active: false });
    const useOnSecond = (plugins: string) =>
      wordpress.site.runPhp(`switch_to_blog( 2 ); update_option( 'active_plugins', ${plugins} );`);
    await useOnSecond(`array( '${file}' )`);
    await wordpress.offerPlugin('shop', { body: FATAL });
    expect((await wordpress.act('update', file)).body.error).toMatch(/breaks the site/);
    expect((await fetch(`${wordpress.site.url}/${SECOND_SITE}/`)).status).toBe(200);
    await useOnSecond('array()');
  });

  it('deactivates a plugin for the whole network', async () => {
    const file = await wordpress.plugin('everywhere', { active: false });
    await activateInNetwork(file);
    expect((await wordpress.act('deactivate', file)).status).toBe(200);
    expect(await networkActive()).toEqual([]);
  });

  it('refuses to delete a plugin that another site of the network uses', async () => {
    await activateInNetwork();
    const file = await wordpress.plugin('shop', { active: false });
    await wordpress.site.runPhp(
      `switch_to_blog( 2 ); update_option( 'active_plugins', array( '${file}' ) );`,
    );
    const response = await wordpress.act('delete', file);
    expect(response.status).toBe(500);
    expect(response.body.error).toContain(SECOND_SITE);
    expect((await wordpress.readInstalled()).plugins[file]).toBe('1.0');
    await wordpress.site.runPhp(`switch_to_blog( 2 ); update_option( 'active_plugins', array() );`);
    expect(await wordpress.act('delete', file)).toMatchObject({ status: 200 });
  });

  it('is managed only through its main site', async () => {
    const response = await fetch(
      `${wordpress.site.url}/${SECOND_SITE}/wp-json/service/v1/remote/sync`,
      { method: 'POST', headers: { 'X-Service-Key': wordpress.site.key } },
    );
    expect(response.status).toBe(404);
  });
});
