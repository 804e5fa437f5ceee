import { newLicenseWithSites, newUserWithAccess } from '@steward/testkit/panel/licensed-sites.ts';
import { newSignedInUser, type Person } from '@steward/testkit/panel/signed-in-user.ts';
import { useTestPanel } from '@steward/testkit/panel/test-panel.ts';
import { describe, expect, it } from 'vitest';

describe('GET /panel/overview with more than 10,000 sites', () => {
  const panel = useTestPanel();

  it('caches the counts of each user for five seconds', async () => {
    const owner = await newSignedInUser(panel, 'owner');
    const license = await newLicenseWithSites(panel);
    await panel.pool.query(
      `INSERT INTO sites (license_id, url, canonical_url, created_at)
       SELECT $1, 'https://' || n, n::text, now() FROM generate_series(1, 10001) n`,
      [license.id],
    );
    const total = async (who: Pick<Person, 'get'>) =>
      (await who.get('/panel/overview')).body.overview.sites.total;
    expect(await total(owner)).toBe(10_001);
    const { id } = await license.addSite();
    expect(await total(owner)).toBe(10_001);
    const viewer = await newUserWithAccess(panel, 'viewer', [{ siteId: id }]);
    expect(await total(viewer)).toBe(1);
    panel.fakes.now = new Date(panel.fakes.now.getTime() + 5000);
    expect(await total(owner)).toBe(10_002);
  });
});
