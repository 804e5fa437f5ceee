import { describe, expect, it } from 'vitest';
import { claimTasks } from '../src/features/runs/worker/claim.ts';
import { openQueue } from '../src/lib/queue.ts';
import { testLogger } from './support/logs.ts';
import { useRunScene } from './support/run-scene.ts';

const scene = useRunScene({}, { works: false });

describe('a worker that stood still until others took its jobs', () => {
  it('cannot claim a task that it had only in its hands, nor take it from who does it', async () => {
    const { panel } = scene;
    const queue = await openQueue({ ...panel, log: testLogger(), supervises: false });
    const deps = {
      ...panel.services,
      db: panel.db,
      queue,
      clock: { now: () => panel.edges.now },
      log: testLogger(),
      isRunning: () => true,
    };
    const site = await scene.newSite();
    const runId = await scene.startUpdate([site.id]);
    const old = await queue.take(1);
    await queue.giveBack(old);
    const current = await queue.take(1);

    const nothing = { begun: [], later: [] };
    expect(await claimTasks(old, { ...deps, worker: 'old' })).toEqual(nothing);
    expect(await scene.task(runId, site.id)).toMatchObject({ status: 'queued', attempt: 0 });

    const { begun } = await claimTasks(current, { ...deps, worker: 'current' });
    expect(begun).toHaveLength(1);
    expect(await claimTasks(old, { ...deps, worker: 'old' })).toEqual(nothing);
    expect(await scene.task(runId, site.id)).toMatchObject({ status: 'running', attempt: 1 });
    await queue.close();
  });
});
