import { newSignedInUser } from '@steward/testkit/panel/signed-in-user.ts';
import { OPERATOR, RARE_POLLS } from '@steward/testkit/panel/test-panel.ts';
import { useRunFixture } from '@steward/testkit/panel/use-run-fixture.ts';
import { SHOP } from '@steward/testkit/sites/site-fleet.ts';
import { describe, expect, it } from 'vitest';
import { NIGHTLY, scheduleHelpers } from './support/schedule-helpers.ts';

const fixture = useRunFixture({}, { timing: RARE_POLLS });
const { leaveUncalled, setNow, pass, newTaggedSites, create, read, runsOf, remove } =
  scheduleHelpers(fixture);

describe('a schedule', () => {
  it('starts one run in each window, on the sites that match at that time', async () => {
    setNow('2026-06-01T12:00Z');
    const { schedule_id: id } = await create({ selection: { tag: 'nightly' } });
    const sites = await newTaggedSites('nightly', 2);
    await pass('2026-06-01T23:59:59Z');
    expect(await runsOf(id)).toEqual([]);
    await Promise.all([pass('2026-06-02T00:00:00Z'), pass(), pass()]);
    const [run, ...others] = await runsOf(id);
    expect([run?.total, others]).toEqual([2, []]);
    await fixture.waitForRun(run?.id ?? 0);
    expect(sites.map(({ state }) => state.plugins[SHOP]?.version)).toEqual(['2.0', '2.0']);
    await pass('2026-06-02T01:00:00Z');
    expect(await runsOf(id)).toHaveLength(1);
    expect(await read(id)).toMatchObject({ last_day: '2026-06-02', last_error_code: null });
    await remove(id);
  });

  it('stops calls when the window closes, and continues in the next window', async () => {
    setNow('2026-06-01T12:00Z');
    const { schedule_id: id } = await create({ selection: { tag: 'closing' } });
    const [site] = await newTaggedSites('closing', 1);
    await pass('2026-06-02T00:00:00Z');
    const [run] = await runsOf(id);
    if (!run || !site) throw new Error('No run was started.');
    await leaveUncalled(run.id, site.id);
    const before = await fixture.task(run.id, site.id);
    await pass('2026-06-02T03:00:00Z');
    const task = await fixture.task(run.id, site.id);
    // The event stream sends the new window.
    expect(task.change).toBeGreaterThan(before.change);
    expect(task.window_opens_at).toEqual(new Date('2026-06-03T00:00Z'));
    expect(task.window_closes_at).toEqual(new Date('2026-06-03T03:00Z'));
    await pass('2026-06-03T00:00:00Z');
    expect(await runsOf(id)).toHaveLength(1);
    expect((await read(id)).last_error_code).toBe('last_start_unfinished');
    await remove(id);
    expect(await fixture.task(run.id, site.id)).toMatchObject({ status: 'cancelled' });
    // So a worker that releases a task of this run cancels it too.
    const { body } = await fixture.owner.get(`/panel/runs/${run.id}`);
    expect(body.cancelled_at).not.toBeNull();
    // A retry is the decision of a user: it has no window.
    setNow('2026-06-03T12:00:00Z');
    const retried = await fixture.owner.post(`/panel/runs/${run.id}/retry`, {});
    expect(retried.body.results).toMatchObject([{ site_id: site.id, status: 'succeeded' }]);
  });

  it('runs once after the panel was down for several windows', async () => {
    setNow('2026-06-01T12:00Z');
    const { schedule_id: id } = await create({ selection: { tag: 'down' } });
    await newTaggedSites('down', 1);
    await pass('2026-06-06T02:00:00Z');
    await pass('2026-06-06T02:01:00Z');
    expect(await runsOf(id)).toHaveLength(1);
    await remove(id);
  });

  it('calls each site within the window of its own time zone', async () => {
    setNow('2026-06-01T10:00Z');
    const [east, west] = await newTaggedSites('zones', 2);
    if (!east || !west) throw new Error('No sites.');
    const setZone = (siteId: number, time_zone: string) =>
      fixture.panel.db.updateTable('sites').set({ time_zone }).where('id', '=', siteId).execute();
    await setZone(east.id, 'Pacific/Auckland');
    await setZone(west.id, 'America/New_York');
    const { schedule_id: id } = await create({ selection: { tag: 'zones' }, in_site_zone: true });
    await pass('2026-06-01T14:00:00Z');
    const [run] = await runsOf(id);
    const opensAt = async (siteId: number) =>
      (await fixture.task(run?.id ?? 0, siteId)).window_opens_at?.toISOString();
    expect(await opensAt(east.id)).toBe('2026-06-01T14:00:00.000Z');
    // In New York it is Monday morning, and the window of Monday has closed.
    expect(await opensAt(west.id)).toBe('2026-06-02T06:00:00.000Z');
    const { body } = await fixture.owner.get(`/panel/runs/${run?.id}`);
    expect(body.schedule).toEqual({ schedule_id: id, name: 'Nightly updates' });
    const waiting = body.results.find(({ site_id }: { site_id: number }) => site_id === west.id);
    expect(waiting.window_opens_at).toBe('2026-06-02T06:00:00.000Z');
    await expect.poll(() => east.state.plugins[SHOP]?.version).toBe('2.0');
    expect(west.calls).toEqual([]);
    await remove(id);
  });

  it('does not start in the time zone of a site that it does not select', async () => {
    setNow('2026-06-01T10:00Z');
    const [other, selected] = [await newTaggedSites('east', 1), await newTaggedSites('west', 1)];
    const setZone = (siteId = 0, time_zone = '') =>
      fixture.panel.db.updateTable('sites').set({ time_zone }).where('id', '=', siteId).execute();
    await setZone(other[0]?.id, 'Pacific/Auckland');
    await setZone(selected[0]?.id, 'America/New_York');
    const request = { selection: { tag: 'west' }, in_site_zone: true, weekdays: [2] };
    const { schedule_id: id } = await create(request);
    // Tuesday 02:00 in Auckland, then in Berlin, the zone of sites that report none.
    await pass('2026-06-01T14:00:00Z');
    await pass('2026-06-02T00:00:00Z');
    expect(await read(id)).toMatchObject({ last_day: null, last_run_id: null });
    await pass('2026-06-02T06:00:00Z');
    expect(await runsOf(id)).toHaveLength(1);
    await remove(id);
  });

  it('starts a rollout if it has rings', async () => {
    setNow('2026-06-01T12:00Z');
    const { schedule_id: id } = await create({ selection: { tag: 'rings' }, in_rings: true });
    await newTaggedSites('rings', 2);
    await pass('2026-06-02T00:00:00Z');
    const { last_rollout_id } = await read(id);
    const { body } = await fixture.owner.get(`/panel/rollouts/${last_rollout_id}`);
    expect(body.rollout).toMatchObject({
      name: 'Nightly updates',
      items: [{ type: 'plugin', slug: SHOP, version: '2.0' }],
    });
    await fixture.owner.post(`/panel/rollouts/${last_rollout_id}/cancel`, {});
    await remove(id);
  });

  it('uses the access of its user, and explains why it did not start', async () => {
    setNow('2026-06-01T12:00Z');
    const manager = await newSignedInUser(fixture.panel, 'manager');
    await newTaggedSites('access', 1);
    const { schedule_id: id } = await create({ selection: { tag: 'access' } }, manager);
    await pass('2026-06-02T00:00:00Z');
    expect(await runsOf(id)).toEqual([]);
    expect((await read(id)).last_error_code).toBe('no_matching_site');
    await fixture.panel.services.users.update(manager.id, { disabled: true }, OPERATOR);
    await pass('2026-06-03T00:00:00Z');
    expect((await read(id)).last_error_code).toBe('user_disabled');
    await remove(id);
  });
});

