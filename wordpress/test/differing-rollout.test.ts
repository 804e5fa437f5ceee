import { signInAt } from '@steward/testkit/panel/panel-client.ts';
import { STEWARD } from '@steward/testkit/wordpress/installed-steward.ts';
import { createLicensedSite, type LicensedSite } from '@steward/testkit/wordpress/licensed-site.ts';
import { writePlugin, writeTheme } from '@steward/testkit/wordpress/packages.ts';
import { beforeAll, expect, it } from 'vitest';
import type { ShownRollout } from './support/expect-halted.ts';
import { paperTheme } from './support/paper-theme.ts';
import { useLicensedSite } from './support/use-licensed-site.ts';

const TEXT = 'Our books are bound by hand in a small workshop near the river, as a century ago. ';

const wordpress = useLicensedSite({ hasWorker: true });
let owner: Awaited<ReturnType<typeof signInAt>>;
let sites: LicensedSite[];

/** The site of the fixture is the canary; another site belongs to the last ring. */
beforeAll(async () => {
  const { bed, panel } = wordpress;
  owner = await signInAt(panel.url, await panel.newUser());
  const other = await createLicensedSite(bed, panel);
  await other.connect();
  sites = [wordpress.site, other];
  await owner.ask('PUT', `/panel/sites/${wordpress.site.siteId}/tags`, { tags: ['canary'] });
});

async function offer(plugin: string, body: string) {
  const file = `${plugin}/${plugin}.php`;
  const packageUrl = await wordpress.bed.packages.plugin(plugin, '2.0', { body });
  for (const site of sites) {
    await writeTheme(site, 'plain', '1.0', paperTheme());
    await writePlugin(site, plugin, '1.0');
    await site.chownFiles();
    await site.setActivePlugins([file, STEWARD]);
    await site.clearOpcache();
    await site.runPhp(
      `wp_update_post( array( 'ID' => 1, 'post_content' => '${TEXT.repeat(3)}' ) );`,
    );
    await site.offer({ plugins: { [file]: { version: '2.0', package: packageUrl } } });
  }
  const site_ids = sites.map(({ siteId }) => siteId);
  await owner.ask('POST', '/panel/sites/sync', { site_ids }, { headers: { prefer: 'wait=60' } });
  return file;
}

for (const [what, plugin, body, reason] of [
  [
    'empties the content of pages',
    'gallery',
    "add_filter( 'the_content', '__return_empty_string' );",
    /text of the home page/,
  ],
  [
    'shows an empty dashboard',
    'wizard',
    "add_action( 'admin_init', function () { if ( 'index.php' === $GLOBALS['pagenow'] ) { wp_safe_redirect( admin_url( 'profile.php' ) ); exit; } } );",
    /dashboard/,
  ],
] as const) {
  it(`a rollout of a version that ${what} halts in its first ring`, async () => {
    const slug = await offer(plugin, body);
    const { rollout } = await owner.ask<ShownRollout>('POST', '/panel/rollouts', {
      name: `Update of ${plugin}`,
      site_ids: sites.map(({ siteId }) => siteId),
      items: [{ type: 'plugin', slug, version: '2.0' }],
      rings: [{ name: 'Canary', tag: 'canary' }, { name: 'Others' }],
      settings: { soak_minutes: 0 },
    });
    const read = () => owner.ask<ShownRollout>('GET', `/panel/rollouts/${rollout.rollout_id}`);
    await expect.poll(async () => (await read()).rollout.status).toBe('halted');
    const shown = await read();
    expect(shown.rollout.ring).toBe(0);
    expect(shown.rollout.halt_reason).toMatch(reason);
    expect(shown.sites.map(({ state }) => state).toSorted()).toEqual(['troubled', 'waiting']);
    expect((await sites[1]?.installedPlugins())?.[slug]).toBe('1.0');
  });
}
