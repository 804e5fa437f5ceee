import { describe, expect, it } from 'vitest';
import { type Browser, newPerson } from './support/people.ts';
import { useRunScene } from './support/run-scene.ts';
import { SHOP } from './support/site-fleet.ts';

const scene = useRunScene();

/** A run that has failed on its only site, which would succeed now. */
async function failedRun(who: Browser & { id: number }) {
  const site = await scene.newSite();
  await scene.owner.call('PUT', `/panel/users/${who.id}/access/sites/${site.id}`);
  const update = { version: '1.0', newVersion: '2.0' };
  site.state.plugins[SHOP] = { ...update, updateFails: 'No space left.' };
  const { body } = await who.post('/remote/update', { site_ids: [site.id] });
  expect(body.counts).toEqual({ failed: 1 });
  site.state.plugins[SHOP] = update;
  site.calls.length = 0;
  return { site, runId: body.run_id as number };
}

const retriesOf = (runId: number) =>
  scene.panel.db.selectFrom('runs').select('id').where('retry_of', '=', runId).execute();

describe('POST /panel/runs/:id/retry, more than once', () => {
  it('makes one run, however many ask at the same moment, and answers all with it', async () => {
    const { site, runId } = await failedRun(scene.owner);
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => scene.owner.post(`/panel/runs/${runId}/retry`)),
    );
    const [retry, ...others] = await retriesOf(runId);
    expect(others).toEqual([]);
    for (const { status, body } of answers) {
      expect([status, body.run_id, body.success]).toEqual([200, retry?.id, true]);
    }
    expect(site.calls).toEqual(['update']);
  });

  it('answers with the run there is also when that has long ended, and goes on from it', async () => {
    const { site, runId } = await failedRun(scene.owner);
    site.state.plugins[SHOP] = { version: '1.0', newVersion: '2.0', updateFails: 'Still none.' };
    const first = await scene.owner.post(`/panel/runs/${runId}/retry`);
    expect(first.body.counts).toEqual({ failed: 1 });
    const second = await scene.owner.post(`/panel/runs/${runId}/retry`);
    expect(second.body.run_id).toBe(first.body.run_id);
    expect(site.calls).toEqual(['update']);
    const third = await scene.owner.post(`/panel/runs/${first.body.run_id}/retry`);
    expect(third.body).toMatchObject({ retry_of: first.body.run_id, counts: { failed: 1 } });
  });

  it('409 run_already_retried: an owner was first, and their runs are not shown', async () => {
    const manager = await newPerson(scene.panel, 'manager');
    const { runId } = await failedRun(manager);
    expect((await scene.owner.post(`/panel/runs/${runId}/retry`)).status).toBe(200);
    const late = await manager.post(`/panel/runs/${runId}/retry`);
    expect([late.status, late.body.code]).toEqual([409, 'run_already_retried']);
    expect(await retriesOf(runId)).toHaveLength(1);
  });
});
