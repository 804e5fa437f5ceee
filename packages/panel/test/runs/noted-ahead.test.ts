import { SHORT_PAUSES } from '@steward/testkit/panel/test-panel.ts';
import { type RunScene, useRunScene } from '@steward/testkit/panel/use-run-scene.ts';
import { someAtATime } from '@steward/testkit/sites/site-fleet.ts';
import { describe, expect, it } from 'vitest';

const QUICK = 60;
const SLOW = 60;
const siteTimeouts = { connectSeconds: 2, actionSeconds: 120, updateSeconds: 120 };
const siteCallLimits = { total: 30, perAddress: 500 };

/** Sites that answer at once, then some that take long: whoever was noted ahead waits for them. */
async function startUntilAllWait(scene: RunScene) {
  const worker = await scene.panel.startWorker();
  const sites = await someAtATime(QUICK + SLOW, () => scene.newSite());
  for (const site of sites.slice(QUICK)) site.state.updateMs = 60_000;
  const runId = await scene.startUpdate(sites.map(({ id }) => id));
  await expect
    .poll(() => sites.slice(QUICK).filter(({ calls }) => calls.length > 0).length, {
      timeout: 60_000,
    })
    .toBeGreaterThan(20);
  const sitesWith = async (which: 'called' | 'cancelled') => {
    const tasks = scene.panel.db.selectFrom('run_tasks').where('run_id', '=', runId);
    const chosen =
      which === 'called'
        ? tasks.where('called_at', 'is not', null)
        : tasks.where('status', '=', 'cancelled');
    const rows = await chosen.select('site_id').orderBy('site_id').execute();
    return rows.map(({ site_id }) => site_id);
  };
  const thatWere = (called: boolean) =>
    sites
      .filter(({ calls }) => calls.length > 0 === called)
      .map(({ id }) => id)
      .sort((one, other) => one - other);
  return { worker, runId, sitesWith, thatWere };
}

describe('calls that were noted ahead of their slots, which did not come', () => {
  const scene = useRunScene({ siteTimeouts, siteCallLimits }, { works: false });

  it('are cancelled with all others that were not made', async () => {
    const { worker, runId, sitesWith, thatWere } = await startUntilAllWait(scene);
    await scene.owner.post(`/panel/runs/${runId}/cancel`);
    const neither = async () => {
      const cancelled = await sitesWith('cancelled');
      return thatWere(false).filter((id) => !cancelled.includes(id));
    };
    await expect.poll(neither, { timeout: 10_000 }).toEqual([]);
    const cancelled = await sitesWith('cancelled');
    expect(thatWere(true).filter((id) => cancelled.includes(id))).toEqual([]);
    expect(await sitesWith('called')).toEqual(thatWere(true));
    await worker.stop();
  });

  it('are not noted any more when the worker has stopped', async () => {
    const { worker, sitesWith, thatWere } = await startUntilAllWait(scene);
    await worker.stop();
    expect(await sitesWith('called')).toEqual(thatWere(true));
  });
});

describe('calls that were noted and could not be made when the worker stops', () => {
  const scene = useRunScene({ siteTimeouts, siteCallLimits }, { works: false });

  it('are not noted any more: whoever comes next makes them', async () => {
    const worker = await scene.panel.startWorker({ ...SHORT_PAUSES, connect: [600] });
    const sites = await someAtATime(40, () => scene.newSite());
    for (const { id } of sites) await scene.pointElsewhere(id, `http://127.0.0.1:1/${id}`);
    const runId = await scene.startUpdate(sites.map(({ id }) => id));
    const noted = async () => {
      const tasks = scene.panel.db.selectFrom('run_tasks').where('run_id', '=', runId);
      return (await tasks.where('called_at', 'is not', null).select('id').execute()).length;
    };
    await expect.poll(noted, { timeout: 30_000 }).toBe(40);
    await worker.stop();
    expect(await noted()).toBe(0);

    for (const { id, siteUrl } of sites) await scene.pointElsewhere(id, siteUrl);
    await scene.panel.startWorker();
    expect((await scene.finished(runId)).counts).toEqual({ succeeded: 40 });
    expect(sites.map(({ calls }) => calls)).toEqual(sites.map(() => ['update']));
  });
});
