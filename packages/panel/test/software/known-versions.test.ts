import { newLicenseWithSites, newUserWithAccess } from '@steward/testkit/panel/licensed-sites.ts';
import { usePanelWithOwner } from '@steward/testkit/panel/signed-in-user.ts';
import { describe, expect, it } from 'vitest';

const SHOP = 'shop/shop.php';

const report = (
  version: string,
  more: { new_version?: string; saved_versions?: string[] } = {},
) => ({
  plugins: [{ plugin: SHOP, name: 'Shop', version, active: true, ...more }],
  themes: [],
  core: { version: '6.6' },
});

describe('GET /panel/software/versions', () => {
  const { panel, owner } = usePanelWithOwner();
  const ask = async (user: Pick<typeof owner, 'get'>, slug = SHOP) => {
    const { status, body } = await user.get(
      `/panel/software/versions?type=plugin&slug=${encodeURIComponent(slug)}`,
    );
    expect(status).toBe(200);
    return body.versions;
  };

  it('lists installed, offered, saved and uploaded versions, and only those of sites of the user', async () => {
    const license = await newLicenseWithSites(panel);
    const mine = await license.addSite({ inventory: report('1.9', { new_version: '1.10' }) });
    await license.addSite({ inventory: report('1.10', { saved_versions: ['1.8'] }) });
    await panel.pool.query(
      `INSERT INTO packages (sha256, size, type, slug, name, version, created_at, used_at)
       VALUES ('00', 1, 'plugin', $1, 'Shop', '2.0', now(), now())`,
      [SHOP],
    );
    const none = { installed_sites: 0, offered_sites: 0, saved_sites: 0, has_package: false };
    expect(await ask(owner)).toEqual([
      { ...none, version: '2.0', has_package: true },
      { ...none, version: '1.10', installed_sites: 1, offered_sites: 1 },
      { ...none, version: '1.9', installed_sites: 1 },
      { ...none, version: '1.8', saved_sites: 1 },
    ]);
    const manager = await newUserWithAccess(panel, 'manager', [{ siteId: mine.id }]);
    expect(await ask(manager)).toEqual([
      { ...none, version: '1.10', offered_sites: 1 },
      { ...none, version: '1.9', installed_sites: 1 },
    ]);
  });

  it('lists nothing for an item that no site has', async () => {
    expect(await ask(owner, 'none/none.php')).toEqual([]);
  });
});
