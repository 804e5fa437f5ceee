import { type FixtureSite, useRunFixture } from '@steward/testkit/panel/use-run-fixture.ts';
import { failOnce, SHOP } from '@steward/testkit/sites/site-fleet.ts';
import { describe, expect, it } from 'vitest';

const siteTimeouts = { connectSeconds: 5, actionSeconds: 8, updateSeconds: 8 };
const fixture = useRunFixture({ siteTimeouts }, { advancesClock: true });
const FORM = 'form/form.php';
const SHOP_2 = { type: 'plugin', slug: SHOP, version: '2.0' };

const newSite = (shopOffer = '2.0') =>
  fixture.newSite({
    plugins: {
      [SHOP]: { version: '1.0', newVersion: shopOffer, active: true },
      [FORM]: { version: '1.0', newVersion: '1.5', active: true },
    },
    themes: { plain: { version: '1.0', newVersion: '1.1' } },
    core: { version: '6.0', newVersion: '6.1' },
  });

const update = async (sites: FixtureSite[], items: object[]) => {
  const site_ids = sites.map(({ id }) => id);
  const { status, body } = await fixture.owner.post('/remote/update', { site_ids, items });
  expect(status).toBe(200);
  return body;
};

const versionsOf = ({ state: { plugins, themes, core } }: FixtureSite) => [
  plugins[SHOP]?.version,
  plugins[FORM]?.version,
  themes.plain?.version,
  core.version,
];

