import { signInAt } from '@steward/testkit/panel/panel-client.ts';
import { type Bed, openBed } from '@steward/testkit/wordpress/bed.ts';
import { STEWARD } from '@steward/testkit/wordpress/installed-steward.ts';
import {
  createLicensedSite,
  type LicensingPanel,
  startLicensingPanel,
} from '@steward/testkit/wordpress/licensed-site.ts';
import { writePlugin } from '@steward/testkit/wordpress/packages.ts';
import { expect, it, onTestFinished } from 'vitest';

const SHOP = 'shop/shop.php';
const FORM = 'form/form.php';
const WAIT = { headers: { prefer: 'wait=300' } };

/** Creates a site with two outdated plugins. */
async function createSite(
  bed: Bed,
  panel: LicensingPanel,
  shop: { version: string; package: string },
) {
  const site = await createLicensedSite(bed, panel);
  await site.connect();
  for (const name of ['shop', 'form']) await writePlugin(site, name, '1.0');
  await site.setActivePlugins([SHOP, FORM, STEWARD]);
  await site.offer({
    plugins: {
      [SHOP]: shop,
      [FORM]: { version: '2.0', package: await bed.packages.plugin('form', '2.0') },
    },
  });
  return site;
}

it('updates one plugin on four WordPress sites, rolls it back on one, and records the versions', {
  timeout: 300_000,
}, async () => {
  const [bed, panel] = await Promise.all([openBed(), startLicensingPanel()]);
  onTestFinished(async () => {
    await bed.stop();
    await panel.stop();
  });
  const good = { version: '2.0', package: await bed.packages.plugin('shop', '2.0') };
  const broken = { body: 'no_such_function();' };
  const bad = { version: '2.1', package: await bed.packages.plugin('shop', '2.1', broken) };
  const sites = [];
  for (let number = 1; number <= 3; number++) sites.push(await createSite(bed, panel, good));
  sites.push(await createSite(bed, panel, bad));
  const siteIds = sites.map(({ siteId }) => siteId);

  const owner = await signInAt(panel.url, await panel.newUser());
  await owner.post('/panel/sites/sync', { site_ids: siteIds }, WAIT);
  const { preview } = (await owner.post('/panel/sites/update-preview', { site_ids: siteIds })).body;
  expect(preview.items_unsupported.site_ids).toEqual([]);
  const offers = preview.to_update.items.filter(({ slug }: { slug: string }) => slug === SHOP);
  expect(offers).toMatchObject([
    { version: '2.0', old_versions: ['1.0'], site_ids: siteIds.slice(0, 3) },
    { version: '2.1', old_versions: ['1.0'], site_ids: siteIds.slice(3) },
  ]);

  const items = ['2.0', '2.1'].map((version) => ({ type: 'plugin', slug: SHOP, version }));
  const { body } = await owner.post('/remote/update', { site_ids: siteIds, items }, WAIT);
  expect(body.results.map(({ status }: { status: string }) => status)).toEqual([
    'succeeded',
    'succeeded',
    'succeeded',
    'failed',
  ]);
  expect(body.results[0].details.results.plugins).toMatchObject([
    { slug: SHOP, old_version: '1.0', new_version: '2.0', success: true },
  ]);
  expect(body.results[3].details.results.plugins).toMatchObject([
    { slug: SHOP, old_version: '1.0', new_version: '1.0', success: false, rolled_back: true },
  ]);
  for (const [index, site] of sites.entries()) {
    const { [SHOP]: shop, [FORM]: form } = await site.installedPlugins();
    expect([index, shop, form]).toEqual([index, index === 3 ? '1.0' : '2.0', '1.0']);
    expect((await fetch(site.url)).status).toBe(200);
  }

  const { history } = (await owner.get(`/panel/sites/${siteIds[0]}`)).body;
  expect(history[0].context.items).toMatchObject([
    { slug: SHOP, old_version: '1.0', new_version: '2.0', outcome: 'succeeded' },
  ]);
  const { changes } = (await owner.get(`/panel/sites/${siteIds[0]}/version-changes`)).body;
  expect(changes[0]).toMatchObject({ slug: SHOP, old_version: '1.0', new_version: '2.0' });
  const software = (await owner.get(`/panel/software/item?type=plugin&slug=${SHOP}`)).body.software;
  expect(software).toMatchObject({ sites: 4, active_sites: 4, outdated_sites: 1 });
});