describe('PUT /panel/schedules/:id', () => {
  const put = (id: number, request: object, user = fixture.owner) =>
    user.call('PUT', `/panel/schedules/${id}`, { ...NIGHTLY, ...request });

  it('disables a single schedule after its day, and never starts it twice', async () => {
    setNow('2026-06-01T12:00Z');
    const once = { weekdays: [], once_on: '2026-06-02', selection: { tag: 'single' } };
    const { schedule_id: id } = await create(once);
    await newTaggedSites('single', 1);
    await pass('2026-06-02T00:00:00Z');
    const [run] = await runsOf(id);
    await fixture.waitForRun(run?.id ?? 0);
    await newTaggedSites('single', 1);
    await pass('2026-06-03T00:00:00Z');
    expect(await runsOf(id)).toHaveLength(1);
    expect((await read(id)).next_opens_at).toBeNull();
    expect((await put(id, { ...once, enabled: false })).status).toBe(200);
    expect((await put(id, { ...once, opens_at: '01:00' })).status).toBe(400);
    const moved = await put(id, { ...once, once_on: '2026-06-04' });
    expect(moved.body.schedule.next_opens_at).toBe('2026-06-04T00:00:00.000Z');
    await pass('2026-06-04T00:00:00Z');
    expect(await runsOf(id)).toHaveLength(2);
    await remove(id);
  });

  it('keeps its user until another user changes the selection', async () => {
    setNow('2026-06-01T12:00Z');
    const manager = await newSignedInUser(fixture.panel, 'manager');
    const { schedule_id: id } = await create({}, manager);
    const changes = [{ enabled: false }, {}, { name: 'Renamed', types: ['plugin'] }];
    for (const change of [...changes, { opens_at: '01:00' }]) await put(id, change);
    expect((await manager.get('/panel/schedules')).body.schedules).toHaveLength(1);
    await put(id, { selection: { tag: 'other' } });
    expect((await manager.get('/panel/schedules')).body.schedules).toEqual([]);
    await remove(id);
  });

  it('belongs to the user who changes it if its previous user is disabled', async () => {
    setNow('2026-06-01T12:00Z');
    const manager = await newSignedInUser(fixture.panel, 'manager');
    const { schedule_id: id, created_by } = await create({}, manager);
    await fixture.panel.services.users.update(manager.id, { disabled: true }, OPERATOR);
    await put(id, { enabled: false });
    await put(id, {});
    expect((await read(id)).created_by).toBe(created_by);
    await put(id, { name: 'Taken over' });
    expect((await read(id)).created_by).not.toBe(created_by);
    await remove(id);
  });

  it('cancels the rollout of a disabled schedule', async () => {
    setNow('2026-06-01T12:00Z');
    const request = { selection: { tag: 'stopped' }, in_rings: true };
    const { schedule_id: id } = await create(request);
    await newTaggedSites('stopped', 2);
    await pass('2026-06-02T00:00:00Z');
    const { last_rollout_id } = await read(id);
    await put(id, { ...request, enabled: false });
    const { body } = await fixture.owner.get(`/panel/rollouts/${last_rollout_id}`);
    expect(body.rollout.status).toBe('cancelled');
    await remove(id);
  });
});

