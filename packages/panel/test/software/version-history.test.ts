import { newSignedInUser } from '@steward/testkit/panel/signed-in-user.ts';
import { newSiteUrl, useTestPanel, VERSIONS } from '@steward/testkit/panel/test-panel.ts';
import { describe, expect, it } from 'vitest';

describe('the versions of a site over time', () => {
  const panel = useTestPanel();
  const SHOP = 'shop/shop.php';

  async function connectSite() {
    const { license_key } = await panel.license();
    const site = { license_key, site_url: newSiteUrl(), ...VERSIONS };
    const { body } = await panel.post('/api/v1/license/activate', site);
    const owner = await newSignedInUser(panel, 'owner');
    const siteId: number = body.activation.site_id;
    return {
      siteId,
      async report(shop: string | null, core = '6.0') {
        const plugins =
          shop === null ? [] : [{ plugin: SHOP, name: 'Shop', version: shop, active: true }];
        const inventory = { plugins, themes: [], core: { version: core } };
        const { status } = await panel.post('/api/v1/site/verify', { ...site, inventory });
        expect(status).toBe(200);
        const { rows } = await panel.pool.query('SELECT now() AS now');
        return (rows[0].now as Date).toISOString();
      },
      async reportPlugins(plugins: object[]) {
        const inventory = { plugins, themes: [], core: { version: '6.0' } };
        const { status } = await panel.post('/api/v1/site/verify', { ...site, inventory });
        expect(status).toBe(200);
      },
      versions: (at?: string) =>
        owner.get(`/panel/sites/${siteId}/versions${at ? `?at=${at}` : ''}`),
      changes: (query = '') => owner.get(`/panel/sites/${siteId}/version-changes?${query}`),
    };
  }

  it('are found for a given time', async () => {
    const site = await connectSite();
    const first = await site.report('1.0');
    const second = await site.report('2.0');
    const third = await site.report(null);
    const versionAt = async (at: string) => {
      const { body } = await site.versions(at);
      return body.software.find(({ slug }: { slug: string }) => slug === SHOP)?.version;
    };
    expect([await versionAt(first), await versionAt(second), await versionAt(third)]).toEqual([
      '1.0',
      '2.0',
      undefined,
    ]);
    expect((await site.versions('2001-01-01')).body.software).toEqual([]);
    const { body } = await site.versions(third);
    expect(body.software).toMatchObject([{ type: 'core', version: '6.0' }]);
  });

  it('are listed as changes, newest first, page by page', async () => {
    const site = await connectSite();
    for (const version of ['1.0', '1.0', '2.0', null]) await site.report(version);
    const { body } = await site.changes();
    const shop = body.changes.filter(({ slug }: { slug: string }) => slug === SHOP);
    expect(shop).toMatchObject([
      { old_version: '2.0', new_version: null },
      { old_version: '1.0', new_version: '2.0' },
      { old_version: null, new_version: '1.0' },
    ]);
    const page = (await site.changes('limit=1')).body;
    expect(page.changes).toEqual([body.changes[0]]);
    const next = (await site.changes(`limit=1&cursor=${page.next_cursor}`)).body;
    expect(next.changes).toEqual([body.changes[1]]);
  });

  it('require access to the site and a valid time', async () => {
    const site = await connectSite();
    const stranger = await newSignedInUser(panel, 'viewer');
    for (const path of ['versions', 'version-changes']) {
      const { status } = await stranger.get(`/panel/sites/${site.siteId}/${path}`);
      expect(status).toBe(404);
    }
    for (const at of ['yesterday', '+275760-09-13', '2026-13-01', '2026-02-30']) {
      expect((await site.versions(encodeURIComponent(at))).status).toBe(400);
    }
    expect((await site.changes('cursor=nonsense')).status).toBe(400);
  });

  describe('kept', () => {
    const items = (count: number, version: string) =>
      Array.from({ length: count }, (_, n) => ({
        plugin: `plugin-${n}/plugin.php`,
        name: `Plugin ${n}`,
        version,
        active: true,
      }));
    const countEntries = async (siteId: number) =>
      (
        await panel.pool.query(
          'SELECT count(*)::int AS count FROM version_history WHERE site_id = $1',
          [siteId],
        )
      ).rows[0].count;

    it('are the newest 5,000 entries of a site, within each report, and all installed versions', async () => {
      const site = await connectSite();
      await site.report('1.0');
      for (const version of ['1', '2', '3']) await site.reportPlugins(items(1990, version));
      expect(await countEntries(site.siteId)).toBe(5000);
      const { body } = await site.versions('2100-01-01');
      expect(body.software).toHaveLength(1991);
      expect(new Set(body.software.map(({ version }: { version: string }) => version))).toEqual(
        new Set(['3', '6.0']),
      );
    });

    it('are those of a year, and the one before', async () => {
      const site = await connectSite();
      for (const version of ['1.0', '2.0', '3.0']) await site.report(version);
      const setAge = (version: string, days: number) =>
        panel.pool.query(
          `UPDATE version_history SET at = now() - make_interval(days => $1)
           WHERE site_id = $2 AND slug = $3 AND version = $4`,
          [days, site.siteId, SHOP, version],
        );
      await setAge('1.0', 900);
      await setAge('2.0', 800);
      await setAge('3.0', 100);
      await site.report('4.0');
      const { body } = await site.changes();
      const shop = body.changes.filter(({ slug }: { slug: string }) => slug === SHOP);
      // 2.0 was installed a year ago; 1.0 was not.
      expect(shop.map((change: { new_version: string }) => change.new_version)).toEqual([
        '4.0',
        '3.0',
        '2.0',
      ]);
    });
  });

  it('are deleted with the site', async () => {
    const site = await connectSite();
    await site.report('1.0');
    await panel.pool.query('DELETE FROM license_activations WHERE site_id = $1', [site.siteId]);
    await panel.pool.query('DELETE FROM sites WHERE id = $1', [site.siteId]);
    const { rows } = await panel.pool.query('SELECT FROM version_history WHERE site_id = $1', [
      site.siteId,
    ]);
    expect(rows).toEqual([]);
  });
});
