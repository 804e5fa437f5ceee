import { type Browser, newPerson } from '@steward/testkit/panel/people.ts';
import { useRunScene } from '@steward/testkit/panel/use-run-scene.ts';
import { SHOP } from '@steward/testkit/sites/site-fleet.ts';
import { describe, expect, it } from 'vitest';

const scene = useRunScene();

describe('cancel and retry', () => {
  it('ends what has not begun, and finishes what has', async () => {
    const sites = await Promise.all(Array.from({ length: 40 }, () => scene.newSite()));
    for (const site of sites) site.state.updateMs = 500;
    const runId = await scene.startUpdate(sites.map(({ id }) => id));
    await expect.poll(() => sites.some(({ calls }) => calls.length > 0)).toBe(true);
    expect((await scene.owner.post(`/panel/runs/${runId}/cancel`)).status).toBe(200);
    const run = await scene.finished(runId);
    expect((run.counts.succeeded ?? 0) + (run.counts.cancelled ?? 0)).toBe(40);
    expect(run.counts.cancelled).toBeGreaterThan(0);
    expect(run.cancelled_at).not.toBeNull();
    const called = sites.filter(({ calls }) => calls.includes('update')).length;
    expect(called).toBe(run.counts.succeeded);
  });

  it('tries again only where something is left to do, as a new run', async () => {
    const [good, bad] = [await scene.newSite(), await scene.newSite()];
    bad.state.plugins[SHOP] = { version: '1.0', newVersion: '2.0', updateFails: 'No space left.' };
    const first = await scene.owner.post('/remote/update', { site_ids: [good.id, bad.id] });
    bad.state.plugins[SHOP] = { version: '1.0', newVersion: '2.0' };
    const second = await scene.owner.post(`/panel/runs/${first.body.run_id}/retry`);
    expect(second.body).toMatchObject({ retry_of: first.body.run_id, total: 1, success: true });
    expect(second.body.results[0].site_id).toBe(bad.id);
    const third = await scene.owner.post(`/panel/runs/${second.body.run_id}/retry`);
    expect([third.status, third.body.code]).toEqual([409, 'nothing_to_retry']);
  });
});

describe('a site that was not active', () => {
  it('is tried again once its license is valid', async () => {
    const license = await scene.panel.license({ siteLimit: 1 });
    const site = await scene.newSite(undefined, license.license_key);
    await scene.panel.suspend(license.id);
    const { body } = await scene.owner.post('/remote/update', { site_ids: [site.id] });
    expect(body.results[0]).toMatchObject({ status: 'refused', code: 'site_not_active' });
    await scene.owner.post(`/panel/licenses/${license.id}/resume`);
    const again = await scene.owner.post(`/panel/runs/${body.run_id}/retry`);
    expect(again.body).toMatchObject({ total: 1, counts: { succeeded: 1 } });
  });
});

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
    const { body } = await manager.get(`/panel/runs/${runId}`);
    expect(body).toMatchObject({ is_retried: true, retried_by: null });
  });

  it('is seen of the run that was tried again, in its page and in the list', async () => {
    const { runId } = await failedRun(scene.owner);
    const seen = async () => {
      const { runs } = (await scene.owner.get('/panel/runs')).body;
      const listed = runs.find(({ run_id }: { run_id: number }) => run_id === runId);
      const { body } = await scene.owner.get(`/panel/runs/${runId}`);
      return [listed, body].map(({ is_retried, retried_by }) => [is_retried, retried_by]);
    };
    expect(await seen()).toEqual(Array(2).fill([false, null]));
    const { body } = await scene.owner.post(`/panel/runs/${runId}/retry`);
    expect(await seen()).toEqual(Array(2).fill([true, body.run_id]));
    expect(body).toMatchObject({ is_retried: false, retried_by: null });
  });
});
