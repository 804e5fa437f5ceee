import { FREQUENT_POLLS } from '@steward/testkit/panel/test-panel.ts';
import { useRunFixture } from '@steward/testkit/panel/use-run-fixture.ts';
import { SHOP } from '@steward/testkit/sites/site-fleet.ts';
import { sql } from 'kysely';
import { afterEach, describe, expect, it } from 'vitest';
import {
  BLOG,
  BLOG_2,
  REFUSING,
  rolloutHelpers,
  SHOP_2,
  siteWith,
} from './support/rollout-helpers.ts';

const fixture = useRunFixture({}, { timing: FREQUENT_POLLS });
const { newSites, start, read, tag, waitForStatus, waitForProofHalt, versionOf, liftAll } =
  rolloutHelpers(fixture);

const shop = () => siteWith({ [SHOP]: {} });
const both = () => siteWith({ [SHOP]: {}, [BLOG]: {} });
const MISSING = 'No site of the ring Canary installed Shop Kit 2.0.';
const SOAK = { settings: { soak_minutes: 60 } };

// All tests use the same versions, and trouble quarantines them.
afterEach(liftAll);

const endSoak = (id: number) => fixture.owner.post(`/panel/rollouts/${id}/end-soak`, {});

describe('a ring whose only site fails without a change', () => {
  it('does not open the next ring, and says so', async () => {
    const [canary, other] = await newSites([shop(), shop()]);
    fixture.fleet.remove(canary?.name ?? '');
    const id = await start([canary, other].flatMap((site) => site ?? []));
    const { rollout } = await waitForProofHalt(id);
    expect(rollout).toMatchObject({ ring: 0, halt_reason: MISSING, split_from: null });
    expect(rollout.rings[0]?.counts).toMatchObject({ failed: 1, troubled: 0 });
    expect(other?.calls).toEqual([]);
    const { overview } = (await fixture.owner.get('/panel/overview')).body;
    expect(overview.halted_rollouts).toContainEqual(
      expect.objectContaining({ rollout_id: id, reason: MISSING }),
    );
    const events = await fixture.panel.db
      .selectFrom('notification_events')
      .select('data')
      .where('type', '=', 'rollout.halted')
      .execute();
    expect(events.map(({ data }) => data)).toContainEqual(
      expect.objectContaining({ rollout_id: id, reason: MISSING, code: 'waits_for_proof' }),
    );
    // No version is to blame.
    expect((await fixture.owner.get('/panel/quarantine')).body.quarantined_versions).toEqual([]);
  });
});

