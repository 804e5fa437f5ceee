import type { ItemErrorGroup, SoftwareVersion, VersionHealth } from '@steward/contract';
import { newLicenseWithSites, newUserWithAccess } from '@steward/testkit/panel/licensed-sites.ts';
import { type Person, usePanelWithOwner } from '@steward/testkit/panel/signed-in-user.ts';
import { describe, expect, it } from 'vitest';
import { errorsAt } from './support/reported-errors.ts';

const { panel, owner } = usePanelWithOwner();

type Site = Awaited<ReturnType<Awaited<ReturnType<typeof newPlugin>>['addSite']>>;

let pluginCount = 0;

/** A plugin that no other test has, and the sites that have it. */
async function newPlugin() {
  const folder = `shop-${++pluginCount}`;
  const slug = `${folder}/shop.php`;
  const license = await newLicenseWithSites(panel);

  const toInventory = (version: string, newVersion?: string, others: string[] = []) => ({
    plugins: [
      {
        ...{ plugin: slug, name: 'Shop', version, active: true },
        ...(newVersion && { new_version: newVersion }),
      },
      ...others.map((name) => {
        return { plugin: `${name}/${name}.php`, name, version: '1.0', active: true };
      }),
    ],
    themes: [],
    core: { version: '6.6.2' },
  });

  async function addSite({
    version = '2.0',
    offers,
    php = '8.2.1',
    plugins = [],
  }: {
    version?: string;
    offers?: string;
    php?: string;
    plugins?: string[];
  } = {}) {
    const site = await license.addSite({
      versions: { php_version: php },
      inventory: toInventory(version, offers, plugins),
    });
    const send = (body: object) =>
      license.post('/api/v1/site/verify', { site_url: site.url, ...body });
    await send({ capabilities: ['update.items'] });
    const report = (...groups: Partial<ItemErrorGroup>[]) =>
      send({
        item_errors: errorsAt(panel.fakes.now, ...groups.map((group) => ({ slug, ...group }))),
      });
    const change = (to: string) => send({ inventory: toInventory(to) });
    return { ...site, report, change };
  }

  const readVersions = async (user: Pick<Person, 'get'> = owner): Promise<SoftwareVersion[]> => {
    const query = new URLSearchParams({ type: 'plugin', slug });
    return (await user.get(`/panel/software/item?${query}`)).body.software.versions;
  };
  const readHealth = async (
    version = '2.0',
    user: Pick<Person, 'get'> = owner,
  ): Promise<VersionHealth | undefined> =>
    (await readVersions(user)).find((each) => each.version === version)?.health;

  return { slug, addSite, readHealth, readVersions };
}

const COUNTS = [
  ...(['sites', 'sites_reporting', 'sites_with_errors', 'sites_failing', 'errors'] as const),
  'error_free_percent',
] as const;
const countsOf = (health: VersionHealth | undefined) => COUNTS.map((name) => health?.[name]);