describe('DELETE /panel/schedules/:id', () => {
  it('cancels a halted rollout, which could otherwise be resumed outside of the windows', async () => {
    setNow('2026-06-01T12:00Z');
    const request = { selection: { tag: 'halted' }, in_rings: true };
    const { schedule_id: id } = await create(request);
    await newTaggedSites('halted', 2);
    await pass('2026-06-02T00:00:00Z');
    const { last_rollout_id } = await read(id);
    await fixture.panel.db
      .updateTable('rollouts')
      .set({ status: 'halted' })
      .where('id', '=', last_rollout_id)
      .execute();
    const show = async () => (await fixture.owner.get(`/panel/rollouts/${last_rollout_id}`)).body;
    // A disabled schedule keeps its windows, so its halted rollout can be resumed.
    await fixture.owner.call('PUT', `/panel/schedules/${id}`, {
      ...{ ...NIGHTLY, ...request },
      enabled: false,
    });
    expect((await show()).rollout.status).toBe('halted');
    await remove(id);
    expect((await show()).rollout.status).toBe('cancelled');
    const resumed = await fixture.owner.post(`/panel/rollouts/${last_rollout_id}/resume`, {});
    expect(resumed.body.code).toBe('rollout_not_halted');
  });
});

describe('POST /panel/schedules', () => {
  it.each([
    ['an unknown time zone', { time_zone: 'Mars/Olympus' }],
    ['neither days of the week nor a day', { weekdays: [] }],
    ['days of the week and a day', { once_on: '2027-01-01' }],
    ['a day in the past', { weekdays: [], once_on: '2020-01-01' }],
    ['a day that does not exist', { weekdays: [], once_on: '2027-02-31' }],
    ['a window without length', { closes_at: '02:00' }],
    ['a time that does not exist', { opens_at: '25:00' }],
    ['no types', { types: [] }],
    ['an unknown filter value', { selection: { status: 'sleepy' } }],
  ])('rejects %s', async (_case, change) => {
    setNow('2026-06-01T12:00Z');
    const { status } = await fixture.owner.post('/panel/schedules', { ...NIGHTLY, ...change });
    expect(status).toBe(400);
  });

  it('shows the schedule only to its user and to owners', async () => {
    setNow('2026-06-01T12:00Z');
    const { schedule_id: id } = await create({});
    const manager = await newSignedInUser(fixture.panel, 'manager');
    expect((await manager.get('/panel/schedules')).body.schedules).toEqual([]);
    expect((await manager.call('DELETE', `/panel/schedules/${id}`)).status).toBe(404);
    const viewer = await newSignedInUser(fixture.panel, 'viewer');
    expect((await viewer.get('/panel/schedules')).status).toBe(403);
    await remove(id);
  });

  it('shows the windows of the next 14 days', async () => {
    setNow('2026-10-20T12:00Z');
    // The session of the shared owner has expired by then.
    const owner = await newSignedInUser(fixture.panel, 'owner');
    const { schedule_id: id, next_opens_at } = await create({ weekdays: [2, 7] }, owner);
    expect(next_opens_at).toBe('2026-10-25T01:00:00.000Z');
    const { upcoming } = (await owner.get('/panel/schedules')).body;
    const opens = upcoming
      .filter((window: { schedule_id: number }) => window.schedule_id === id)
      .map((window: { opens_at: string }) => window.opens_at);
    expect(opens).toEqual([
      '2026-10-25T01:00:00.000Z',
      '2026-10-27T01:00:00.000Z',
      '2026-11-01T01:00:00.000Z',
      '2026-11-03T01:00:00.000Z',
    ]);
    await owner.call('DELETE', `/panel/schedules/${id}`);
  });
});
