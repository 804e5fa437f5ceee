import { createHash } from 'node:crypto';
import type { InstallItem } from '@steward/contract';
import { createPluginPackage } from '@steward/testkit/package-zip.ts';
import { type FixtureSite, useRunFixture } from '@steward/testkit/panel/use-run-fixture.ts';
import { failOnce, SHOP } from '@steward/testkit/sites/site-fleet.ts';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';

const siteTimeouts = { connectSeconds: 5, actionSeconds: 8, updateSeconds: 8 };
const fixture = useRunFixture({ siteTimeouts }, { advancesClock: true });
const FORM = 'form/form.php';
const CAPABILITIES = ['result_details', 'site_key', 'signed_calls', 'install', 'restore'];

/** Stores capabilities of a site. The next report of its agent replaces them. */
async function setCapabilities({ id }: FixtureSite, capabilities: string[]) {
  await fixture.panel.db
    .updateTable('license_activations')
    .set({ capabilities })
    .where('site_id', '=', id)
    .execute();
}

async function post(path: string, sites: FixtureSite[], body: object = {}) {
  for (const site of sites) await setCapabilities(site, CAPABILITIES);
  return fixture.owner.post(path, { site_ids: sites.map(({ id }) => id), ...body });
}

const toResponse = (plugins: object[]) => ({
  success: true,
  results: { plugins, themes: [], core: null },
  errors: [],
});

describe('POST /panel/sites/install', () => {
  const upload = async () => {
    const zip = await createPluginPackage('form', '1.5');
    const headers = { 'content-type': 'application/zip' };
    await fixture.owner.post('/auth/confirm', { password: fixture.owner.password });
    const { body } = await fixture.owner.post('/panel/packages', zip, { headers });
    return { zip, id: body.package.id as number };
  };

  /** Creates a site that downloads the packages and installs them. */
  async function newInstallingSite() {
    const site = await fixture.newSite();
    const downloads: { status: number; sha256: string }[] = [];
    site.routes.install = async ({ items }: { items: InstallItem[] }) => {
      for (const { package: source } of items) {
        if (!source) continue;
        const response = await fetch(source.url);
        const bytes = Buffer.from(await response.arrayBuffer());
        const sha256 = createHash('sha256').update(bytes).digest('hex');
        downloads.push({ status: response.status, sha256 });
        expect(sha256).toBe(source.sha256);
      }
      for (const { slug, version } of items) site.state.plugins[slug] = { version };
      await site.agent.reportInventory();
      return toResponse(
        items.map(({ slug, version }) => ({
          slug,
          new_version: version,
          name: 'Form',
          success: true,
        })),
      );
    };
    return { ...site, downloads };
  }

  it('installs an uploaded package on all sites, each with its own link', async () => {
    const { zip, id } = await upload();
    const sites = [await newInstallingSite(), await newInstallingSite()];
    const { status, body } = await post('/panel/sites/install', sites, { packages: [id] });
    expect([status, body.success, body.kind]).toEqual([200, true, 'install']);
    expect(body.item_names).toContainEqual({ type: 'plugin', slug: FORM, name: 'The form' });
    const sha256 = createHash('sha256').update(zip).digest('hex');
    for (const [index, site] of sites.entries()) {
      expect(site.downloads).toEqual([{ status: 200, sha256 }]);
      expect(body.results[index]).toMatchObject({
        status: 'succeeded',
        items: [{ type: 'plugin', slug: FORM, version: '1.5' }],
        plugins: { updated: 1, failed: 0 },
      });
      expect(await fixture.readAudit(site.id, 'remote_update')).toMatchObject([
        {
          action: 'install',
          context: { items: [{ slug: FORM, new_version: '1.5', outcome: 'succeeded' }] },
        },
      ]);
    }
    const again = await post('/panel/sites/install', sites.slice(0, 1), { packages: [id] });
    expect(again.body.results).toMatchObject([
      { status: 'refused', code: 'already_installed', items: [] },
    ]);
  });

  it('does not call a site that cannot install, or cannot verify signed calls', async () => {
    const [old, unsigned] = [await newInstallingSite(), await newInstallingSite()];
    const { id } = await upload();
    await setCapabilities(old, ['signed_calls', 'update.items']);
    await setCapabilities(unsigned, ['install']);
    const { body } = await fixture.owner.post('/panel/sites/install', {
      site_ids: [old.id, unsigned.id],
      packages: [id],
    });
    expect(body.results).toMatchObject([
      { status: 'refused', code: 'site_plugin_outdated', http_status: null },
      { status: 'refused', code: 'signed_calls_required' },
    ]);
    expect([old.calls, unsigned.calls]).toEqual([[], []]);
  });

  it('does not repeat a call after a lost answer, and reads the result from the report', async () => {
    const site = await newInstallingSite();
    const { id } = await upload();
    failOnce(site.faults, 'cut_after_work');
    const { body } = await post('/panel/sites/install', [site], { packages: [id] });
    expect(body.results).toMatchObject([
      {
        status: 'succeeded',
        details: { results: { plugins: [{ slug: FORM, new_version: '1.5', success: true }] } },
      },
    ]);
    expect(site.calls.filter((path) => path === 'install')).toHaveLength(1);
  });

  it('sends an item of the public directory without a package', async () => {
    const site = await fixture.newSite();
    const bodies: object[] = [];
    site.routes.install = (body) => {
      bodies.push(body);
      return toResponse([
        { slug: 'akismet', new_plugin: 'akismet/akismet.php', new_version: '5.3', success: true },
      ]);
    };
    const items = [{ type: 'plugin', slug: 'akismet', version: '5.3' }];
    await fixture.owner.post('/auth/confirm', { password: fixture.owner.password });
    const { body } = await post('/panel/sites/install', [site], { items });
    expect([body.success, bodies]).toEqual([true, [{ items }]]);
  });

  it('refuses requests that cannot be installed', async () => {
    const site = await fixture.newSite();
    const { id } = await upload();
    const codeOf = async (body: object) =>
      (await post('/panel/sites/install', [site], body)).body.code;
    expect(await codeOf({})).toBe('invalid_request');
    expect(await codeOf({ packages: [999_999] })).toBe('package_not_found');
    const form = { type: 'plugin', slug: 'form', version: '1.0' };
    expect(await codeOf({ packages: [id], items: [form] })).toBe('invalid_request');
    expect(await codeOf({ items: [{ ...form, slug: '../form' }] })).toBe('invalid_request');
    expect(await codeOf({ items: [{ ...form, slug: 'steward' }] })).toBe('management_plugin');
    expect(site.calls).toEqual([]);
  });

  it('needs a confirmation, also to retry, and an address that sites can reach', async () => {
    const site = await fixture.newSite();
    site.routes.install = () => ({
      ...toResponse([{ slug: FORM, new_version: '', success: false, error: 'No room.' }]),
      success: false,
    });
    const { id } = await upload();
    const { body } = await post('/panel/sites/install', [site], { packages: [id] });
    expect(body.results).toMatchObject([{ status: 'failed' }]);
    const host = { headers: { host: 'panel.example' } };
    const request = { site_ids: [site.id], packages: [id] };
    const remote = await fixture.owner.post('/panel/sites/install', request, host);
    expect(remote.body.code).toBe('base_url_missing');
    fixture.panel.fakes.now = new Date(fixture.panel.fakes.now.getTime() + 11 * 60_000);
    const retry = await fixture.owner.post(`/panel/runs/${body.run_id}/retry`, {});
    const install = await post('/panel/sites/install', [site], { packages: [id] });
    expect([retry.body.code, install.body.code]).toEqual([
      'confirmation_required',
      'confirmation_required',
    ]);
  });
});

