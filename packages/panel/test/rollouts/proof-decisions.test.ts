import { testLogger } from '@steward/testkit/logs.ts';
import { newSignedInUser } from '@steward/testkit/panel/signed-in-user.ts';
import { FREQUENT_POLLS, OPERATOR } from '@steward/testkit/panel/test-panel.ts';
import { type FixtureSite, useRunFixture } from '@steward/testkit/panel/use-run-fixture.ts';
import { SHOP } from '@steward/testkit/sites/site-fleet.ts';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { advanceRollout } from '../../src/features/rollouts/advance-rollout.ts';
import {
  BLOG,
  BLOG_2,
  REFUSING,
  rolloutHelpers,
  SHOP_2,
  siteWith,
} from './support/rollout-helpers.ts';

const fixture = useRunFixture({}, { timing: FREQUENT_POLLS });
const { newSites, start, read, waitForStatus, waitForProofHalt, versionOf, liftAll } =
  rolloutHelpers(fixture);

const shop = () => siteWith({ [SHOP]: {} });
const refusing = () => siteWith({ [SHOP]: REFUSING });

afterEach(liftAll);

const chooseCanaries = (id: number, sites: FixtureSite[], user = fixture.owner) =>
  user.post(`/panel/rollouts/${id}/canaries`, { site_ids: sites.map((site) => site.id) });
const continueWithout = (id: number, reason: string, user = fixture.owner) =>
  user.post(`/panel/rollouts/${id}/continue-without-proof`, { reason });

async function readAudit(action: string, id: number) {
  const records = fixture.panel.db
    .selectFrom('audit_log')
    .select(['actor', 'context'])
    .where('entity_type', '=', 'rollout')
    .where('action', '=', action)
    .where('entity_id', '=', String(id));
  return records.execute();
}

/** A rollout whose canary refuses the update, and two sites without trouble in the next ring. */
async function newWaitingRollout(user = fixture.owner) {
  const sites = await newSites([refusing(), shop(), shop()]);
  const [canary, second, third] = sites as [FixtureSite, FixtureSite, FixtureSite];
  const id = await start(sites, {}, user);
  await waitForProofHalt(id);
  return { id, canary, second, third };
}

describe('POST /panel/rollouts/:id/canaries', () => {
  it('updates the chosen sites first, and the others after their proof', async () => {
    const { id, second, third } = await newWaitingRollout();
    const opened = Promise.withResolvers<void>();
    second.gate.opens = opened.promise;
    const { status, body } = await chooseCanaries(id, [second]);
    expect(status, JSON.stringify(body)).toBe(200);
    expect(body.rollout).toMatchObject({ status: 'running', ring: 0, halt_reason: null });
    expect(body.rollout.rings.map((ring: { sites: number }) => ring.sites)).toEqual([2, 1]);
    await expect.poll(() => second.calls).toContain('update');
    expect(third.calls).toEqual([]);
    opened.resolve();
    const { rollout } = await waitForStatus(id, 'finished');
    expect([second, third].map((site) => versionOf(site))).toEqual(['2.0', '2.0']);
    expect(rollout.rings[0]?.run_ids).toHaveLength(2);
    const [record] = await readAudit('choose_canaries', id);
    expect(record).toMatchObject({
      actor: String(fixture.owner.id),
      context: { ring: 'Canary', sites: 1, site_ids: [second.id], items: 'Shop Kit 2.0' },
    });
  });

  it('halts again if they prove nothing either', async () => {
    const sites = await newSites([refusing(), refusing(), shop()]);
    const id = await start(sites);
    await waitForProofHalt(id);
    await chooseCanaries(id, sites.slice(1, 2));
    await expect.poll(() => sites[1]?.calls).toContain('update');
    await waitForProofHalt(id);
    expect(versionOf(sites[2] as FixtureSite)).toBe('1.0');
  });

  describe('403', () => {
    it('if the user has no access to one of the sites', async () => {
      const manager = await newSignedInUser(fixture.panel, 'manager');
      const sites = await newSites([refusing(), shop(), shop()]);
      const grant = (site: FixtureSite) =>
        fixture.panel.services.siteAccess.grant(manager.id, { siteId: site.id }, OPERATOR);
      for (const site of sites) await grant(site);
      const id = await start(sites, {}, manager);
      await waitForProofHalt(id);
      const [, second, hidden] = sites as [FixtureSite, FixtureSite, FixtureSite];
      await fixture.panel.services.siteAccess.revoke(manager.id, { siteId: hidden.id }, OPERATOR);
      const refused = await chooseCanaries(id, [second, hidden], manager);
      expect([refused.status, refused.body.code]).toEqual([403, 'forbidden']);
      const missing = await manager.post(`/panel/rollouts/${id}/canaries`, {
        site_ids: [9_999_999],
      });
      const { code, error } = refused.body;
      expect([missing.status, missing.body]).toEqual([
        403,
        expect.objectContaining({ code, error }),
      ]);
      expect((await read(id)).rollout.status).toBe('halted');
      expect((await chooseCanaries(id, [second], manager)).status).toBe(200);
      await expect.poll(() => versionOf(second)).toBe('2.0');
      await fixture.owner.post(`/panel/rollouts/${id}/cancel`, {});
    });
  });
});

