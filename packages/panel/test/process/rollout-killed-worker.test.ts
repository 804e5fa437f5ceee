import { expect, it } from 'vitest';
import { type KilledRollout, startKilledRollout } from './support/killed-rollout.ts';

const LONG = { timeout: 600_000 };

it('a rollout survives a kill at each step, and announces its halt once', LONG, async () => {
  const sites = 8;
  // One call at a time, so that a kill loses at most one call.
  const rollout = await startKilledRollout({ sites, callsAtOnce: 1, soakMinutes: 60 });
  const { inbox, owner, path } = rollout;

  // No worker runs yet: the rollout exists, and its first ring has no run.
  await rollout.blockRunCreation(async () => {
    await rollout.startWorker();
    await rollout.waitForBlockedProcess();
    await rollout.killWorker();
  });
  // The run exists, and no site was called.
  await rollout.blockAdmission(async () => {
    await rollout.startWorker();
    await expect.poll(rollout.countRuns, rollout.SOON).toBe(1);
    await rollout.waitForBlockedProcess();
    await rollout.killWorker();
  });
  expect(rollout.callOrder).toEqual([]);
  // A site updates itself.
  const updating = rollout.slowDown(rollout.idsOfRing(0)[0]);
  await rollout.startWorker();
  await updating;
  await rollout.killAndRestart();
  // The soak time.
  await rollout.waitForStatus('soaking');
  await rollout.killAndRestart();
  expect(await rollout.readStatus()).toBe('soaking');
  // The next ring is due, and has no run.
  const [, broken] = rollout.idsOfRing(1);
  rollout.breakSite(broken);
  await rollout.blockRunCreation(async () => {
    await owner.ask('POST', `${path}/end-soak`, {});
    await expect.poll(rollout.readRing, rollout.SOON).toBe(1);
    await rollout.waitForBlockedProcess();
    await rollout.killWorker();
  });
  // The rollout is halted, and no message was sent.
  inbox.hang();
  await rollout.blockMessages(async () => {
    await rollout.startWorker();
    await rollout.waitForStatus('halted');
    // The next site may have been called before the halt. A kill that loses this call would cause another trouble.
    await rollout.waitForFinishedRuns();
    await rollout.waitForBlockedProcess();
    await rollout.killWorker();
  });
  expect(inbox.webhooks()).toEqual([]);
  await rollout.startWorker();
  // A message was sent, and the receiver has not responded.
  await expect.poll(() => inbox.webhooks().length, rollout.SOON).toBeGreaterThan(0);
  await rollout.killWorker();
  inbox.respond();
  await rollout.retryMessagesSoon();
  await rollout.startWorker();
  await rollout.expectEachHaltAnnouncedOnce(1);
  expect(rollout.callOrder).not.toContain(2);
  // A resume, before its run exists.
  await rollout.liftQuarantine();
  await rollout.blockRunCreation(async () => {
    await owner.ask('POST', `${path}/resume`, {});
    await rollout.waitForBlockedProcess();
    await rollout.killWorker();
  });
  await rollout.startWorker();
  for (const ring of [1, 2]) {
    await expect.poll(rollout.readRing, rollout.SOON).toBe(ring);
    await rollout.waitForStatus('soaking');
    await owner.ask('POST', `${path}/end-soak`, {});
  }
  await rollout.waitForStatus('finished');

  await rollout.expectConsistent();
  const shown = await rollout.read();
  const states = new Map(shown.sites.map(({ site_id, state }) => [site_id, state]));
  expect(states.get(broken ?? 0)).toBe('troubled');
  states.delete(broken ?? 0);
  expect([...states.values()]).toEqual(Array(sites - 1).fill('updated'));
  await rollout.expectEachHaltAnnouncedOnce(1);
});

const SEED = 17;
const KILLS = 4;
/** A site takes three steps: its call is dispatched, received and ended. */
const MAX_STEPS = 8;

it('a rollout survives kills after a random number of steps', LONG, async () => {
  const rollout = await startKilledRollout({ sites: 12, callsAtOnce: 3, soakMinutes: 0 });
  rollout.breakSite(rollout.idsOfRing(2).at(-1));
  const random = createRandom(SEED);
  await rollout.startWorker();
  for (let kill = 0; kill < KILLS; kill++) {
    await rollout.waitForSteps(1 + Math.floor(random() * MAX_STEPS));
    // A lost call counts as trouble, so a kill can halt the rollout.
    if ((await rollout.readStatus()) === 'halted') await resume(rollout);
    await rollout.killAndRestart();
  }
  await rollout.waitUntilOver();
  await rollout.waitForFinishedRuns();
  await rollout.expectConsistent();
  await rollout.retryMessagesSoon();
  await rollout.expectEachHaltAnnouncedOnce(await rollout.countHalts());
});

async function resume(rollout: KilledRollout): Promise<void> {
  // Calls that the kills lost end after the halt. Their trouble would quarantine the version again.
  await rollout.waitForFinishedRuns();
  await rollout.liftQuarantine();
  await rollout.owner.ask('POST', `${rollout.path}/resume`, {});
}

/** The generator mulberry32: the same numbers for the same seed. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