describe('POST /panel/sites/restore', () => {
  async function newSiteWith(saved: string[]) {
    const site = await fixture.newSite({
      plugins: { [SHOP]: { version: '2.0', active: true } },
      themes: {},
      core: { version: '6.0' },
    });
    await sql`UPDATE sites SET inventory = jsonb_set(inventory, '{plugins,0,saved_versions}',
      ${JSON.stringify(saved)}::jsonb) WHERE id = ${site.id}`.execute(fixture.panel.db);
    site.routes.restore = async ({ items }: { items: { version: string }[] }) => {
      const version = items[0]?.version ?? '';
      site.state.plugins[SHOP] = { version, active: true };
      await site.agent.reportInventory();
      return toResponse([{ slug: SHOP, old_version: '2.0', new_version: version, success: true }]);
    };
    return site;
  }
  const items = ['1.9', '1.8'].map((version) => ({ type: 'plugin', slug: SHOP, version }));

  it('gives each site the requested version that it replaced last', async () => {
    const sites = [
      await newSiteWith(['1.9', '1.8']),
      await newSiteWith(['1.8', '1.9']),
      await newSiteWith(['1.8']),
      await newSiteWith([]),
    ];
    const { body } = await post('/panel/sites/restore', sites, { items });
    expect(body.results).toMatchObject([
      { status: 'succeeded', items: [{ version: '1.9' }] },
      { status: 'succeeded', items: [{ version: '1.8' }] },
      { status: 'succeeded', items: [{ version: '1.8' }] },
      { status: 'refused', code: 'saved_version_missing' },
    ]);
    const changes = await fixture.owner.get(`/panel/sites/${sites[0]?.id}/version-changes`);
    expect(changes.body.changes[0]).toMatchObject({
      slug: SHOP,
      old_version: '2.0',
      new_version: '1.9',
    });
  });

  it('reads the result after a lost answer from the report', async () => {
    const [done, undone] = [await newSiteWith(['1.9']), await newSiteWith(['1.9'])];
    failOnce(done.faults, 'cut_after_work');
    failOnce(undone.faults, 'cut_after_work');
    undone.routes.restore = () => toResponse([]);
    const { body } = await post('/panel/sites/restore', [done, undone], { items });
    expect(body.results).toMatchObject([
      { status: 'succeeded', plugins: { updated: 1 } },
      { status: 'failed', error: expect.stringContaining('no previous version was restored') },
    ]);
  });
});

describe('POST /panel/sites/self-update', () => {
  it('asks each site to update its Steward plugin', async () => {
    const [site, old] = [await fixture.newSite(), await fixture.newSite()];
    const result = {
      slug: 'steward/steward.php',
      old_version: '1.0',
      new_version: '1.1',
      success: true,
    };
    site.routes['self-update'] = () => toResponse([result]);
    await setCapabilities(site, ['self_update']);
    const { body } = await fixture.owner.post('/panel/sites/self-update', {
      site_ids: [site.id, old.id],
    });
    expect(body.results).toMatchObject([
      { status: 'succeeded', items: null, details: { results: { plugins: [result] } } },
      { status: 'refused', code: 'site_plugin_outdated' },
    ]);
    expect(await fixture.readAudit(site.id, 'remote_update')).toMatchObject([
      { action: 'self_update', context: { outcome: 'succeeded' } },
    ]);
  });
});