describe('POST /panel/rollouts/:id/continue-without-proof', () => {
  it('starts the next ring, and records the reason in the audit log and on the rollout', async () => {
    const { id, canary, second, third } = await newWaitingRollout();
    const reason = 'The canary has an old PHP version.';
    expect((await continueWithout(id, `  ${reason} `)).status).toBe(200);
    const { rollout } = await waitForStatus(id, 'finished');
    expect([canary, second, third].map((site) => versionOf(site))).toEqual(['1.0', '2.0', '2.0']);
    expect(rollout.proof_exceptions).toEqual([
      { ring: 0, items: [SHOP_2], reason, by: expect.any(String), at: expect.any(String) },
    ]);
    const [record] = await readAudit('continue_without_proof', id);
    expect(record).toMatchObject({
      actor: String(fixture.owner.id),
      context: { ring: 'Canary', items: 'Shop Kit 2.0', reason },
    });
  });

  it('counts for this ring only', async () => {
    const sites = await newSites([refusing(), refusing(), shop()]);
    const [, second] = sites as [FixtureSite, FixtureSite];
    await fixture.owner.call('PUT', `/panel/sites/${second.id}/tags`, { tags: ['second'] });
    const rings = [
      { name: 'Canary', tag: 'canary' },
      { name: 'Second', tag: 'second' },
      { name: 'Rest' },
    ];
    const id = await start(sites, { rings });
    await waitForProofHalt(id);
    await continueWithout(id, 'The canary is old.');
    await expect.poll(async () => (await read(id)).rollout.ring).toBe(1);
    const { rollout } = await waitForProofHalt(id);
    expect(rollout.halt_reason).toBe('No site of the ring Second installed Shop Kit 2.0.');
  });
});

describe('both decisions are refused', () => {
  let waiting: Awaited<ReturnType<typeof newWaitingRollout>>;
  beforeAll(async () => {
    waiting = await newWaitingRollout();
  });

  async function decide(user = fixture.owner, site = waiting.second) {
    const chosen = await chooseCanaries(waiting.id, [site], user);
    const continued = await continueWithout(waiting.id, 'Why not.', user);
    expect([chosen.status, chosen.body.code]).toEqual([continued.status, continued.body.code]);
    return [chosen.status, chosen.body.code];
  }

  it('403 for viewers', async () => {
    expect(await decide(await newSignedInUser(fixture.panel, 'viewer'))).toEqual([
      403,
      'forbidden',
    ]);
  });

  it('404 for the rollout of another user', async () => {
    const manager = await newSignedInUser(fixture.panel, 'manager');
    expect(await decide(manager)).toEqual([404, 'rollout_not_found']);
  });

  it('400 for canaries that are not in a later ring', async () => {
    const [stranger] = await newSites([shop()], 0);
    for (const site of [waiting.canary, stranger as FixtureSite]) {
      const { status, body } = await chooseCanaries(waiting.id, [site]);
      expect([status, body.code]).toEqual([400, 'invalid_request']);
    }
  });

  it('400 without a reason, or with a long one', async () => {
    for (const reason of ['', '   ', 'x'.repeat(501)]) {
      expect((await continueWithout(waiting.id, reason)).status).toBe(400);
    }
    expect((await read(waiting.id)).rollout.status).toBe('halted');
  });

  it('409 while the version is quarantined, or if the rollout does not wait for proof', async () => {
    const version = { item_type: 'plugin', slug: SHOP, version: '2.0', reason: 'Slow.' };
    await fixture.owner.post('/panel/quarantine', version);
    expect(await decide()).toEqual([409, 'held_version']);
    expect((await read(waiting.id)).rollout.held_versions).toMatchObject([SHOP_2]);
    await fixture.owner.post(`/panel/rollouts/${waiting.id}/cancel`, {});
    expect(await decide()).toEqual([409, 'rollout_not_waiting']);
  });
});

