import { useRunFixture } from '@steward/testkit/panel/use-run-fixture.ts';
import { SHOP } from '@steward/testkit/sites/site-fleet.ts';
import { describe, expect, it } from 'vitest';
import { NIGHTLY, scheduleHelpers } from '../schedules/support/schedule-helpers.ts';

const fixture = useRunFixture();
const { leaveUncalled, setNow, pass, newTaggedSites, create, read, runsOf, remove } =
  scheduleHelpers(fixture);

const BLOG = 'blog/blog.php';
const outdated = () => ({ version: '1.0', newVersion: '2.0', active: true });
const twoPlugins = () => ({
  plugins: { [SHOP]: outdated(), [BLOG]: outdated() },
  themes: {},
  core: { version: '6.0' },
});

async function quarantineShop() {
  const shop = { item_type: 'plugin', slug: SHOP, version: '2.0', reason: 'White screen.' };
  const { body } = await fixture.owner.post('/panel/quarantine', shop);
  const { id } = body.quarantined_version;
  return () => fixture.owner.post(`/panel/quarantine/${id}/lift`, { reason: 'Fixed.' });
}

describe('a quarantined version', () => {
  it('does not stop the other updates of a schedule', async () => {
    setNow('2026-06-01T12:00Z');
    await newTaggedSites('two', 1, twoPlugins);
    const lift = await quarantineShop();
    const { schedule_id: id } = await create({ selection: { tag: 'two' }, in_rings: true });
    await pass('2026-06-02T00:00:00Z');
    const { last_rollout_id, last_error_code } = await read(id);
    expect(last_error_code).toBeNull();
    const { body } = await fixture.owner.get(`/panel/rollouts/${last_rollout_id}`);
    expect(body.rollout.items).toEqual([expect.objectContaining({ slug: BLOG })]);
    await remove(id);
    await lift();
  });

  it('postpones a single start to a later window', async () => {
    setNow('2026-06-01T12:00Z');
    await newTaggedSites('postponed', 1);
    const lift = await quarantineShop();
    const once = { weekdays: [], once_on: '2026-06-02', selection: { tag: 'postponed' } };
    const { schedule_id: id } = await create(once);
    await pass('2026-06-02T00:00:00Z');
    await pass('2026-06-02T04:00:00Z');
    expect(await read(id)).toMatchObject({
      last_error_code: 'held_version',
      next_opens_at: '2026-06-03T00:00:00.000Z',
    });
    await lift();
    await pass('2026-06-03T00:00:00Z');
    await pass('2026-06-04T00:00:00Z');
    expect(await runsOf(id)).toHaveLength(1);
    expect(await read(id)).toMatchObject({ last_error_code: null, next_opens_at: null });
    await remove(id);
  });
});

describe('a rollout of a schedule', () => {
  it('contains only the sites that offer the chosen version', async () => {
    setNow('2026-06-01T12:00Z');
    await newTaggedSites('versions', 2);
    const older = () => ({
      ...twoPlugins(),
      plugins: { [SHOP]: { ...outdated(), newVersion: '1.9' } },
    });
    await newTaggedSites('versions', 1, older);
    const { schedule_id: id } = await create({ selection: { tag: 'versions' }, in_rings: true });
    await pass('2026-06-02T00:00:00Z');
    const { last_rollout_id } = await read(id);
    const { body } = await fixture.owner.get(`/panel/rollouts/${last_rollout_id}`);
    expect(body.rollout.items).toEqual([expect.objectContaining({ slug: SHOP, version: '2.0' })]);
    expect(body.sites).toHaveLength(2);
    await remove(id);
  });
});

