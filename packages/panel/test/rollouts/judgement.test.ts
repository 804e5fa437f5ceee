import type { RolloutSite } from '@steward/contract';
import { FREQUENT_POLLS } from '@steward/testkit/panel/test-panel.ts';
import { useRunFixture } from '@steward/testkit/panel/use-run-fixture.ts';
import { SHOP } from '@steward/testkit/sites/site-fleet.ts';
import { sql } from 'kysely';
import { afterEach, describe, expect, it } from 'vitest';
import {
  BLOG,
  BLOG_2,
  CANARY_AND_REST,
  rolloutHelpers,
  SHOP_2,
  siteWith,
} from './support/rollout-helpers.ts';

const fixture = useRunFixture({}, { timing: FREQUENT_POLLS });
const { tag, start, waitForStatus, waitForProofHalt, liftAll } = rolloutHelpers(fixture);

const FATAL = () => new Response('Fatal error: Uncaught Error', { status: 500 });

const REFUSED = {
  success: false,
  new_version: '1.0',
  code: 'php_too_old',
  error: 'It needs another PHP version.',
};

type Site = Awaited<ReturnType<typeof fixture.newSite>>;

const plugins = (...slugs: string[]) =>
  siteWith(Object.fromEntries(slugs.map((slug) => [slug, {}])));
const tagCanary = (site: Site) => tag(site, 'canary');

/** Waits until the rollout halts because its ring proved nothing, and starts the next ring. */
async function continueWithoutProof(id: number): Promise<void> {
  await waitForProofHalt(id);
  const reason = { reason: 'The canary is of no use.' };
  const { body } = await fixture.owner.post(`/panel/rollouts/${id}/continue-without-proof`, reason);
  expect(body.rollout.status).toBe('running');
}

const readQuarantined = async () =>
  (await fixture.owner.get('/panel/quarantine')).body.quarantined_versions.filter(
    ({ lifted_at }: { lifted_at: string | null }) => lifted_at === null,
  );

const readQuarantinedSlugs = async () =>
  (await readQuarantined()).map(({ slug }: { slug: string }) => slug).sort();

const hasUpdate = ({ calls }: Site) => calls.includes('update');

// All tests use the same versions.
afterEach(liftAll);

