import { isManagementPlugin, type SiteItem } from '@steward/contract';
import { newLicenseWithSites, newUserWithAccess } from '@steward/testkit/panel/licensed-sites.ts';
import { describe, expect, it } from 'vitest';
import { plugin, useSoftwarePanel, withPlugins } from './support/software-panel.ts';

describe('GET /panel/sites with the filter software', () => {
  const { panel, owner } = useSoftwarePanel();

  const list = async (slug: string, more: Record<string, string> = {}, user = owner) => {
    const query = new URLSearchParams({ software_type: 'plugin', software: slug, ...more });
    const { status, body } = await user.get(`/panel/sites?${query}`);
    expect(status, JSON.stringify(body)).toBe(200);
    return body.sites.map(({ id, installed }: SiteItem) => ({ id, ...installed }));
  };

  it('adds version, offer, state, hold and time of the item', async () => {
    const license = await newLicenseWithSites(panel);
    const shop = (fields: object) => withPlugins(plugin('shop', fields), plugin('other'));
    const current = await license.addSite({ inventory: shop({ version: '2.0', active: false }) });
    const outdated = await license.addSite({ inventory: shop({ new_version: '2.0' }) });
    await license.addSite({ inventory: withPlugins(plugin('other', { new_version: '3.0' })) });
    const slug = 'shop/shop.php';
    const item = { item_type: 'plugin', slug };
    await owner.post('/panel/rules', { ...item, aspect: 'level', level: 'minor' });
    const changed_at = expect.any(String);
    expect(await list(slug, { sort: 'last_check' })).toEqual([
      { id: current.id, version: '2.0', new_version: null, active: false, changed_at },
      {
        ...{ id: outdated.id, version: '1.0', new_version: '2.0', active: true, changed_at },
        hold: expect.objectContaining({ reason: 'level', explanation: expect.any(String) }),
      },
    ]);
    const only = await newUserWithAccess(panel, 'viewer', [{ siteId: current.id }]);
    expect(await list(slug, {}, only as never)).toMatchObject([{ id: current.id }]);
  });

  it('shows the time of the last change, not of the first report', async () => {
    const license = await newLicenseWithSites(panel);
    const { url } = await license.addSite({ inventory: withPlugins(plugin('clock')) });
    const [before] = await list('clock/clock.php');
    panel.fakes.now = new Date(panel.fakes.now.getTime() + 60_000);
    const newer = withPlugins(plugin('clock', { version: '1.1' }));
    await license.post('/api/v1/site/verify', { site_url: url, inventory: newer });
    const [after] = await list('clock/clock.php');
    expect(after.version).toBe('1.1');
    expect(Date.parse(after.changed_at)).toBeGreaterThan(Date.parse(before.changed_at));
  });

  it('offers no update of the Steward plugin, which has its own', async () => {
    const license = await newLicenseWithSites(panel);
    const slug = 'steward/steward.php';
    expect(isManagementPlugin(slug)).toBe(true);
    await license.addSite({ inventory: withPlugins(plugin('steward', { new_version: '9.0' })) });
    expect(await list(slug)).toMatchObject([{ new_version: null }]);
  });

  it('adds nothing without the filter', async () => {
    const { body } = await owner.get('/panel/sites');
    for (const site of body.sites) expect(site).not.toHaveProperty('installed');
  });
});