describe('POST /panel/rollouts/:id/resume', () => {
  it('judges again after a retry that succeeded late', async () => {
    const { id, canary, second } = await newWaitingRollout();
    const [runId = 0] = (await read(id)).rollout.rings[0]?.run_ids ?? [];
    const plugin = canary.state.plugins[SHOP];
    delete plugin?.updateFails;
    delete plugin?.failureCode;
    const retry = await fixture.owner.post(`/panel/runs/${runId}/retry`, {});
    expect(retry.status, JSON.stringify(retry.body)).toBe(200);
    await expect.poll(() => versionOf(canary)).toBe('2.0');
    await fixture.waitForRun(retry.body.run_id);
    expect((await read(id)).rollout.status).toBe('halted');
    expect((await fixture.owner.post(`/panel/rollouts/${id}/resume`, {})).status).toBe(200);
    await waitForStatus(id, 'finished');
    expect(versionOf(second)).toBe('2.0');
  });

  it('waits again if nothing changed', async () => {
    const { id, second } = await newWaitingRollout();
    await fixture.owner.post(`/panel/rollouts/${id}/resume`, {});
    await expect.poll(async () => (await readAudit('halt', id)).length).toBe(2);
    await waitForProofHalt(id);
    expect(second.calls).toEqual([]);
  });

  it('also of a split rollout, after a retry of the run of the first one', async () => {
    const sites = await newSites([
      siteWith({ [SHOP]: {}, [BLOG]: REFUSING }),
      siteWith({ [SHOP]: {}, [BLOG]: {} }),
    ]);
    const [canary, other] = sites as [FixtureSite, FixtureSite];
    const id = await start(sites, { items: [SHOP_2, BLOG_2] });
    const { rollout } = await waitForStatus(id, 'finished');
    const [splitId = 0] = rollout.split_into;
    const plugin = canary.state.plugins[BLOG];
    delete plugin?.updateFails;
    delete plugin?.failureCode;
    const retry = await fixture.owner.post(`/panel/runs/${rollout.rings[0]?.run_ids[0]}/retry`, {});
    await fixture.waitForRun(retry.body.run_id);
    expect(versionOf(canary, BLOG)).toBe('2.0');
    expect((await fixture.owner.post(`/panel/rollouts/${splitId}/resume`, {})).status).toBe(200);
    await waitForStatus(splitId, 'finished');
    expect(versionOf(other, BLOG)).toBe('2.0');
  });
});

describe('a rollout that was split', () => {
  it('is split once, however many processes advance it', async () => {
    const sites = await newSites([
      siteWith({ [SHOP]: {}, [BLOG]: REFUSING }),
      siteWith({ [SHOP]: {}, [BLOG]: {} }),
    ]);
    const settings = { soak_minutes: 60 };
    const id = await start(sites, { items: [SHOP_2, BLOG_2], settings });
    await waitForStatus(id, 'soaking');
    const { panel } = fixture;
    const deps = {
      ...panel.services,
      db: panel.db,
      clock: { now: () => panel.fakes.now },
      runs: panel.runs,
      queue: { cancel: async () => {} },
      findWindows: async () => null,
      log: testLogger(),
    };
    await fixture.owner.post(`/panel/rollouts/${id}/end-soak`, {});
    await Promise.all(Array.from({ length: 8 }, () => advanceRollout(id, deps)));
    await expect.poll(async () => (await read(id)).rollout.split_into).toHaveLength(1);
    expect(await readAudit('split', id)).toHaveLength(1);
    const [splitId = 0] = (await read(id)).rollout.split_into;
    expect(await readAudit('halt', splitId)).toHaveLength(1);
    await waitForStatus(id, 'soaking');
    expect((await read(id)).rollout.ring).toBe(1);
  });

  it('lets the canaries of the stopped item be chosen, and be split again', async () => {
    const ORDERS = 'orders/orders.php';
    const orders = { type: 'plugin', slug: ORDERS, version: '2.0', name: 'Orders' };
    const all = { [SHOP]: {}, [BLOG]: {}, [ORDERS]: {} };
    const sites = await newSites([
      siteWith({ ...all, [BLOG]: REFUSING, [ORDERS]: REFUSING }),
      siteWith({ ...all, [ORDERS]: REFUSING }),
      siteWith(all),
    ]);
    const [, second, third] = sites as [FixtureSite, FixtureSite, FixtureSite];
    const id = await start(sites, { items: [SHOP_2, BLOG_2, orders] });
    const { rollout } = await waitForStatus(id, 'finished');
    const [splitId = 0] = rollout.split_into;
    expect((await read(splitId)).rollout.name).toBe('Blog 2.0, Orders 2.0');
    expect((await chooseCanaries(splitId, [second])).status).toBe(200);
    const { rollout: split } = await waitForStatus(splitId, 'finished');
    expect(split.items).toEqual([BLOG_2]);
    expect(versionOf(third, BLOG)).toBe('2.0');
    const { rollout: again } = await read(split.split_into[0] ?? 0);
    expect(again).toMatchObject({ items: [orders], split_from: splitId, ring: 0 });
    expect(again.halt_reason).toBe('No site of the ring Canary installed Orders 2.0.');
    expect(again.rings.map((ring) => ring.sites)).toEqual([2, 1]);
    await continueWithout(again.rollout_id, 'The last site has the right PHP version.');
    await waitForStatus(again.rollout_id, 'finished');
    expect(versionOf(third, ORDERS)).toBe('2.0');
    expect(versionOf(second, ORDERS)).toBe('1.0');
  });
});
