import { newSignedInUser } from '@steward/testkit/panel/signed-in-user.ts';
import { OPERATOR } from '@steward/testkit/panel/test-panel.ts';
import { useRunFixture } from '@steward/testkit/panel/use-run-fixture.ts';
import { describe, expect, it } from 'vitest';

/** Without a worker, tasks stay queued. */
const fixture = useRunFixture({}, { startsWorker: false });

async function createManagerWithRun() {
  const manager = await newSignedInUser(fixture.panel, 'manager');
  const sites = [await fixture.newSite(), await fixture.newSite()];
  for (const { id } of sites) {
    await fixture.owner.call('PUT', `/panel/users/${manager.id}/access/sites/${id}`);
  }
  const siteIds = sites.map(({ id }) => id);
  return { manager, siteIds, runId: await fixture.startUpdate(siteIds, manager) };
}

const disable = (id: number) =>
  fixture.owner.call('PATCH', `/panel/users/${id}`, { disabled: true });

const recordsOf = (runId: number) =>
  fixture.panel.db
    .selectFrom('audit_log')
    .select(['actor', 'action', 'context'])
    .where('entity_type', '=', 'run')
    .where('entity_id', '=', String(runId))
    .where('action', '=', 'cancel')
    .execute();

describe('disabling a user', () => {
  it('cancels their queued tasks, with an audit record for the run and each site', async () => {
    const { manager, siteIds, runId } = await createManagerWithRun();
    expect((await disable(manager.id)).status).toBe(200);
    expect(await fixture.waitForRun(runId)).toMatchObject({
      counts: { cancelled: 2 },
      cancelled_at: expect.any(String),
    });
    const actor = String(fixture.owner.id);
    expect(await recordsOf(runId)).toMatchObject([
      { actor, context: { cancelled: 2, reason: 'user_disabled' } },
    ]);
    for (const siteId of siteIds) {
      expect(await fixture.readAudit(siteId, 'remote_update')).toMatchObject([
        { actor, context: { outcome: 'cancelled' } },
      ]);
    }
    const { records } = (await fixture.owner.get('/panel/audit?action=disable&limit=1')).body;
    expect(records).toMatchObject([{ context: { tasks_cancelled: 2 } }]);
  });

  it('lets a dispatched call finish and cancels the rest', async () => {
    const { manager, siteIds, runId } = await createManagerWithRun();
    const [called = 0, queued = 0] = siteIds;
    await fixture.panel.db
      .updateTable('run_tasks')
      .set({ status: 'running', dispatched_at: new Date() })
      .where('run_id', '=', runId)
      .where('site_id', '=', called)
      .execute();
    await disable(manager.id);
    expect(await fixture.task(runId, called)).toMatchObject({
      status: 'running',
      finished_at: null,
    });
    expect(await fixture.task(runId, queued)).toMatchObject({ status: 'cancelled' });
  });

  it('cancels their tasks from the command line too, but not the tasks of other users', async () => {
    const [one, other] = [await createManagerWithRun(), await createManagerWithRun()];
    await fixture.panel.services.users.update(one.manager.id, { disabled: true }, OPERATOR);
    expect((await fixture.waitForRun(one.runId)).counts).toEqual({ cancelled: 2 });
    const { body } = await fixture.owner.get(`/panel/runs/${other.runId}`);
    expect([body.status, body.counts]).toEqual(['running', { queued: 2 }]);
    expect(await recordsOf(other.runId)).toEqual([]);
  });

  it('rejects a run that they requested just before', async () => {
    const { manager, siteIds } = await createManagerWithRun();
    await disable(manager.id);
    // The session was authenticated before the user was disabled.
    const user = { id: manager.id, role: 'manager' } as const;
    const input = { kind: 'update', siteIds } as const;
    await expect(fixture.panel.runs.create(user, input, OPERATOR)).rejects.toMatchObject({
      code: 'account_disabled',
    });
  });
});