describe('POST /remote/update with items', () => {
  it('updates one plugin on all sites and nothing else', async () => {
    const sites = [await newSite(), await newSite()];
    const { success, run_id, request, results } = await update(sites, [SHOP_2]);
    expect([success, request]).toEqual([true, { items: [SHOP_2], items_total: 1 }]);
    for (const [index, site] of sites.entries()) {
      expect(versionsOf(site)).toEqual(['2.0', '1.0', '1.0', '6.0']);
      expect(results[index]).toMatchObject({
        status: 'succeeded',
        items: [SHOP_2],
        plugins: { updated: 1, failed: 0 },
        details: { results: { plugins: [{ slug: SHOP, old_version: '1.0', new_version: '2.0' }] } },
      });
      expect(await fixture.readAudit(site.id, 'remote_update')).toMatchObject([
        {
          context: {
            run_id,
            items: [
              {
                type: 'plugin',
                slug: SHOP,
                old_version: '1.0',
                new_version: '2.0',
                outcome: 'succeeded',
              },
            ],
          },
        },
      ]);
    }
  });

  it('is exported with the user, the site and the versions', async () => {
    const site = await newSite();
    await update([site], [SHOP_2]);
    const query = `format=csv&site_id=${site.id}&entity_type=remote_update`;
    const response = await fixture.panel.app.inject({
      url: `/panel/audit/export?${query}`,
      headers: { cookie: fixture.owner.cookie },
    });
    expect(response.body).toMatch(
      /,person-\d+,[^,]+\/site-\d+,shop\/shop\.php 1\.0 → 2\.0 \(succeeded\)/,
    );
  });

  it('updates a theme and core on request', async () => {
    const site = await newSite();
    await update(
      [site],
      [
        { type: 'theme', slug: 'plain' },
        { type: 'core', slug: 'core' },
      ],
    );
    expect(versionsOf(site)).toEqual(['1.0', '1.0', '1.1', '6.1']);
  });

  it('gives each site the requested version that it offers', async () => {
    const [two, three] = [await newSite('2.0'), await newSite('3.0')];
    const { success, results } = await update(
      [two, three],
      [SHOP_2, { ...SHOP_2, version: '3.0' }],
    );
    expect(success).toBe(true);
    expect(results).toMatchObject([
      { items: [{ version: '2.0' }] },
      { items: [{ version: '3.0' }] },
    ]);
    expect([versionsOf(two)[0], versionsOf(three)[0]]).toEqual(['2.0', '3.0']);
  });

  it('fails an item whose offer has changed since the last report, and changes nothing', async () => {
    const site = await newSite();
    const plugin = site.state.plugins[SHOP];
    if (plugin) plugin.newVersion = '2.1';
    const { success, results } = await update([site], [SHOP_2]);
    expect(success).toBe(false);
    expect(results[0]).toMatchObject({
      status: 'failed',
      details: { results: { plugins: [{ code: 'offer_changed', new_version: '1.0' }] } },
    });
    expect(versionsOf(site)[0]).toBe('1.0');
  });

  it('does not call a site that cannot update single items', async () => {
    const [old, current] = [await newSite(), await newSite()];
    const oldCapabilities = ['result_details', 'site_key', 'signed_calls', 'call_log'];
    await fixture.panel.db
      .updateTable('license_activations')
      .set({ capabilities: oldCapabilities })
      .where('site_id', '=', old.id)
      .execute();
    const callsBefore = old.calls.length;
    const { results } = await update([old, current], [SHOP_2]);
    expect(results).toMatchObject([
      { status: 'refused', code: 'items_unsupported', http_status: null },
      { status: 'succeeded' },
    ]);
    expect([old.calls.length - callsBefore, versionsOf(old)[0]]).toEqual([0, '1.0']);
  });

  it('refuses a site that has none of the items', async () => {
    const [without, site] = [await fixture.newSite(), await newSite()];
    const { results } = await update([without, site], [{ type: 'plugin', slug: FORM }]);
    expect(results).toMatchObject([
      { status: 'refused', code: 'items_not_installed', items: [] },
      { status: 'succeeded' },
    ]);
    expect(await fixture.readAudit(without.id, 'remote_update')).toMatchObject([
      { context: { outcome: 'refused', code: 'items_not_installed' } },
    ]);
  });

  it('succeeds without a change if the version is installed already', async () => {
    const site = await newSite();
    await update([site], [SHOP_2]);
    const { results } = await update([site], [SHOP_2]);
    expect(results).toMatchObject([{ status: 'succeeded', plugins: { updated: 0, failed: 0 } }]);
  });

  it('reconciles only the items of a lost call', async () => {
    const site = await newSite();
    failOnce(site.faults, 'cut_after_work');
    const { results } = await update([site], [SHOP_2]);
    expect(versionsOf(site)).toEqual(['2.0', '1.0', '1.0', '6.0']);
    expect(results).toMatchObject([
      { status: 'succeeded', plugins: { updated: 1, failed: 0 }, themes: { failed: 0 } },
    ]);
  });

  it('repeats the items in a retry', async () => {
    const site = await newSite();
    const plugin = site.state.plugins[SHOP];
    if (plugin) plugin.updateFails = 'No room.';
    const { run_id } = await update([site], [SHOP_2]);
    if (plugin) delete plugin.updateFails;
    const { body } = await fixture.owner.post(`/panel/runs/${run_id}/retry`, {});
    const retried = await fixture.waitForRun(body.run_id);
    expect(retried).toMatchObject({ success: true, request: { items: [SHOP_2] } });
    expect(versionsOf(site)).toEqual(['2.0', '1.0', '1.0', '6.0']);
  });

  it.each([
    ['an empty list', []],
    ['an unknown type', [{ type: 'database', slug: 'x' }]],
    ['an item without a slug', [{ type: 'plugin' }]],
    [
      'more than 2,000 items',
      Array.from({ length: 2001 }, (_, n) => ({ type: 'theme', slug: `t${n}` })),
    ],
  ])('refuses %s', async (_, items) => {
    const site = await newSite();
    const { status, body } = await fixture.owner.post('/remote/update', {
      site_ids: [site.id],
      items,
    });
    expect([status, body.code]).toEqual([400, 'invalid_request']);
    expect(versionsOf(site)[0]).toBe('1.0');
  });
});

describe('POST /panel/sites/update-preview', () => {
  it('lists the updates to choose from, each with its versions and sites', async () => {
    const sites = [await newSite('2.0'), await newSite('2.0'), await newSite('3.0')];
    const [a, b, c] = sites.map(({ id }) => id);
    const { body } = await fixture.owner.post('/panel/sites/update-preview', {
      site_ids: [a, b, c],
    });
    const { items } = body.preview.to_update;
    expect(items).toContainEqual({
      type: 'plugin',
      slug: SHOP,
      name: expect.any(String),
      version: '2.0',
      old_versions: ['1.0'],
      site_ids: [a, b],
    });
    expect(items).toContainEqual(
      expect.objectContaining({ slug: SHOP, version: '3.0', site_ids: [c] }),
    );
    expect(items).toContainEqual(
      expect.objectContaining({ type: 'core', slug: 'core', site_ids: [a, b, c] }),
    );
    expect(body.preview.items_unsupported.site_ids).toEqual([]);
  });
});
