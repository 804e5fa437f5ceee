import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { outdated, SHOP, startFleet } from './support/fleet.ts';
import { type Browser, newPerson } from './support/people.ts';
import { createTestPanel, type TestPanel } from './support/test-panel.ts';

let panel: TestPanel;
let fleet: Awaited<ReturnType<typeof startFleet>>;
let owner: Browser & { id: number };

beforeAll(async () => {
  panel = await createTestPanel(
    {
      allowPrivateSites: true,
      siteTimeouts: { connectSeconds: 2, actionSeconds: 5, updateSeconds: 5 },
      siteCallLimits: { total: 10, perAddress: 10 },
    },
    { works: true },
  );
  const url = await panel.app.listen({ port: 0, host: '127.0.0.1' });
  const { license_key } = await panel.license({ siteLimit: 100 });
  fleet = await startFleet(url, license_key);
  owner = await newPerson(panel, 'owner');
});
afterAll(async () => {
  await fleet.stop();
  await panel.close();
});

let made = 0;
async function newSite(state = outdated()) {
  const site = await fleet.add(`site-${++made}`, state);
  const row = await panel.db
    .selectFrom('sites')
    .select('id')
    .where('url', '=', site.siteUrl)
    .executeTakeFirstOrThrow();
  return { ...site, id: row.id };
}

const audit = (siteId: number, entityType: string) =>
  panel.db
    .selectFrom('audit_log')
    .select(['action', 'actor', 'entity_type', 'entity_id', 'context'])
    .where('site_id', '=', siteId)
    .where('entity_type', '=', entityType)
    .orderBy('id')
    .execute();

describe('POST /remote/update', () => {
  describe('200', () => {
    it('updates the sites, in the order of the ids, and records each', async () => {
      const [a, b] = [await newSite(), await newSite()];
      const { status, body } = await owner.post('/remote/update', { site_ids: [b.id, a.id, b.id] });
      expect([status, body.success, body.status]).toEqual([200, true, 'finished']);
      expect(body.results.map(({ site_id }: { site_id: number }) => site_id)).toEqual([b.id, a.id]);
      expect(body.results[0]).toMatchObject({
        site_url: b.siteUrl,
        status: 'succeeded',
        http_status: 200,
        plugins: { updated: 1, failed: 0 },
        themes: { updated: 0, failed: 0 },
        core: { updated: 0, failed: 0 },
        error: null,
        code: null,
      });
      expect(a.state.plugins[SHOP]?.version).toBe('2.0');
      expect(await audit(a.id, 'remote_update')).toEqual([
        {
          action: 'update',
          actor: String(owner.id),
          entity_type: 'remote_update',
          entity_id: String(a.id),
          context: expect.objectContaining({
            run_id: body.run_id,
            outcome: 'succeeded',
            plugins: { updated: 1, failed: 0 },
          }),
        },
      ]);
    });
  });
});