describe('a rollout judges', () => {
  it('each version only by the sites that got it', async () => {
    const sites = [];
    for (let index = 0; index < 3; index++) sites.push(await fixture.newSite(plugins(SHOP)));
    await tagCanary(sites[0] as Site);
    const withBlog = plugins(SHOP, BLOG);
    (withBlog.plugins[BLOG] as { updateRollsBack?: string }).updateRollsBack = 'Broken.';
    sites.push(await fixture.newSite(withBlog));
    // One of three sites is less than the limit, but it is the only one with this plugin.
    const settings = { soak_minutes: 0, later_max_troubled_percent: 40 };
    const id = await start(sites, { items: [SHOP_2, BLOG_2], rings: CANARY_AND_REST, settings });
    const { halt_reason } = (await waitForStatus(id, 'halted')).rollout;
    expect(halt_reason).toContain('1 site in the ring "Rest"');
    expect(await readQuarantinedSlugs()).toEqual([BLOG]);
  });

  it('the first ring that installed the version as the first, if an earlier one did not', async () => {
    const sites: Site[] = [];
    for (let index = 0; index < 3; index++) sites.push(await fixture.newSite(plugins(SHOP)));
    const [canary, broken] = sites as [Site, Site];
    await tagCanary(canary);
    fixture.fleet.remove(canary.name);
    (broken.state.plugins[SHOP] as { updateRollsBack?: string }).updateRollsBack = 'Broken.';
    const settings = { soak_minutes: 0, later_max_troubled_percent: 100 };
    const id = await start(sites, { items: [SHOP_2], rings: CANARY_AND_REST, settings });
    await continueWithoutProof(id);
    await waitForStatus(id, 'halted');
    expect(await readQuarantinedSlugs()).toEqual([SHOP]);
  });

  /** A site that installs the update and reports how far it checked its pages. */
  async function newCheckedSite(checked: object, verified = false): Promise<Site> {
    const site = await fixture.newSite(plugins(SHOP));
    site.routes.update = () => {
      const updated = { slug: SHOP, success: true, old_version: '1.0', new_version: '2.0' };
      const results = { plugins: [{ ...updated, verified }], themes: [], core: null };
      return { success: true, results, errors: [], checked };
    };
    return site;
  }

  it('a site whose pages could not be checked as neither trouble nor proof', async () => {
    const canary = await newCheckedSite({ pages_planned: 17, pages_compared: 2 });
    await tagCanary(canary);
    const broken = await fixture.newSite(plugins(SHOP));
    (broken.state.plugins[SHOP] as { updateRollsBack?: string }).updateRollsBack = 'Broken.';
    const sites = [canary, broken, await fixture.newSite(plugins(SHOP))];
    // The ring of the canary proves nothing, so the next one has the limit of the first ring.
    const settings = { soak_minutes: 0, later_max_troubled_percent: 100 };
    const id = await start(sites, { items: [SHOP_2], rings: CANARY_AND_REST, settings });
    await continueWithoutProof(id);
    const { rings, halt_reason } = (await waitForStatus(id, 'halted')).rollout;
    expect(rings[0]?.counts).toMatchObject({ unchecked: 1, updated: 0, troubled: 0 });
    expect(halt_reason).toContain('1 site in the ring "Rest"');
    const { body } = await fixture.owner.get(`/panel/rollouts/${id}`);
    const [first] = body.sites.filter(({ site_id }: RolloutSite) => site_id === canary.id);
    expect(first).toMatchObject({
      state: 'unchecked',
      error: '2 of 17 pages could be checked.',
    });
  });

  it('a site with a page that differs as troubled', async () => {
    const differences = [{ page: 'the home page', kind: 'text', percent: 34 }];
    const checked = { pages_planned: 17, pages_compared: 17, differences };
    const id = await start([await newCheckedSite(checked)], {
      items: [SHOP_2],
      rings: [{ name: 'All' }],
    });
    const { halt_reason } = (await waitForStatus(id, 'halted')).rollout;
    expect(halt_reason).toContain('The text of the home page is only 34 % the same as before.');
    expect(await readQuarantinedSlugs()).toEqual([SHOP]);
  });

  it('a site that works worse as troubled, although its pages could not be checked', async () => {
    const site = await newCheckedSite({ pages_planned: 17, pages_compared: 17 }, true);
    const respond = site.routes.update;
    site.routes.update = async (body) => {
      site.health.home = FATAL;
      return { ...(await respond?.(body)), checked: { pages_planned: 17, pages_compared: 2 } };
    };
    const id = await start([site], { items: [SHOP_2], rings: [{ name: 'All' }] });
    const { halt_reason } = (await waitForStatus(id, 'halted')).rollout;
    expect(halt_reason).toContain('The home page shows a fatal error.');
  });

  it('a site that the update broke as troubled, although it refused another item', async () => {
    const site = await fixture.newSite(plugins(SHOP, BLOG));
    let isBroken = false;
    site.routes.update = () => {
      isBroken = true;
      const updated = { slug: SHOP, success: true, old_version: '1.0', new_version: '2.0' };
      const refused = { ...REFUSED, slug: BLOG };
      const results = { plugins: [updated, refused], themes: [], core: null };
      return { success: false, results, errors: [] };
    };
    site.health.home = () => (isBroken ? FATAL() : null);
    const id = await start([site], { items: [SHOP_2, BLOG_2], rings: [{ name: 'All' }] });
    await waitForStatus(id, 'halted');
    expect(await readQuarantinedSlugs()).toEqual([SHOP]);
    const { sites } = (await fixture.owner.get(`/panel/rollouts/${id}`)).body;
    expect(sites[0].error).toBe('The home page shows a fatal error.');
  });

  it('a site that refused one of its items as not fully updated, and names the updated ones', async () => {
    const site = await fixture.newSite(plugins(SHOP, BLOG));
    site.routes.update = () => {
      const updated = { slug: SHOP, success: true, old_version: '1.0', new_version: '2.0' };
      const refused = { ...REFUSED, slug: BLOG };
      const results = { plugins: [updated, refused], themes: [], core: null };
      return { success: false, results, errors: [] };
    };
    const complete = await fixture.newSite(plugins(SHOP, BLOG));
    const id = await start([site, complete], {
      items: [SHOP_2, BLOG_2],
      rings: [{ name: 'All' }],
    });
    await waitForStatus(id, 'finished');
    const { sites } = (await fixture.owner.get(`/panel/rollouts/${id}`)).body;
    const found = sites.map(({ site_id, state, updated_slugs }: RolloutSite) => [
      ...[site_id, state, updated_slugs],
    ]);
    expect(found).toEqual([
      [site.id, 'failed', [SHOP]],
      [complete.id, 'updated', undefined],
    ]);
  });

  it('a call that ends after the halt, and quarantines its version too', async () => {
    const [first, second] = [
      await fixture.newSite(plugins(SHOP)),
      await fixture.newSite(plugins(BLOG)),
    ] as const;
    for (const { state } of [first, second])
      for (const plugin of Object.values(state.plugins)) plugin.updateRollsBack = 'Broken.';
    const opened = Promise.withResolvers<void>();
    second.gate.opens = opened.promise;
    const id = await start([first, second], {
      items: [SHOP_2, BLOG_2],
      rings: [{ name: 'All' }],
    });
    await expect.poll(() => hasUpdate(second)).toBe(true);
    await waitForStatus(id, 'halted');
    expect(await readQuarantinedSlugs()).toEqual([SHOP]);
    opened.resolve();
    await expect.poll(readQuarantinedSlugs).toEqual([BLOG, SHOP]);
  });
});

