import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  countMessages,
  expectNotifiedOnce,
  expectOnlyCalledRingsChanged,
  expectVersionHeld,
  itemOf,
  type ShownRollout,
  waitForStatus,
} from './support/expect-halted.ts';
import { type FleetMember, type RolloutFleet, startRolloutFleet } from './support/rollout-fleet.ts';

const LONG = { timeout: 400_000 };
const RINGS = [
  { name: 'Canary', tag: 'canary' },
  { name: 'Tenth', percent: 10 },
  { name: 'Others' },
];
/** The limit is 25 % of the five sites in the ring "Tenth": one broken site is accepted, two halt the rollout. */
const SETTINGS = { soak_minutes: 60, later_max_troubled_percent: 25 };

let fleet: RolloutFleet;
beforeAll(async () => {
  fleet = await startRolloutFleet();
}, 400_000);
afterAll(() => fleet?.stop());

const select = (kind: FleetMember['kind']) => fleet.members.filter((each) => each.kind === kind);

/** Replaces the sites with the tag `canary`. */
async function setCanaries(canaries: FleetMember[]): Promise<void> {
  for (const member of fleet.members) {
    const tags = canaries.includes(member) ? ['canary'] : [];
    await fleet.owner.ask('PUT', `/panel/sites/${member.siteId}/tags`, { tags });
  }
}

/** Makes candidates fragile, until a quarter of all sites is. */
async function breakQuarter(candidates: FleetMember[]): Promise<void> {
  const missing =
    fleet.members.length / 4 - fleet.members.filter(({ isFragile }) => isFragile).length;
  for (const member of candidates.slice(0, missing)) await member.setFragile();
  expect(fleet.members.filter(({ isFragile }) => isFragile)).toHaveLength(11);
}

async function startRollout(plugin: string, settings: object): Promise<number> {
  const { rollout } = await fleet.owner.ask<ShownRollout>('POST', '/panel/rollouts', {
    name: `Update of ${plugin}`,
    site_ids: fleet.members.map(({ siteId }) => siteId),
    items: [itemOf(plugin)],
    rings: RINGS,
    settings,
  });
  return rollout.rollout_id;
}

/** Breaks two sites of the second ring and a quarter of the fleet, after the canaries were updated. */
async function breakLaterRings({ sites }: ShownRollout): Promise<void> {
  const inRing = (ring: number) =>
    sites
      .filter((site) => site.ring === ring)
      .map(({ site_id }) => fleet.memberOf(site_id))
      .filter(({ kind }) => kind === 'memory');
  for (const member of inRing(1).slice(0, 2)) await member.setFragile();
  await breakQuarter(inRing(2));
}

async function expectHalted(plugin: string, shown: ShownRollout): Promise<void> {
  await expectOnlyCalledRingsChanged(fleet, plugin, shown);
  await expectNotifiedOnce(fleet, plugin, shown);
  const messages = countMessages(fleet);
  await expectVersionHeld(fleet, plugin, shown);
  // The refused attempts called no site and caused no further message.
  await expectOnlyCalledRingsChanged(fleet, plugin, shown);
  expect(countMessages(fleet)).toBe(messages);
}

it(
  'halts in the first ring after a fatal error on a real site, and never touches the other sites',
  LONG,
  async () => {
    await fleet.offerToAll('shop');
    const [fragile, good] = select('wordpress');
    if (!fragile || !good) throw new Error('The fleet has no WordPress sites.');
    const memory = select('memory');
    await fragile.setFragile();
    await breakQuarter(memory.slice(5));
    await setCanaries([fragile, good, ...memory.slice(0, 3)]);

    const id = await startRollout('shop', {});
    const halted = await waitForStatus(fleet, id, 'halted');
    await waitUntilCallsEnded(id);
    expect(halted.rollout.ring).toBe(0);
    expect(halted.rollout.halt_reason).toContain('1 site in the ring "Canary"');
    expect(halted.rollout.halt_reason).toContain('no_such_function');
    const shown = await waitForStatus(fleet, id, 'halted');
    const broken = shown.sites.find(({ site_id }) => site_id === fragile.siteId);
    expect(broken).toMatchObject({ state: 'troubled', is_rolled_back: true });
    await expectHalted('shop', shown);
  },
);

it(
  'passes the first ring and halts in the second one, over the configured limit, also if the worker and the panel are killed during a call and before the messages arrive',
  LONG,
  async () => {
    await fleet.offerToAll('gallery');
    const [, canary] = select('wordpress');
    if (!canary) throw new Error('The fleet has no WordPress sites.');
    await setCanaries([canary]);
    const id = await startRollout('gallery', SETTINGS);
    await expect.poll(canary.calls, { timeout: 60_000, interval: 50 }).toEqual(['update']);
    await fleet.killAndRestart();
    const soaking = await waitForStatus(fleet, id, 'soaking');
    expect(soaking.rollout.rings[0]?.counts).toMatchObject({ updated: 1 });
    await breakLaterRings(soaking);

    const before = fleet.inbox.webhooks().length;
    fleet.inbox.hang();
    await fleet.owner.ask('POST', `/panel/rollouts/${id}/end-soak`, {});
    await expect
      .poll(() => fleet.inbox.webhooks().length, { timeout: 60_000 })
      .toBeGreaterThan(before);
    await fleet.killAndRestart(async () => {
      fleet.inbox.respond();
      // The first retry would follow after a minute.
      const soon = "UPDATE pgboss.job SET retry_delay = 1 WHERE name = 'notifications'";
      await fleet.database.pool.query(soon);
    });
    await waitForStatus(fleet, id, 'halted');
    await waitUntilCallsEnded(id);
    const shown = await waitForStatus(fleet, id, 'halted');
    expect(shown.rollout.ring).toBe(1);
    expect(shown.rollout.halt_reason).toContain('2 sites in the ring "Tenth"');
    await expectHalted('gallery', shown);
  },
);

/** Calls in flight finish after the halt. */
async function waitUntilCallsEnded(id: number): Promise<void> {
  const count = async () => {
    const { sites } = await fleet.owner.ask<ShownRollout>('GET', `/panel/rollouts/${id}`);
    return sites.filter(({ state }) => state === 'updating').length;
  };
  await expect.poll(count, { timeout: 120_000 }).toBe(0);
}