describe('a site that the last start did not call', () => {
  it('does not keep the other sites from their next start', async () => {
    setNow('2026-06-01T12:00Z');
    const [left] = await newTaggedSites('left', 1);
    if (!left) throw new Error('No sites.');
    const { schedule_id: id } = await create({ selection: { tag: 'left' } });
    await pass('2026-06-02T00:00:00Z');
    const [first] = await runsOf(id);
    await leaveUncalled(first?.id ?? 0, left.id);
    const other = await newTaggedSites('left', 1);
    await pass('2026-06-03T00:00:00Z');
    const [, second] = await runsOf(id);
    expect(second?.total).toBe(1);
    await fixture.task(second?.id ?? 0, other[0]?.id ?? 0);
    expect((await read(id)).last_error_code).toBeNull();
    await remove(id);
  });
});

describe('a changed plan', () => {
  it('moves the sites that wait for the old window', async () => {
    setNow('2026-06-01T12:00Z');
    const [left] = await newTaggedSites('moved', 1);
    if (!left) throw new Error('No site.');
    const request = { selection: { tag: 'moved' }, weekdays: [2] };
    const { schedule_id: id } = await create(request);
    await pass('2026-06-02T00:00:00Z');
    const [run] = await runsOf(id);
    await leaveUncalled(run?.id ?? 0, left.id);
    await pass('2026-06-02T04:00:00Z');
    const readTask = () => fixture.task(run?.id ?? 0, left.id);
    const before = await readTask();
    expect(before.window_opens_at).toEqual(new Date('2026-06-09T00:00Z'));
    const changed = { ...NIGHTLY, ...request, weekdays: [7] };
    await fixture.owner.call('PUT', `/panel/schedules/${id}`, changed);
    const after = await readTask();
    expect(after.window_opens_at).toEqual(new Date('2026-06-07T00:00Z'));
    // The job of the earlier attempt would wait for the old window.
    expect(after.attempt).toBe(before.attempt + 1);
    await remove(id);
  });
});

describe('a missed window', () => {
  it('is shown, and made up on the next day, once', async () => {
    setNow('2026-06-01T12:00Z');
    const sites = await newTaggedSites('missed', 1);
    const { schedule_id: id } = await create({ selection: { tag: 'missed' }, weekdays: [2] });
    setNow('2026-06-02T12:00Z');
    expect(await read(id)).toMatchObject({
      last_day: '2026-06-02',
      last_error_code: 'missed_window',
      next_opens_at: '2026-06-03T00:00:00.000Z',
    });
    await pass('2026-06-02T12:00:00Z');
    expect(await runsOf(id)).toEqual([]);
    await pass('2026-06-03T00:00:00Z');
    const [run] = await runsOf(id);
    const task = await fixture.task(run?.id ?? 0, sites[0]?.id ?? 0);
    expect(task.window_closes_at).toEqual(new Date('2026-06-03T03:00Z'));
    await pass('2026-06-04T00:00:00Z');
    expect(await runsOf(id)).toHaveLength(1);
    expect(await read(id)).toMatchObject({
      last_error_code: null,
      next_opens_at: '2026-06-09T00:00:00.000Z',
    });
    await remove(id);
  });
});

describe('a disabled schedule', () => {
  it('still announces the failures of the sites that it has called', async () => {
    setNow('2026-06-01T12:00Z');
    const [failed, left] = await newTaggedSites('announced', 2);
    if (!failed || !left) throw new Error('No sites.');
    failed.state.plugins[SHOP] = { ...outdated(), updateFails: 'No space left.' };
    const request = { selection: { tag: 'announced' } };
    const { schedule_id: id } = await create(request);
    await pass('2026-06-02T00:00:00Z');
    const runId = (await runsOf(id))[0]?.id ?? 0;
    await leaveUncalled(runId, left.id);
    const key = `run.finished_with_failures ${runId}`;
    const events = fixture.panel.db.selectFrom('notification_events').selectAll();
    // The run had ended before, and was announced then.
    await fixture.panel.db.deleteFrom('notification_events').where('key', '=', key).execute();
    const disabled = { ...NIGHTLY, ...request, enabled: false };
    await fixture.owner.call('PUT', `/panel/schedules/${id}`, disabled);
    expect(await events.where('key', '=', key).execute()).toMatchObject([
      { data: { run_id: runId, sites: 2, failed: 1 } },
    ]);
    await remove(id);
  });
});
