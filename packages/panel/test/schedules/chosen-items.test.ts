import { newSignedInUser } from '@steward/testkit/panel/signed-in-user.ts';
import { RARE_POLLS } from '@steward/testkit/panel/test-panel.ts';
import { useRunFixture } from '@steward/testkit/panel/use-run-fixture.ts';
import { SHOP } from '@steward/testkit/sites/site-fleet.ts';
import { describe, expect, it } from 'vitest';
import { NIGHTLY, scheduleHelpers } from './support/schedule-helpers.ts';

const fixture = useRunFixture({}, { timing: RARE_POLLS });
const { setNow, pass, newTaggedSites, create, read, runsOf, remove } = scheduleHelpers(fixture);

const BLOG = 'blog/blog.php';
const OLD = 'old/old.php';
const item = (slug: string, type = 'plugin') => ({ type, slug });
const outdated = () => ({ version: '1.0', newVersion: '2.0', active: true });
const twoPlugins = () => ({
  plugins: { [SHOP]: outdated(), [BLOG]: outdated() },
  themes: {},
  core: { version: '6.0' },
});
const versionsOf = ({ state }: Awaited<ReturnType<typeof newTaggedSites>>[number]) => [
  state.plugins[SHOP]?.version,
  state.plugins[BLOG]?.version,
];

/** Takes away a capability, as of an older Steward plugin. The next report of the site returns it. */
const forgetItemUpdates = (siteId = 0) =>
  fixture.panel.pool.query(
    `UPDATE license_activations SET capabilities = array_remove(capabilities, 'update.items')
     WHERE site_id = $1`,
    [siteId],
  );

describe('a schedule for chosen items', () => {
  it('updates only these items, of which one is on no site any more', async () => {
    setNow('2026-06-01T12:00Z');
    const sites = await newTaggedSites('items', 2, twoPlugins);
    const [first] = await newTaggedSites('gone', 1, () => ({
      ...twoPlugins(),
      plugins: { [OLD]: outdated() },
    }));
    const request = { selection: { tag: 'items' }, types: [], items: [item(BLOG), item(OLD)] };
    const created = await create(request);
    const { schedule_id: id } = created;
    expect([
      created.types,
      created.items.map(({ slug, is_missing }) => [slug, is_missing]),
    ]).toEqual([
      [],
      [
        [BLOG, false],
        [OLD, false],
      ],
    ]);
    if (!first) throw new Error('No site.');
    first.state.plugins = {};
    await first.agent.reportInventory();

    await pass('2026-06-02T00:00:00Z');
    const [run] = await runsOf(id);
    await fixture.waitForRun(run?.id ?? 0);
    expect(sites.map(versionsOf)).toEqual([
      ['1.0', '2.0'],
      ['1.0', '2.0'],
    ]);
    const after = await read(id);
    expect(after).toMatchObject({ last_error_code: null, sites_left_out: 0 });
    expect(after.items.map(({ is_missing }) => is_missing)).toEqual([false, true]);
    // The missing item is kept with its name by a change of the schedule.
    const changed = await fixture.owner.call('PUT', `/panel/schedules/${id}`, {
      ...NIGHTLY,
      ...request,
      name: 'Other name',
    });
    expect(changed.body.schedule.items).toEqual(after.items);
    await remove(id);
  });

  it('leaves out sites whose Steward plugin is too old, counts them, and names the next step', async () => {
    setNow('2026-06-01T12:00Z');
    const [current, old] = await newTaggedSites('old', 2, twoPlugins);
    await forgetItemUpdates(old?.id);
    const request = { selection: { tag: 'old' }, types: [], items: [item(BLOG)] };
    const { schedule_id: id } = await create(request);
    await pass('2026-06-02T00:00:00Z');
    const [run] = await runsOf(id);
    expect(run?.total).toBe(1);
    await fixture.waitForRun(run?.id ?? 0);
    expect([current, old].map((site) => site && versionsOf(site))).toEqual([
      ['1.0', '2.0'],
      ['1.0', '1.0'],
    ]);
    expect(old?.calls).toEqual([]);
    expect(await read(id)).toMatchObject({ last_error_code: null, sites_left_out: 1 });
    // Now no other site is left with this update.
    await pass('2026-06-03T00:00:00Z');
    expect(await runsOf(id)).toHaveLength(1);
    expect(await read(id)).toMatchObject({ last_error_code: 'plugin_too_old', sites_left_out: 1 });
    await remove(id);
  });

  it('says nothing of old sites without a pending update of the items', async () => {
    setNow('2026-06-01T12:00Z');
    const [old] = await newTaggedSites('other', 1);
    await newTaggedSites('blog', 1, twoPlugins);
    await forgetItemUpdates(old?.id);
    const request = { selection: { tag: 'other' }, types: [], items: [item(BLOG)] };
    const { schedule_id: id } = await create(request);
    await pass('2026-06-02T00:00:00Z');
    expect(await read(id)).toMatchObject({
      last_day: '2026-06-02',
      last_error_code: null,
      sites_left_out: 0,
    });
    await remove(id);
  });

  it('starts a rollout of these items in rings', async () => {
    setNow('2026-06-01T12:00Z');
    await newTaggedSites('rings', 2, twoPlugins);
    const request = { selection: { tag: 'rings' }, types: [], items: [item(BLOG)], in_rings: true };
    const { schedule_id: id } = await create(request);
    await pass('2026-06-02T00:00:00Z');
    const { last_rollout_id } = await read(id);
    const { body } = await fixture.owner.get(`/panel/rollouts/${last_rollout_id}`);
    expect(body.rollout.items).toMatchObject([{ slug: BLOG, version: '2.0' }]);
    expect(body.rollout.items).toHaveLength(1);
    await remove(id);
  });
});

describe('POST /panel/schedules with items', () => {
  const refuse = async (request: object, user = fixture.owner) => {
    const { status, body } = await user.post('/panel/schedules', { ...NIGHTLY, ...request });
    expect([status, body.code]).toEqual([400, 'invalid_request']);
    return body.error as string;
  };

  it('refuses items with types, neither, too many, and software that no site has', async () => {
    await newTaggedSites('known', 1, twoPlugins);
    expect(await refuse({ items: [item(BLOG)] })).toMatch(/either types/);
    expect(await refuse({ types: [] })).toMatch(/either types/);
    expect(await refuse({ types: [], items: [item('no/such.php')] })).toBe(
      'No site that you may see has no/such.php. Choose other plugins and themes.',
    );
    expect(await refuse({ types: [], items: [item('steward/steward.php')] })).toMatch(/No site/);
    const many = Array.from({ length: 51 }, (_, index) => item(`p${index}/p.php`));
    await refuse({ types: [], items: many });
    await refuse({ types: [], items: [item('de', 'translation')] });
  });

  it('does not tell a manager what is on other sites', async () => {
    // The session of the owner is confirmed at this time.
    setNow('2026-06-01T12:00Z');
    const [, own] = [await newTaggedSites('hidden', 1, twoPlugins), await newTaggedSites('own', 1)];
    const manager = await newSignedInUser(fixture.panel, 'manager');
    await fixture.owner.call('PUT', `/panel/users/${manager.id}/access/sites/${own[0]?.id}`);
    const request = { types: [], items: [item(BLOG)] };
    expect(await refuse(request, { ...fixture.owner, ...manager })).toMatch(
      /No site that you may see/,
    );
    const created = await create(
      { types: [], items: [item(SHOP)] },
      { ...fixture.owner, ...manager },
    );
    expect(created.items).toMatchObject([{ slug: SHOP, is_missing: false }]);
    await remove(created.schedule_id);
  });
});
