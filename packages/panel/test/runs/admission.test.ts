import { useRunFixture } from '@steward/testkit/panel/use-run-fixture.ts';
import { beforeEach, describe, expect, it } from 'vitest';
import { claimSites } from '../../src/features/runs/worker/site-calls.repository.ts';

const fixture = useRunFixture({}, { startsWorker: false });

/** Returns the ids of queued tasks, each in a run of its own, one per site. */
async function newTasks(count: number, siteId?: number): Promise<number[]> {
  const ids: number[] = [];
  for (let index = 0; index < count; index++) {
    const site = siteId ?? (await fixture.newSite()).id;
    ids.push((await fixture.task(await fixture.startUpdate([site]), site)).id);
  }
  return ids;
}

/** Claims in one transaction, and returns the ids of the admitted tasks. */
async function claim(taskIds: number[], { address = '192.0.2.1', perAddress = 2 } = {}) {
  const wanted = taskIds.map((taskId) => ({ taskId, address }));
  const { db } = fixture.panel;
  const claims = await db.transaction().execute((trx) => claimSites(trx, wanted, perAddress));
  return taskIds.filter((id) => claims.get(id)?.isAdmitted);
}

describe('claimSites', () => {
  beforeEach(() => fixture.panel.pool.query('DELETE FROM site_calls'));

  it('admits as many tasks to an address as its limit allows, in their order', async () => {
    const tasks = await newTasks(3);
    expect(await claim(tasks)).toEqual(tasks.slice(0, 2));
    expect(await claim(tasks.slice(2))).toEqual([]);
    expect(await claim(tasks.slice(2), { address: '192.0.2.2' })).toEqual(tasks.slice(2));
  });

  it('never exceeds the limit of an address in concurrent transactions', async () => {
    const tasks = await newTasks(12);
    const admitted = await Promise.all(tasks.map((id) => claim([id])));
    expect(admitted.flat()).toHaveLength(2);
    const { rows } = await fixture.panel.pool.query('SELECT task_id FROM site_calls');
    expect(rows).toHaveLength(2);
  });

  it('admits one task to a site, also from two addresses at the same time', async () => {
    const { id: site } = await fixture.newSite();
    const tasks = await newTasks(6, site);
    const claims = tasks.map((id, index) => claim([id], { address: `192.0.2.${index}` }));
    const admitted = (await Promise.all(claims)).flat();
    expect(admitted).toHaveLength(1);
    expect(await claim(admitted)).toEqual(admitted);
  });

  it('tells a blocked site from an address at its limit', async () => {
    const { id: site } = await fixture.newSite();
    const [first = 0, second = 0] = await newTasks(2, site);
    const [other = 0] = await newTasks(1);
    await claim([first], { perAddress: 1 });
    const wanted = [second, other].map((taskId) => ({ taskId, address: '192.0.2.1' }));
    const { db } = fixture.panel;
    const claims = await db.transaction().execute((trx) => claimSites(trx, wanted, 1));
    expect(claims.get(second)).toEqual({ isAdmitted: false, isSiteBlocked: true });
    expect(claims.get(other)).toEqual({ isAdmitted: false, isSiteBlocked: false });
  });

  it('admits no task that a cancel ends at the same time', async () => {
    const [task = 0] = await newTasks(1);
    const { db } = fixture.panel;
    await db.transaction().execute(async (cancelling) => {
      const changed = cancelling.updateTable('run_tasks').set({ finished_at: new Date() });
      await changed.where('id', '=', task).execute();
      expect(await claim([task])).toEqual([]);
    });
    expect(await claim([task])).toEqual([]);
  });
});
