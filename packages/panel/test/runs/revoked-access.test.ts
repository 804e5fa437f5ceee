import { newSignedInUser } from '@steward/testkit/panel/signed-in-user.ts';
import { RARE_POLLS } from '@steward/testkit/panel/test-panel.ts';
import { useRunFixture } from '@steward/testkit/panel/use-run-fixture.ts';
import { SHOP } from '@steward/testkit/sites/site-fleet.ts';
import { describe, expect, it } from 'vitest';

const fixture = useRunFixture({}, { timing: RARE_POLLS });

/** Creates a run that failed on one site and succeeded on another; its manager then lost access to the first. */
async function createRunWithLostSite() {
  const manager = await newSignedInUser(fixture.panel, 'manager');
  const [lost, kept] = [await fixture.newSite(), await fixture.newSite()];
  lost.state.plugins[SHOP] = { version: '1.0', newVersion: '2.0', updateFails: 'No space left.' };
  const access = (id: number) => `/panel/users/${manager.id}/access/sites/${id}`;
  for (const { id } of [lost, kept]) await fixture.owner.call('PUT', access(id));
  const { body } = await manager.post('/remote/update', { site_ids: [lost.id, kept.id] });
  expect(body.counts).toEqual({ failed: 1, succeeded: 1 });
  await fixture.owner.call('DELETE', access(lost.id));
  return { manager, lost, kept, runId: body.run_id as number };
}

const MASKED = { refused: 1, succeeded: 1 };

describe('a run on a site that its user can no longer access', () => {
  it('counts the site as refused in the run, the list and the events', async () => {
    const { manager, runId } = await createRunWithLostSite();
    expect((await manager.get(`/panel/runs/${runId}`)).body.counts).toEqual(MASKED);
    const { runs } = (await manager.get('/panel/runs')).body;
    expect(runs[0]).toMatchObject({ run_id: runId, counts: MASKED, total: 2 });
    const { run } = await fixture.panel.runs.listChanges({ ...manager, role: 'manager' }, runId, 0);
    expect(run.counts).toEqual(MASKED);
    const seenByOwner = await fixture.owner.get(`/panel/runs/${runId}`);
    expect(seenByOwner.body.counts).toEqual({ failed: 1, succeeded: 1 });
  });

  it('reveals neither the result nor the time through a filter', async () => {
    const { manager, lost, runId } = await createRunWithLostSite();
    const found = async (status: string) =>
      (await manager.get(`/panel/runs/${runId}?status=${status}`)).body.results;
    expect(await found('failed')).toEqual([]);
    const { body } = await manager.get(`/panel/runs/${runId}`);
    expect(await found('refused')).toMatchObject([
      { site_id: lost.id, code: 'site_not_found', error: expect.any(String), details: null },
    ]);
    expect((await found('refused'))[0].finished_at).toBe(body.created_at);
  });

  it('does not reveal a failure through a retry', async () => {
    const { manager, runId } = await createRunWithLostSite();
    const { status, body } = await manager.post(`/panel/runs/${runId}/retry`);
    expect([status, body.code]).toEqual([409, 'nothing_to_retry']);
  });
});
