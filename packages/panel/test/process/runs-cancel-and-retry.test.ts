import { type Browser, newSignedInUser } from '@steward/testkit/panel/signed-in-user.ts';
import { OPERATOR } from '@steward/testkit/panel/test-panel.ts';
import { useRunFixture } from '@steward/testkit/panel/use-run-fixture.ts';
import { SHOP } from '@steward/testkit/sites/site-fleet.ts';
import { describe, expect, it } from 'vitest';

const fixture = useRunFixture();

const NIGHTLY = {
  ...{ name: 'Nightly', selection: {}, types: ['plugin'], weekdays: [1], once_on: null },
  ...{ opens_at: '02:00', closes_at: '04:00', time_zone: 'UTC', in_site_zone: false },
  ...{ in_rings: false, enabled: false },
};

describe('cancel and retry', () => {
  it('cancels queued tasks and finishes running ones', async () => {
    const sites = await Promise.all(Array.from({ length: 24 }, () => fixture.newSite()));
    for (const site of sites) site.state.updateMs = 500;
    const runId = await fixture.startUpdate(sites.map(({ id }) => id));
    await expect.poll(() => sites.some(({ calls }) => calls.length > 0)).toBe(true);
    expect((await fixture.owner.post(`/panel/runs/${runId}/cancel`)).status).toBe(200);
    const run = await fixture.waitForRun(runId);
    expect((run.counts.succeeded ?? 0) + (run.counts.cancelled ?? 0)).toBe(24);
    expect(run.counts.cancelled).toBeGreaterThan(0);
    expect(run.cancelled_at).not.toBeNull();
    const called = sites.filter(({ calls }) => calls.includes('update')).length;
    expect(called).toBe(run.counts.succeeded);
  });

  it('ends all jobs of a cancelled run with the first one that a worker fetches', async () => {
    const sites = await Promise.all([fixture.newSite(), fixture.newSite(), fixture.newSite()]);
    const { panel, owner } = fixture;
    const tomorrow = new Date(Date.now() + 86_400_000);
    const windowOf = () => ({ opensAt: tomorrow, closesAt: tomorrow });
    const { body } = await owner.post('/panel/schedules', NIGHTLY);
    const input = {
      kind: 'update' as const,
      siteIds: sites.map(({ id }) => id),
      schedule: { id: body.schedule.schedule_id as number, windowOf },
    };
    const user = { id: owner.id, role: 'owner' as const };
    const runId = await panel.db
      .transaction()
      .execute((trx) => panel.runs.createWithin(trx, user, input, OPERATOR));
    expect((await owner.post(`/panel/runs/${runId}/cancel`)).status).toBe(200);
    const ofRun = `FROM pgboss.job WHERE data->>'runId' = '${runId}'`;
    await panel.pool.query(
      `UPDATE pgboss.job SET start_after = now() WHERE id = (SELECT min(id::text)::uuid ${ofRun})`,
    );
    const countOpen = async () =>
      (await panel.pool.query(`SELECT count(*)::int AS jobs ${ofRun} AND state < 'completed'`))
        .rows[0].jobs;
    await expect.poll(countOpen).toBe(0);
    expect(sites.flatMap(({ calls }) => calls)).not.toContain('update');
  });

  it('retries only unsuccessful sites, as a new run', async () => {
    const [good, bad] = [await fixture.newSite(), await fixture.newSite()];
    bad.state.plugins[SHOP] = { version: '1.0', newVersion: '2.0', updateFails: 'No space left.' };
    const first = await fixture.owner.post('/remote/update', { site_ids: [good.id, bad.id] });
    bad.state.plugins[SHOP] = { version: '1.0', newVersion: '2.0' };
    const second = await fixture.owner.post(`/panel/runs/${first.body.run_id}/retry`);
    expect(second.body).toMatchObject({ retry_of: first.body.run_id, total: 1, success: true });
    expect(second.body.results[0].site_id).toBe(bad.id);
    const third = await fixture.owner.post(`/panel/runs/${second.body.run_id}/retry`);
    expect([third.status, third.body.code]).toEqual([409, 'nothing_to_retry']);
  });
});