describe('the health of a version', () => {
  it('is unknown if no site reports errors', async () => {
    const { addSite, readHealth } = await newPlugin();
    await addSite();
    expect(await readHealth()).toEqual({
      ...{ sites: 1, sites_reporting: 0, sites_with_errors: 0, sites_failing: 0, errors: 0 },
      ...{ error_free_percent: null, common_facts: [], days: [] },
    });
  });

  it('counts sites that report, and sites with errors', async () => {
    const { addSite, readHealth } = await newPlugin();
    const sites: Site[] = [];
    for (let index = 0; index < 4; index++) sites.push(await addSite());
    const [first, second, third] = sites;
    await first?.report({ count: 5 }, { place: 'other.php:1', count: 2 });
    await second?.report({ is_confirmed: false, count: 1 });
    await third?.report();
    expect(countsOf(await readHealth())).toEqual([4, 3, 2, 1, 8, 33.3]);
    const day = panel.fakes.now.toISOString().slice(0, 10);
    expect((await readHealth())?.days).toEqual([{ day, sites: 2, errors: 8 }]);
  });

  it('counts a site that left the version because of its errors', async () => {
    const { addSite, readHealth } = await newPlugin();
    const [failing, working] = [await addSite(), await addSite()];
    await failing.report({});
    await working.report();
    await failing.change('1.0');
    expect(countsOf(await readHealth())).toEqual([2, 2, 1, 1, 1, 50]);
    expect(countsOf(await readHealth('1.0'))).toEqual([1, 1, 0, 0, 0, 100]);
  });

  it('does not call an error that another version had before a failure', async () => {
    const { addSite, readHealth } = await newPlugin();
    const site = await addSite();
    const before = new Date(panel.fakes.now.getTime() - 3_600_000).toISOString();
    await site.report({ version: '1.0', place: 'includes/cart.php:7', first_at: before }, {});
    expect(countsOf(await readHealth())).toEqual([1, 1, 1, 0, 1, 0]);
  });

  it('does not count a site that has not reported for three days, nor an archived one', async () => {
    const { addSite, readHealth } = await newPlugin();
    const [silent, archived] = [await addSite(), await addSite()];
    await silent.report();
    await archived.report({});
    panel.fakes.now = new Date(panel.fakes.now.getTime() + 73 * 3_600_000);
    await archived.report({ count: 2 });
    expect(countsOf(await readHealth())).toEqual([2, 1, 1, 1, 2, 0]);
    await panel.pool.query('UPDATE sites SET archived_at = now() WHERE id = $1', [archived.id]);
    expect(countsOf(await readHealth())).toEqual([1, 0, 0, 0, 0, null]);
  });

  it('names what the failing sites have in common', async () => {
    const { addSite, readHealth } = await newPlugin();
    const failing = { php: '8.3.1', plugins: ['cache', 'common'] };
    for (const php of ['8.3.1', '8.3.9']) await (await addSite({ ...failing, php })).report({});
    await (await addSite({ plugins: ['common'] })).report();
    expect((await readHealth())?.common_facts).toEqual([
      { kind: 'php', value: '8.3', name: 'PHP 8.3' },
      { kind: 'plugin', value: 'cache/cache.php', name: 'cache' },
    ]);
  });

  it('names nothing if a working site has it too, or if no site works', async () => {
    const { addSite, readHealth } = await newPlugin();
    for (const php of ['8.3.1', '8.3.2']) await (await addSite({ php })).report({});
    expect((await readHealth())?.common_facts).toEqual([]);
    await (await addSite({ php: '8.3.3' })).report();
    expect((await readHealth())?.common_facts).toEqual([]);
  });

  it('covers only the sites that the user may see', async () => {
    const { addSite, readHealth, slug } = await newPlugin();
    const [own, other] = [await addSite(), await addSite({ offers: '3.0' })];
    await own.report();
    await other.report({ count: 9 });
    await (await addSite({ version: '3.0' })).report({ version: '3.0', count: 9 });
    const manager = await newUserWithAccess(panel, 'manager', [{ siteId: own.id }]);
    expect(countsOf(await readHealth('2.0', manager))).toEqual([1, 1, 0, 0, 0, 100]);
    expect((await readHealth('2.0', manager))?.days).toEqual([]);
    expect(countsOf(await readHealth())).toEqual([2, 2, 1, 1, 9, 50]);
    const offered = await addSite({ offers: '3.0' });
    const ofOffered = await newUserWithAccess(panel, 'manager', [{ siteId: offered.id }]);
    const request = { site_ids: [offered.id], items: [{ type: 'plugin', slug, version: '3.0' }] };
    for (const [user, warnings] of [
      [ofOffered, 0],
      [owner, 1],
    ] as const) {
      const { body } = await user.post('/panel/sites/preflight', request);
      expect(body.preflight.warnings).toHaveLength(warnings);
    }
  });
});

describe('the preview of an update', () => {
  async function newFailingVersion() {
    const plugin = await newPlugin();
    for (const php of ['8.3.1', '8.3.2']) {
      await (await plugin.addSite({ version: '4.0.2', php })).report({ version: '4.0.2' });
    }
    await (await plugin.addSite({ version: '4.0.2' })).report();
    const site = await plugin.addSite({ version: '4.0.1', offers: '4.0.2' });
    return { ...plugin, site };
  }
  const MESSAGE = '4.0.2 fails on 2 of 3 sites, all with PHP 8.3.';

  it('does not warn of a version that the reporting site never had', async () => {
    const { addSite } = await newPlugin();
    const hostile = await addSite({ version: '1.0' });
    await hostile.report({ version: '2.0', count: 1_000_000_000 });
    const { id } = await addSite({ version: '1.0', offers: '2.0' });
    const { body } = await owner.post('/panel/sites/preflight', { site_ids: [id] });
    expect(body.preflight.warnings).toEqual([]);
  });

  it('warns of a version that fails on other sites', async () => {
    const { site, slug } = await newFailingVersion();
    const request = { site_ids: [site.id] };
    const { body } = await owner.post('/panel/sites/update-preview', request);
    const warning = {
      ...{ type: 'plugin', slug, name: 'Shop', version: '4.0.2', sites: 3, sites_failing: 2 },
      common_facts: [{ kind: 'php', value: '8.3', name: 'PHP 8.3' }],
      message: MESSAGE,
    };
    expect(body.preview.to_update.items).toMatchObject([{ version: '4.0.2', warning }]);
    const { preflight } = (await owner.post('/panel/sites/preflight', request)).body;
    expect(preflight.warnings).toEqual([warning]);
  });

  it('does not warn because of errors that only visitors have caused', async () => {
    const { addSite } = await newPlugin();
    await (await addSite({ version: '4.0.2' })).report({ version: '4.0.2', is_confirmed: false });
    const site = await addSite({ version: '4.0.1', offers: '4.0.2' });
    const request = { site_ids: [site.id] };
    const { preview } = (await owner.post('/panel/sites/update-preview', request)).body;
    expect(preview.to_update.items[0]).not.toHaveProperty('warning');
    const { preflight } = (await owner.post('/panel/sites/preflight', request)).body;
    expect(preflight.warnings).toEqual([]);
  });
});