describe('an item', () => {
  it('that no site of the ring has passes the duty to the next ring', async () => {
    const [canary, second, last] = await newSites([siteWith({ [BLOG]: {} }), shop(), shop()]);
    await tag(second as never, 'second');
    fixture.fleet.remove(second?.name ?? '');
    const rings = [
      { name: 'Canary', tag: 'canary' },
      { name: 'Second', tag: 'second' },
      { name: 'Rest' },
    ];
    const sites = [canary, second, last].flatMap((site) => site ?? []);
    const id = await start(sites, { items: [SHOP_2], rings });
    const { rollout } = await waitForProofHalt(id);
    expect(rollout.ring).toBe(1);
    expect(rollout.halt_reason).toBe('No site of the ring Second installed Shop Kit 2.0.');
    expect(last?.calls).toEqual([]);
  });

  it('that all sites of the ring have in a newer version passes the duty on', async () => {
    const sites = await newSites([
      siteWith({ [SHOP]: { version: '3.0', newVersion: '3.1' } }),
      shop(),
    ]);
    const id = await start(sites);
    await waitForStatus(id, 'finished');
    expect(sites.map((site) => versionOf(site))).toEqual(['3.0', '2.0']);
  });

  it('stops alone: it moves into a halted rollout, and the others continue', async () => {
    const [canary, full, shopOnly, blogOnly] = await newSites([
      siteWith({ [SHOP]: {}, [BLOG]: REFUSING }),
      both(),
      shop(),
      siteWith({ [BLOG]: {} }),
    ]);
    const sites = [canary, full, shopOnly, blogOnly].flatMap((site) => site ?? []);
    const id = await start(sites, { items: [SHOP_2, BLOG_2] });
    const { rollout } = await waitForStatus(id, 'finished');
    expect(rollout).toMatchObject({ name: 'Shop Kit 2.0', items: [SHOP_2], split_from: null });
    expect(rollout.rings.map((ring) => ring.sites)).toEqual([1, 2]);
    expect(rollout.rings[1]?.counts).toMatchObject({ updated: 2, failed: 0 });
    expect([versionOf(full as never), versionOf(full as never, BLOG)]).toEqual(['2.0', '1.0']);
    expect(versionOf(shopOnly as never)).toBe('2.0');
    expect(blogOnly?.calls).toEqual([]);

    const [splitId = 0] = rollout.split_into;
    const { rollout: split, sites: shown } = await read(splitId);
    expect(split).toMatchObject({
      ...{ name: 'Blog 2.0', items: [BLOG_2], status: 'halted', halt_code: 'waits_for_proof' },
      ...{ ring: 0, split_from: id, split_into: [] },
      halt_reason: 'No site of the ring Canary installed Blog 2.0.',
    });
    const { rollout: before } = await read(id);
    expect(split.rings[0]?.run_ids).toEqual(before.rings[0]?.run_ids);
    const states = new Map(shown.map(({ site_id, ring, state }) => [site_id, [ring, state]]));
    expect(states).toEqual(
      new Map([
        [canary?.id, [0, 'failed']],
        [full?.id, [1, 'waiting']],
        [blogOnly?.id, [1, 'waiting']],
      ]),
    );
    expect(shown[0]?.updated_slugs).toEqual([SHOP]);
  });

  it('that no later ring needs does not halt the rollout', async () => {
    const sites = await newSites([siteWith({ [SHOP]: {}, [BLOG]: REFUSING }), shop()]);
    const id = await start(sites, { items: [SHOP_2, BLOG_2] });
    const { rollout } = await waitForStatus(id, 'finished');
    expect(rollout.split_into).toEqual([]);
    expect(versionOf(sites[1] as never)).toBe('2.0');
  });

  it('is proven by a share of the sites, if the plan names one', async () => {
    const sites = await newSites([shop(), siteWith({ [SHOP]: REFUSING }), shop()], 2);
    const id = await start(sites, { settings: { soak_minutes: 0, proof_percent: 51 } });
    const { rollout } = await waitForProofHalt(id);
    expect(rollout.halt_reason).toBe(
      '1 of 2 sites of the ring Canary proves Shop Kit 2.0. The plan needs 2.',
    );
    expect(rollout.settings.proof_percent).toBe(51);
    const half = await start(
      [...(await newSites([shop(), siteWith({ [SHOP]: REFUSING }), shop()], 2))],
      {
        settings: { soak_minutes: 0, proof_percent: 50 },
      },
    );
    await waitForStatus(half, 'finished');
  });

  it('may be a theme or core', async () => {
    const outdated = (newer: object = {}) => ({
      plugins: {},
      themes: { plain: { version: '1.0', newVersion: '1.1', ...newer } },
      core: { version: '6.0', newVersion: '6.1' },
    });
    const items = [
      { type: 'theme', slug: 'plain', version: '1.1', name: 'Plain' },
      { type: 'core', slug: 'core', version: '6.1' },
    ];
    const sites = await newSites([outdated(REFUSING), outdated()] as never[]);
    const id = await start(sites, { items });
    const { rollout } = await waitForStatus(id, 'finished');
    expect(rollout.name).toBe('WordPress 6.1');
    expect(sites.map(({ state }) => state.core.version)).toEqual(['6.1', '6.1']);
    const { rollout: split } = await read(rollout.split_into[0] ?? 0);
    expect(split.halt_reason).toBe('No site of the ring Canary installed Plain 1.1.');
    expect(sites[1]?.state.themes.plain?.version).toBe('1.0');
  });
});

describe('a site proves nothing', () => {
  const UNPROVEN =
    'Sites of the ring Canary installed Shop Kit 2.0, but no site proves it: each one was not verified, is troubled or was restored.';

  it('if its pages could not be checked', async () => {
    const [canary, other] = await newSites([shop(), shop()]);
    const result = { slug: SHOP, success: true, old_version: '1.0', new_version: '2.0' };
    if (canary)
      canary.routes.update = () => ({
        success: true,
        results: { plugins: [{ ...result, verified: false }], themes: [], core: null },
        errors: [],
        checked: { pages_planned: 17, pages_compared: 2 },
      });
    const id = await start([canary, other].flatMap((site) => site ?? []));
    const { rollout } = await waitForProofHalt(id);
    expect(rollout.halt_reason).toBe(UNPROVEN);
    expect(rollout.rings[0]?.counts).toMatchObject({ unchecked: 1 });
    expect(other?.calls).toEqual([]);
  });

  it('if it is troubled, also after a user has accepted this', async () => {
    const rolledBack = siteWith({ [SHOP]: { updateRollsBack: 'The home page shows an error.' } });
    const id = await start(await newSites([rolledBack, shop()]));
    await waitForStatus(id, 'halted');
    await liftAll();
    expect((await fixture.owner.post(`/panel/rollouts/${id}/resume`, {})).status).toBe(200);
    expect((await waitForProofHalt(id)).rollout.halt_reason).toBe(MISSING);
  });

  it('if it got the previous version back in the soak time', async () => {
    const sites = await newSites([shop(), shop()]);
    const [canary] = sites;
    const id = await start(sites, SOAK);
    await waitForStatus(id, 'soaking');
    const plugin = canary?.state.plugins[SHOP];
    if (plugin) Object.assign(plugin, { version: '1.0', newVersion: '2.0' });
    fixture.panel.fakes.now = new Date(fixture.panel.fakes.now.getTime() + 60_000);
    await canary?.agent.reportInventory();
    await endSoak(id);
    expect((await waitForProofHalt(id)).rollout.halt_reason).toBe(UNPROVEN);
  });

  it('if a rule held the version there', async () => {
    const sites = await newSites([shop(), shop()]);
    const [canary] = sites;
    const rule = {
      ...{ site_id: canary?.id, item_type: 'plugin', slug: SHOP },
      ...{ aspect: 'level', level: 'never' },
    };
    const { status, body } = await fixture.owner.post('/panel/rules', rule);
    expect(status, JSON.stringify(body)).toBe(200);
    const id = await start(sites);
    expect((await waitForProofHalt(id)).rollout.halt_reason).toBe(MISSING);
  });

  it('if its license was revoked before its call', async () => {
    const { license_key } = await fixture.panel.license({ siteLimit: 5 });
    const canary = await fixture.newSite(shop(), license_key);
    await tag(canary, 'canary');
    const [other] = await newSites([shop()], 0);
    await fixture.panel.db
      .updateTable('license_activations')
      .set({ status: 'deactivated' })
      .where('site_id', '=', canary.id)
      .execute();
    const id = await start([canary, other].flatMap((site) => site ?? []));
    expect((await waitForProofHalt(id)).rollout.halt_reason).toBe(MISSING);
    expect(other?.calls).toEqual([]);
  });
});