describe('a site that was not active', () => {
  it('is retried once its license is valid', async () => {
    const license = await fixture.panel.license({ siteLimit: 1 });
    const site = await fixture.newSite(undefined, license.license_key);
    await fixture.panel.suspend(license.id);
    const { body } = await fixture.owner.post('/remote/update', { site_ids: [site.id] });
    expect(body.results[0]).toMatchObject({ status: 'refused', code: 'site_not_active' });
    await fixture.owner.post(`/panel/licenses/${license.id}/resume`);
    const retried = await fixture.owner.post(`/panel/runs/${body.run_id}/retry`);
    expect(retried.body).toMatchObject({ total: 1, counts: { succeeded: 1 } });
  });
});

/** Creates a run that failed on its only site; a retry would succeed. */
async function createFailedRun(who: Browser & { id: number }) {
  const site = await fixture.newSite();
  await fixture.owner.call('PUT', `/panel/users/${who.id}/access/sites/${site.id}`);
  const update = { version: '1.0', newVersion: '2.0' };
  site.state.plugins[SHOP] = { ...update, updateFails: 'No space left.' };
  const { body } = await who.post('/remote/update', { site_ids: [site.id] });
  expect(body.counts).toEqual({ failed: 1 });
  site.state.plugins[SHOP] = update;
  site.calls.length = 0;
  return { site, runId: body.run_id as number };
}

const retriesOf = (runId: number) =>
  fixture.panel.db.selectFrom('runs').select('id').where('retry_of', '=', runId).execute();

describe('repeated POST /panel/runs/:id/retry', () => {
  it('creates one run for concurrent requests and returns it to all', async () => {
    const { site, runId } = await createFailedRun(fixture.owner);
    const responses = await Promise.all(
      Array.from({ length: 8 }, () => fixture.owner.post(`/panel/runs/${runId}/retry`)),
    );
    const [retry, ...others] = await retriesOf(runId);
    expect(others).toEqual([]);
    for (const { status, body } of responses) {
      expect([status, body.run_id, body.success]).toEqual([200, retry?.id, true]);
    }
    expect(site.calls).toEqual(['update']);
  });

  it('returns the existing retry even after it has finished; that run can be retried', async () => {
    const { site, runId } = await createFailedRun(fixture.owner);
    site.state.plugins[SHOP] = { version: '1.0', newVersion: '2.0', updateFails: 'Still none.' };
    const first = await fixture.owner.post(`/panel/runs/${runId}/retry`);
    expect(first.body.counts).toEqual({ failed: 1 });
    const second = await fixture.owner.post(`/panel/runs/${runId}/retry`);
    expect(second.body.run_id).toBe(first.body.run_id);
    expect(site.calls).toEqual(['update']);
    const third = await fixture.owner.post(`/panel/runs/${first.body.run_id}/retry`);
    expect(third.body).toMatchObject({ retry_of: first.body.run_id, counts: { failed: 1 } });
  });

  it('responds 409 run_already_retried if an owner retried first and the user cannot view that run', async () => {
    const manager = await newSignedInUser(fixture.panel, 'manager');
    const { runId } = await createFailedRun(manager);
    expect((await fixture.owner.post(`/panel/runs/${runId}/retry`)).status).toBe(200);
    const late = await manager.post(`/panel/runs/${runId}/retry`);
    expect([late.status, late.body.code]).toEqual([409, 'run_already_retried']);
    expect(await retriesOf(runId)).toHaveLength(1);
    const { body } = await manager.get(`/panel/runs/${runId}`);
    expect(body).toMatchObject({ is_retried: true, retried_by: null });
  });

  it('shows the retry in the original run and in the list', async () => {
    const { runId } = await createFailedRun(fixture.owner);
    const seen = async () => {
      const { runs } = (await fixture.owner.get('/panel/runs')).body;
      const listed = runs.find(({ run_id }: { run_id: number }) => run_id === runId);
      const { body } = await fixture.owner.get(`/panel/runs/${runId}`);
      return [listed, body].map(({ is_retried, retried_by }) => [is_retried, retried_by]);
    };
    expect(await seen()).toEqual(Array(2).fill([false, null]));
    const { body } = await fixture.owner.post(`/panel/runs/${runId}/retry`);
    expect(await seen()).toEqual(Array(2).fill([true, body.run_id]));
    expect(body).toMatchObject({ is_retried: false, retried_by: null });
  });
});
