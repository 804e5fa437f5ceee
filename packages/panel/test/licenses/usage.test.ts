import { newSiteUrl, useTestPanel, VERSIONS } from '@steward/testkit/panel/test-panel.ts';
import { describe, expect, it } from 'vitest';

describe('the site counts of a license', () => {
  const panel = useTestPanel();

  const readUsage = async (id: number) => {
    const row = await panel.db
      .selectFrom('licenses')
      .select(['counted_sites', 'uncounted_sites'])
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    return [row.counted_sites, row.uncounted_sites];
  };

  async function connectSites() {
    const { id, license_key } = await panel.license({ siteLimit: null });
    for (const site_url of [newSiteUrl(), newSiteUrl(), `https://dev.${id}.example.com`]) {
      await panel.post('/api/v1/license/activate', { license_key, site_url, ...VERSIONS });
    }
    return id;
  }

  it('drop to zero when the license is revoked', async () => {
    const id = await connectSites();
    expect(await readUsage(id)).toEqual([2, 1]);
    await panel.revoke(id);
    expect(await readUsage(id)).toEqual([0, 0]);
  });
});
