import { setTimeout as sleep } from 'node:timers/promises';
import { testLogger } from '@steward/testkit/logs.ts';
import { useRunFixture } from '@steward/testkit/panel/use-run-fixture.ts';
import { SHOP } from '@steward/testkit/sites/site-fleet.ts';
import { expect, it } from 'vitest';
import { advanceRollout } from '../../src/features/rollouts/advance-rollout.ts';

// Without a worker: only this test advances rollouts, and their tasks stay queued.
const fixture = useRunFixture({}, { startsWorker: false });

const ITEM = { type: 'plugin', slug: SHOP, version: '2.0' };
const PROCESSES = 8;

it('starts a ring once and waits for it, however many processes advance the rollout', async () => {
  const { panel, owner } = fixture;
  const ids = [];
  for (let count = 0; count < 4; count++) ids.push((await fixture.newSite()).id);
  const deps = {
    ...panel.services,
    db: panel.db,
    clock: { now: () => panel.fakes.now },
    runs: panel.runs,
    queue: { cancel: async () => {} },
    findWindows: async () => null,
    log: testLogger(),
  };
  for (let round = 0; round < 5; round++) {
    const rings = [{ name: 'Half', percent: 50 }, { name: 'Rest' }];
    const settings = { soak_minutes: 0 };
    const request = { site_ids: ids, items: [ITEM], rings, settings };
    const { body } = await owner.post('/panel/rollouts', request);
    const id = body.rollout.rollout_id;
    // Start them one after another, so that some read the rollout while another one starts the ring.
    const advances = Array.from({ length: PROCESSES }, async (_, index) => {
      await sleep(index * 3);
      await advanceRollout(id, deps);
    });
    await Promise.all(advances);
    const { rollout } = (await owner.get(`/panel/rollouts/${id}`)).body;
    expect(rollout).toMatchObject({ status: 'running', ring: 0 });
    const runIds = rollout.rings.map((ring: { run_ids: number[] }) => ring.run_ids.length);
    expect(runIds).toEqual([1, 0]);
  }
});
