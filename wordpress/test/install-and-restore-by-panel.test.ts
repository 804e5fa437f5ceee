import { pluginFiles } from '@steward/conformance/item-packages.ts';
import { buildZip } from '@steward/conformance/zip.ts';
import { CSRF_HEADER } from '@steward/contract';
import { registerSecret } from '@steward/testkit/logs.ts';
import { signInAt } from '@steward/testkit/panel/panel-client.ts';
import { openBed } from '@steward/testkit/wordpress/bed.ts';
import { installSteward } from '@steward/testkit/wordpress/installed-steward.ts';
import { startLicensingPanel } from '@steward/testkit/wordpress/licensed-site.ts';
import { expect, it, onTestFinished } from 'vitest';
import { findSiteId } from './support/panel-calls.ts';

const SHOP = 'shop/shop.php';
const WAIT = { headers: { prefer: 'wait=300' } };

it('installs a zip on four WordPress sites, updates it, and restores the old version on one', {
  timeout: 300_000,
}, async () => {
  const [bed, panel] = await Promise.all([openBed(), startLicensingPanel()]);
  onTestFinished(async () => {
    await bed.stop();
    await panel.stop();
  });
  // Without BASE_URL, the links of the panel have this host. A site downloads only from the address of its panel.
  const panelUrl = panel.url.replace('127.0.0.1', 'localhost');
  const owner = await signInAt(panel.url, await panel.newUser());

  /** Creates a site with signed calls, and connects it as its settings page does. */
  async function createSite() {
    const site = await bed.createSite();
    await installSteward(site);
    await site.changeSettings({ siteKeys: true });
    const printed = await site.runPhp(`
      $result = Steward\\Panel\\License::connect( '${panelUrl}', '${panel.licenseKey}' );
      $result = is_wp_error( $result ) ? $result : Steward\\Panel\\Check_In::run_after_connecting();
      echo is_wp_error( $result ) ? $result->get_error_message() : 'connected';`);
    expect(printed).toBe('connected');
    registerSecret(String(await site.getOption('service_license_key')));
    return { ...site, siteId: await findSiteId(owner, site.url) };
  }
  const sites = [await createSite(), await createSite(), await createSite(), await createSite()];
  const siteIds = sites.map(({ siteId }) => siteId);
  const readShop = () =>
    Promise.all(sites.map(async (site) => (await site.installedPlugins())[SHOP]));
  const readStatuses = (results: { status: string }[]) => results.map(({ status }) => status);

  await owner.ask('POST', '/auth/confirm', { password: owner.password });
  const upload = await fetch(`${panel.url}/panel/packages`, {
    method: 'POST',
    headers: {
      cookie: owner.cookie,
      [CSRF_HEADER]: owner.csrfToken,
      'content-type': 'application/zip',
    },
    body: new Uint8Array(buildZip(pluginFiles('shop', '1.0'))),
  });
  expect(upload.status).toBe(200);
  const { package: uploaded } = (await upload.json()) as { package: { id: number } };

  const install = { site_ids: siteIds, packages: [uploaded.id] };
  const installed = await owner.post('/panel/sites/install', install, WAIT);
  expect(readStatuses(installed.body.results)).toEqual(sites.map(() => 'succeeded'));
  expect(await readShop()).toEqual(sites.map(() => '1.0'));

  const act = { site_ids: siteIds, action: 'activate', plugin: SHOP };
  await owner.ask('POST', '/panel/sites/plugin-action', act, WAIT);
  const offer = { version: '2.0', package: await bed.packages.plugin('shop', '2.0') };
  for (const site of sites) await site.offer({ plugins: { [SHOP]: offer } });
  await owner.ask('POST', '/panel/sites/sync', { site_ids: siteIds }, WAIT);
  const items = [{ type: 'plugin', slug: SHOP, version: '2.0' }];
  const updated = await owner.post('/remote/update', { site_ids: siteIds, items }, WAIT);
  expect(readStatuses(updated.body.results)).toEqual(sites.map(() => 'succeeded'));

  const restore = {
    site_ids: siteIds.slice(0, 1),
    items: [{ type: 'plugin', slug: SHOP, version: '1.0' }],
  };
  const restored = await owner.post('/panel/sites/restore', restore, WAIT);
  expect(restored.body.results).toMatchObject([
    {
      status: 'succeeded',
      details: { results: { plugins: [{ old_version: '2.0', new_version: '1.0' }] } },
    },
  ]);
  expect(await readShop()).toEqual(['1.0', '2.0', '2.0', '2.0']);
  for (const site of sites) {
    expect(await site.activePlugins()).toContain(SHOP);
    expect((await fetch(site.url)).status).toBe(200);
  }
  const { changes } = (await owner.get(`/panel/sites/${siteIds[0]}/version-changes`)).body;
  expect(changes[0]).toMatchObject({ slug: SHOP, old_version: '2.0', new_version: '1.0' });

  // A site without this saved version is not called.
  const missing = { ...restore, items: [{ type: 'plugin', slug: SHOP, version: '0.9' }] };
  const refused = await owner.post('/panel/sites/restore', missing, WAIT);
  expect(refused.body.results).toMatchObject([{ status: 'refused' }]);
});
