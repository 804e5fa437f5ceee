import type { Inventory } from '@steward/contract';
import {
  newLicenseWithSites,
  newUserWithAccess,
  useSiteListPanel,
} from '@steward/testkit/panel/licensed-sites.ts';
import { beforeAll, describe, expect, it } from 'vitest';

const { panel, owner, listSites } = useSiteListPanel();
const SHOP = 'shop/shop.php';
const STEWARD = 'steward/steward.php';
const ALL = ['signed_calls', 'install', 'restore', 'self_update'];

type Site = { id: number };
const plugin = (slug: string, version: string, saved?: string[]) => ({
  plugin: slug,
  name: slug,
  version,
  active: true,
  ...(saved && { saved_versions: saved }),
});
const report = (...plugins: Inventory['plugins']): Inventory => ({
  plugins,
  themes: [],
  core: { version: '6.6' },
});

let license: Awaited<ReturnType<typeof newLicenseWithSites>>;
async function addSite(name: string, inventory: Inventory, capabilities = ALL): Promise<Site> {
  const site = await license.addSite({ url: `https://${name}.example.com`, inventory });
  const query = panel.db.updateTable('license_activations').set({ capabilities });
  await query.where('site_id', '=', site.id).execute();
  return site;
}

const preview = async (kind: string, sites: Site[], body: object = {}, user = owner) => {
  const site_ids = sites.map(({ id }) => id);
  const response = await user.post(`/panel/sites/${kind}-preview`, { site_ids, ...body });
  expect(response.status).toBe(200);
  return response.body.preview;
};
const reasonsOf = ({ skipped }: { skipped: { sites: { name: string; reason: string }[] } }) =>
  Object.fromEntries(skipped.sites.map(({ name, reason }) => [name.split('.')[0], reason]));

let sites: { ready: Site; shop: Site; old: Site; unsigned: Site; left: Site };
beforeAll(async () => {
  license = await newLicenseWithSites(panel);
  sites = {
    ready: await addSite('ready', report(plugin(STEWARD, '0.0.9'))),
    shop: await addSite(
      'shop',
      report(plugin(SHOP, '2.0', ['1.9', '1.8']), plugin(STEWARD, '9.0')),
    ),
    old: await addSite('old', report(plugin(SHOP, '2.1', ['1.8']), plugin(STEWARD, '0.0.10')), []),
    unsigned: await addSite('unsigned', report(plugin(SHOP, '2.1', ['1.8'])), [
      'install',
      'restore',
    ]),
    left: await addSite('left', report()),
  };
  await license.deactivate('https://left.example.com');
});
const everySite = () => Object.values(sites);

describe('POST /panel/sites/install-preview', () => {
  it('lists the sites to call, and the skipped sites with the reason', async () => {
    const items = [{ type: 'plugin', slug: 'shop', version: '2.0' }];
    const found = await preview('install', everySite(), { items });
    expect(found).toMatchObject({ site_ids: [sites.ready.id], not_found: 0 });
    expect(reasonsOf(found)).toEqual({
      shop: 'already_installed',
      old: 'site_plugin_outdated',
      unsigned: 'signed_calls_required',
      left: 'deactivated',
    });
  });
});

describe('POST /panel/sites/restore-preview', () => {
  it('lists the saved versions with their sites', async () => {
    const found = await preview('restore', everySite(), { type: 'plugin', slug: SHOP });
    expect(found.versions).toEqual([
      { version: '1.9', current_versions: ['2.0'], site_ids: [sites.shop.id] },
      {
        version: '1.8',
        current_versions: ['2.0', '2.1'],
        site_ids: [sites.shop.id, sites.unsigned.id],
      },
    ]);
    expect(reasonsOf(found)).toEqual({
      ready: 'saved_version_missing',
      old: 'site_plugin_outdated',
      left: 'deactivated',
    });
  });

  it('hides sites that the user may not see', async () => {
    const manager = await newUserWithAccess(panel, 'manager', [{ siteId: sites.shop.id }]);
    const body = { type: 'plugin', slug: SHOP };
    const found = await preview('restore', everySite(), body, { ...owner, ...manager });
    expect(found).toMatchObject({ site_ids: [sites.shop.id], not_found: 4 });
    expect(found.versions).toMatchObject([{ version: '1.9' }, { site_ids: [sites.shop.id] }]);
  });
});

describe('the Steward plugin', () => {
  it('is not updated on sites that already have the version of the panel', async () => {
    const found = await preview('self-update', everySite());
    expect(found.site_ids).toEqual([sites.ready.id]);
    expect(reasonsOf(found)).toMatchObject({ shop: 'up_to_date', old: 'site_plugin_outdated' });
  });

  it('is counted on the overview if it is outdated, and the site list finds the same sites', async () => {
    const { body } = await owner.get('/panel/overview');
    expect(body.overview.older_steward_plugin).toEqual({
      sites: 2,
      shipped_version: expect.stringMatching(/^\d/),
    });
    const { names } = await listSites({ steward_plugin: 'outdated' });
    expect(names).toEqual(['old.example.com', 'ready.example.com']);
    expect((await listSites({ steward_plugin: 'outdated', search: 'ready' })).names).toHaveLength(
      1,
    );
    const ids = await owner.get('/panel/sites/ids?steward_plugin=outdated');
    expect(ids.body.site_ids.sort()).toEqual([sites.ready.id, sites.old.id].sort());
    const manager = await newUserWithAccess(panel, 'manager', [{ siteId: sites.old.id }]);
    const own = await manager.get('/panel/overview');
    expect(own.body.overview.older_steward_plugin.sites).toBe(1);
    expect((await listSites({ steward_plugin: 'outdated' }, manager)).names).toEqual([
      'old.example.com',
    ]);
  });
});