describe('a site that leaves in the soak time', () => {
  it('keeps its proof if it was archived', async () => {
    const sites = await newSites([shop(), shop()]);
    const id = await start(sites, SOAK);
    await waitForStatus(id, 'soaking');
    await fixture.panel.db
      .updateTable('sites')
      .set({ archived_at: fixture.panel.fakes.now })
      .where('id', '=', sites[0]?.id ?? 0)
      .execute();
    await endSoak(id);
    await expect.poll(() => versionOf(sites[1] as never)).toBe('2.0');
  });

  it('has no duty any more if it was archived or deleted without the update', async () => {
    const [archived, deleted, other] = await newSites(
      [siteWith({ [SHOP]: REFUSING }), siteWith({ [SHOP]: REFUSING }), shop()],
      2,
    );
    const id = await start(
      [archived, deleted, other].flatMap((site) => site ?? []),
      SOAK,
    );
    await waitForStatus(id, 'soaking');
    const { db, fakes } = fixture.panel;
    const sites = db.updateTable('sites').set({ archived_at: fakes.now });
    await sites.where('id', '=', archived?.id ?? 0).execute();
    // As when the row of the site is deleted.
    await db
      .deleteFrom('rollout_sites')
      .where('site_id', '=', deleted?.id ?? 0)
      .execute();
    await endSoak(id);
    await expect.poll(() => versionOf(other as never)).toBe('2.0');
  });
});

describe('trouble on a site of the ring so far', () => {
  it('halts the rollout of the stopped item, and quarantines its version', async () => {
    const [canary, refusing, rest] = await newSites(
      [both(), siteWith({ [BLOG]: REFUSING }), both()],
      2,
    );
    const sites = [canary, refusing, rest].flatMap((site) => site ?? []);
    const settings = { soak_minutes: 60, proof_percent: 100 };
    const id = await start(sites, { items: [SHOP_2, BLOG_2], settings });
    const { rollout: first } = await waitForStatus(id, 'soaking');
    await endSoak(id);
    await expect.poll(async () => (await read(id)).rollout.split_into).toHaveLength(1);
    const [splitId = 0] = (await read(id)).rollout.split_into;
    expect((await read(splitId)).rollout.halt_reason).toBe(
      '1 of 2 sites of the ring Canary proves Blog 2.0. The plan needs 2.',
    );
    const reason = { reason: 'The other canary has an old PHP version.' };
    const path = `/panel/rollouts/${splitId}/continue-without-proof`;
    expect((await fixture.owner.post(path, reason)).status).toBe(200);
    await waitForStatus(splitId, 'soaking');
    // The task belongs to the run of the first rollout, which no longer contains the item.
    await fixture.panel.db
      .updateTable('update_watches')
      .set({ state: 'troubled', error: sql`'{"message": "No price.", "place": "a.php:1"}'` })
      .where('run_id', '=', first.rings[0]?.run_ids[0] ?? 0)
      .where('site_id', '=', canary?.id ?? 0)
      .where('slug', '=', BLOG)
      .execute();
    const { rollout } = await waitForStatus(splitId, 'halted');
    expect(rollout).toMatchObject({ halt_code: null, held_versions: [BLOG_2] });
    expect((await read(id)).rollout.status).not.toBe('halted');
  });
});
