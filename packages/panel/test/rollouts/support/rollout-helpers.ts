import type { RolloutSite, RolloutSummary } from '@steward/contract';
import type { FixtureSite, RunFixture } from '@steward/testkit/panel/use-run-fixture.ts';
import type { MemoryItem } from '@steward/testkit/sites/memory-platform.ts';
import { outdatedSite, SHOP } from '@steward/testkit/sites/site-fleet.ts';
import { expect, vi } from 'vitest';

export const BLOG = 'blog/blog.php';
export const SHOP_2 = { type: 'plugin', slug: SHOP, version: '2.0', name: 'Shop Kit' };
export const BLOG_2 = { type: 'plugin', slug: BLOG, version: '2.0', name: 'Blog' };
export const CANARY_AND_REST = [{ name: 'Canary', tag: 'canary' }, { name: 'Rest' }];

const WAIT = { interval: 50, timeout: 60_000 };

/** The update of this plugin fails before it changes anything. */
export const REFUSING = { updateFails: 'It needs PHP 8.', failureCode: 'php_too_old' } as const;

export type ShownRollout = { rollout: RolloutSummary; sites: RolloutSite[] };

/** The state of a site with these plugins in version 1.0, which all have an update to 2.0. */
export function siteWith(plugins: Record<string, Partial<MemoryItem>>) {
  const items = Object.entries(plugins).map(([slug, item]) => [
    slug,
    { version: '1.0', newVersion: '2.0', active: true, ...item },
  ]);
  return { ...outdatedSite(), plugins: Object.fromEntries(items) };
}

export function rolloutHelpers(fixture: RunFixture) {
  async function tag({ id }: FixtureSite, ...tags: string[]): Promise<void> {
    await fixture.owner.call('PUT', `/panel/sites/${id}/tags`, { tags });
  }

  const read = async (id: number, user = fixture.owner): Promise<ShownRollout> =>
    (await user.get(`/panel/rollouts/${id}`)).body;

  /** Reads less than the API, because tests wait for the status. */
  function readStatus(id: number) {
    const rollout = fixture.panel.db.selectFrom('rollouts').select(['status', 'halt_code']);
    return rollout.where('id', '=', id).executeTakeFirstOrThrow();
  }

  return {
    read,
    tag,

    /** Adds sites. The first ones are canaries. */
    async newSites(states: ReturnType<typeof siteWith>[], canaries = 1): Promise<FixtureSite[]> {
      const sites = [];
      for (const [index, state] of states.entries()) {
        const site = await fixture.newSite(state);
        if (index < canaries) await tag(site, 'canary');
        sites.push(site);
      }
      return sites;
    },

    async start(sites: FixtureSite[], request: object = {}, user = fixture.owner) {
      const { status, body } = await user.post('/panel/rollouts', {
        site_ids: sites.map(({ id }) => id),
        items: [SHOP_2],
        rings: CANARY_AND_REST,
        settings: { soak_minutes: 0 },
        ...request,
      });
      expect(status, JSON.stringify(body)).toBe(200);
      return body.rollout.rollout_id as number;
    },

    async waitForStatus(id: number, status: string): Promise<ShownRollout> {
      await vi.waitFor(async () => expect((await readStatus(id)).status).toBe(status), WAIT);
      return read(id);
    },

    /** Waits until the rollout halts because no site proved its items. */
    async waitForProofHalt(id: number): Promise<ShownRollout> {
      const halted = { status: 'halted', halt_code: 'waits_for_proof' };
      await vi.waitFor(async () => expect(await readStatus(id)).toEqual(halted), WAIT);
      return read(id);
    },

    versionOf: ({ state }: FixtureSite, slug = SHOP) => state.plugins[slug]?.version,

    async liftAll(): Promise<void> {
      const { body } = await fixture.owner.get('/panel/quarantine');
      for (const { id, lifted_at } of body.quarantined_versions) {
        if (lifted_at !== null) continue;
        await fixture.owner.post(`/panel/quarantine/${id}/lift`, { reason: 'The test has ended.' });
      }
    },
  };
}
