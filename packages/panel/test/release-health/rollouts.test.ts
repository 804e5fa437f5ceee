import { FREQUENT_POLLS } from '@steward/testkit/panel/test-panel.ts';
import { useRunFixture } from '@steward/testkit/panel/use-run-fixture.ts';
import { afterEach, describe, expect, it } from 'vitest';
import { SHOP } from './support/reported-errors.ts';
import { watchHelpers } from './support/watched-sites.ts';

const fixture = useRunFixture({}, { timing: FREQUENT_POLLS });
const { advance, report } = watchHelpers(fixture);

describe('a rollout', () => {
  afterEach(async () => {
    const { body } = await fixture.owner.get('/panel/quarantine');
    for (const { id, lifted_at } of body.quarantined_versions) {
      if (lifted_at === null) {
        await fixture.owner.post(`/panel/quarantine/${id}/lift`, { reason: 'End of the test.' });
      }
    }
  });

  async function startRollout() {
    const sites = [await fixture.newSite(), await fixture.newSite()];
    const [first, second] = sites;
    if (!first || !second) throw new Error('No site.');
    await fixture.owner.call('PUT', `/panel/sites/${first.id}/tags`, { tags: ['canary'] });
    const { body } = await fixture.owner.post('/panel/rollouts', {
      site_ids: [first.id, second.id],
      items: [{ ...SHOP, version: '2.0' }],
      settings: { soak_minutes: 60 },
    });
    const show = async () =>
      (await fixture.owner.get(`/panel/rollouts/${body.rollout.rollout_id}`)).body;
    await expect.poll(async () => (await show()).rollout?.status).toBe('soaking');
    advance(5);
    return { first, second, show };
  }

  it('halts when the watch of a site becomes troubled', async () => {
    const { first, second, show } = await startRollout();
    await report(first, [{ message: 'Uncaught Error: no price' }]);
    await expect.poll(async () => (await show()).rollout.status).toBe('halted');
    const { rollout, sites } = await show();
    expect(rollout.halt_reason).toContain('Uncaught Error: no price in includes/cart.php:120');
    const states = sites.map(({ site_id, state }: { site_id: number; state: string }) => [
      site_id,
      state,
    ]);
    expect(states).toEqual([
      [first.id, 'troubled'],
      [second.id, 'waiting'],
    ]);
    const quarantined = (await fixture.owner.get('/panel/quarantine')).body.quarantined_versions;
    expect(quarantined).toMatchObject([{ slug: SHOP.slug, version: '2.0', lifted_at: null }]);
    expect(second.calls).not.toContain('update');
  });

  it('does not halt because of errors that only a stranger has caused', async () => {
    const { first, show } = await startRollout();
    await report(
      first,
      (['front', 'ajax', 'rest', 'cron', 'login'] as const).map((request_kind) => ({
        ...{ request_kind, is_confirmed: false, count: 1_000_000 },
      })),
    );
    const isJudged = async () =>
      (
        await fixture.panel.db
          .selectFrom('update_watches')
          .select('error')
          .where('site_id', '=', first.id)
          .executeTakeFirst()
      )?.error !== null;
    await expect.poll(isJudged).toBe(true);
    advance(60);
    await expect.poll(async () => (await show()).rollout.ring).toBe(1);
    expect((await show()).rollout.status).not.toBe('halted');
  });
});
