import { newSignedInUser } from '@steward/testkit/panel/signed-in-user.ts';
import { OPERATOR } from '@steward/testkit/panel/test-panel.ts';
import { useRunFixture } from '@steward/testkit/panel/use-run-fixture.ts';
import { SHOP } from '@steward/testkit/sites/site-fleet.ts';
import { describe, expect, it } from 'vitest';
import { dispatch } from '../../src/features/runs/worker/dispatch.ts';
import { scheduleHelpers } from './support/schedule-helpers.ts';

/** Without a worker, tasks stay queued. The tests dispatch them. */
const fixture = useRunFixture({}, { startsWorker: false });
const { setNow, pass, newTaggedSites, create, runsOf, remove } = scheduleHelpers(fixture);

/** Creates a site that waits for the window of a manager's schedule. */
async function newWaitingSite(tag: string) {
  setNow('2026-06-01T12:00Z');
  const manager = await newSignedInUser(fixture.panel, 'manager');
  const [site] = await newTaggedSites(tag, 1);
  const grant = `/panel/users/${manager.id}/access/sites/${site?.id}`;
  await fixture.owner.call('PUT', grant);
  const { schedule_id: id } = await create({ selection: { tag } }, manager);
  await pass('2026-06-02T00:00:00Z');
  const [run] = await runsOf(id);
  const { id: taskId, attempt } = await fixture.task(run?.id ?? 0, site?.id ?? 0);

  /** Returns what a worker decides at this time. */
  async function decide(time = '2026-06-02T01:00:00Z') {
    setNow(time);
    const { panel } = fixture;
    const job = { data: { runId: run?.id, taskId, attempt } };
    const [decision] = await dispatch([{ job, address: '192.0.2.1', before: null } as never], {
      db: panel.db,
      clock: { now: () => new Date(panel.fakes.now) },
    });
    if (decision?.kind !== 'end') return decision?.kind;
    return [decision.result.status, decision.result.code];
  }
  return { scheduleId: id, site, manager, grant, decide };
}

describe('a site that waits for its window', () => {
  it('is called within the window', async () => {
    const { scheduleId, decide } = await newWaitingSite('called');
    expect(await decide('2026-06-02T04:00:00Z')).toBe('wait');
    expect(await decide('2026-06-02T01:00:00Z')).toBe('call');
    await remove(scheduleId);
  });

  it('is refused if the user of the schedule has lost access to it', async () => {
    const { scheduleId, grant, decide } = await newWaitingSite('revoked');
    // The confirmation of the sign-in has ended meanwhile.
    await fixture.owner.post('/auth/confirm', { password: fixture.owner.password });
    expect((await fixture.owner.call('DELETE', grant)).status).toBe(200);
    expect(await decide()).toEqual(['refused', 'site_not_found']);
    await remove(scheduleId);
  });

  it('is refused if the user of the schedule may only view sites', async () => {
    const { scheduleId, manager, decide } = await newWaitingSite('viewer');
    await fixture.panel.services.users.update(manager.id, { role: 'viewer' }, OPERATOR);
    expect(await decide()).toEqual(['refused', 'site_not_found']);
    await remove(scheduleId);
  });

  it('is refused if a new rule holds its update back', async () => {
    const { scheduleId, site, decide } = await newWaitingSite('rule');
    const rule = { site_id: site?.id, item_type: 'plugin', slug: SHOP, aspect: 'level' };
    const { status, body } = await fixture.owner.post('/panel/rules', { ...rule, level: 'never' });
    expect(status, JSON.stringify(body)).toBe(200);
    expect(await decide()).toEqual(['refused', 'held_version']);
    await remove(scheduleId);
  });
});