describe('a halted or cancelled rollout', () => {
  it('does not send the call to a site that it still observes', async () => {
    const [broken, observed] = [
      await fixture.newSite(plugins(SHOP)),
      await fixture.newSite(plugins(SHOP)),
    ] as const;
    (broken.state.plugins[SHOP] as { updateRollsBack?: string }).updateRollsBack = 'Broken.';
    const opened = Promise.withResolvers<void>();
    observed.health.home = () => opened.promise.then(() => null);
    const id = await start([broken, observed], { items: [SHOP_2], rings: [{ name: 'All' }] });
    const { rings } = (await waitForStatus(id, 'halted')).rollout;
    opened.resolve();
    const { results } = await fixture.waitForRun(rings[0]?.run_ids[0] ?? 0);
    const ended = results.find(({ site_id }: { site_id: number }) => site_id === observed.id);
    expect(ended?.status).toBe('cancelled');
    expect(observed.calls).toEqual([]);
  });

  it('quarantines a version that breaks the sites of a retry', async () => {
    const sites = [await fixture.newSite(plugins(SHOP)), await fixture.newSite(plugins(SHOP))];
    const [called, uncalled] = sites as [Site, Site];
    const opened = Promise.withResolvers<void>();
    called.gate.opens = opened.promise;
    uncalled.health.home = () => opened.promise.then(() => null);
    const id = await start(sites, { items: [SHOP_2], rings: [{ name: 'All' }] });
    await expect.poll(() => hasUpdate(called)).toBe(true);
    await fixture.owner.post(`/panel/rollouts/${id}/cancel`, {});
    opened.resolve();
    const runId = (await waitForStatus(id, 'cancelled')).rollout.rings[0]?.run_ids[0] ?? 0;
    await fixture.waitForRun(runId);
    expect(hasUpdate(uncalled)).toBe(false);
    (uncalled.state.plugins[SHOP] as { updateRollsBack?: string }).updateRollsBack = 'Broken.';
    await fixture.owner.post(`/panel/runs/${runId}/retry`, {});
    expect(await readQuarantinedSlugs()).toEqual([SHOP]);
  });

  it('soaks again after a resume', async () => {
    const site = await fixture.newSite(plugins(SHOP));
    const settings = { soak_minutes: 60 };
    const id = await start([site], { items: [SHOP_2], rings: [{ name: 'All' }], settings });
    await waitForStatus(id, 'soaking');
    await fixture.panel.db
      .updateTable('repeated_checks')
      .set({ troubles: sql`'["fatal_error"]'`, done_at: new Date() })
      .where('site_id', '=', site.id)
      .execute();
    await waitForStatus(id, 'halted');
    await liftAll();
    fixture.panel.fakes.now = new Date(fixture.panel.fakes.now.getTime() + 12 * 3_600_000);
    await fixture.owner.post(`/panel/rollouts/${id}/resume`, {});
    const { rings } = (await waitForStatus(id, 'soaking')).rollout;
    const soakEnd = new Date(fixture.panel.fakes.now.getTime() + 3_600_000);
    expect(rings[0]?.soak_ends_at).toBe(soakEnd.toISOString());
  });
});

describe('the soak time', () => {
  it('does not end before the checks that were due in it', async () => {
    const sites = [await fixture.newSite(plugins(SHOP)), await fixture.newSite(plugins(SHOP))];
    await tagCanary(sites[0] as Site);
    const settings = { soak_minutes: 20 };
    const id = await start(sites, { items: [SHOP_2], rings: CANARY_AND_REST, settings });
    const { rings } = (await waitForStatus(id, 'soaking')).rollout;
    const changeChecks = (isDone: boolean) =>
      fixture.panel.db
        .updateTable('repeated_checks')
        .set(isDone ? { done_at: new Date() } : { claimed_until: new Date('2100-01-01') })
        .where('run_id', '=', rings[0]?.run_ids[0] ?? 0)
        .execute();
    // As if all workers were busy or down.
    await changeChecks(false);
    fixture.panel.fakes.now = new Date(fixture.panel.fakes.now.getTime() + 25 * 60_000);
    await fixture.owner.post(`/panel/rollouts/${id}/end-soak`, {});
    expect((await waitForStatus(id, 'soaking')).rollout.ring).toBe(0);
    await changeChecks(true);
    await expect.poll(() => hasUpdate(sites[1] as Site)).toBe(true);
  });
});

it('a site that was not called because of a quarantine counts as not started until the rollout ends', async () => {
  const site = await fixture.newSite(plugins(SHOP));
  const id = await start([site], { items: [SHOP_2], rings: [{ name: 'All' }] });
  await waitForStatus(id, 'finished');
  const { db } = fixture.panel;
  // As if the quarantine had come between the start of the ring and the call.
  await db
    .updateTable('run_tasks')
    .set({ status: 'refused', code: 'held_version', details: null })
    .where('site_id', '=', site.id)
    .execute();
  const readCounts = async () =>
    (await fixture.owner.get(`/panel/rollouts/${id}`)).body.rollout.rings[0].counts;
  expect(await readCounts()).toMatchObject({ cancelled: 0, failed: 1 });
  await db.updateTable('rollouts').set({ status: 'halted' }).where('id', '=', id).execute();
  expect(await readCounts()).toMatchObject({ cancelled: 1, failed: 0 });
});
