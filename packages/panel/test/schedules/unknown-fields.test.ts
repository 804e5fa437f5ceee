import { newLicenseWithSites, newUserWithAccess } from '@steward/testkit/panel/licensed-sites.ts';
import { type Person, usePanelWithOwner } from '@steward/testkit/panel/signed-in-user.ts';
import { beforeAll, describe, expect, it } from 'vitest';

/** Requests with fields that the API does not have, but the tables do. */
const { panel, owner } = usePanelWithOwner();

const SCHEDULE = {
  name: 'Nightly',
  selection: {},
  types: ['plugin'],
  weekdays: [1],
  once_on: null,
  opens_at: '02:00',
  closes_at: '04:00',
  time_zone: 'UTC',
  in_site_zone: false,
  in_rings: false,
  enabled: true,
};

describe('a manager', () => {
  let manager: Person;
  let site: number;
  beforeAll(async () => {
    const license = await newLicenseWithSites(panel);
    site = (await license.addSite()).id;
    manager = await newUserWithAccess(panel, 'manager', [{ siteId: site }]);
  });

  const readSchedule = (id: number) =>
    panel.db
      .selectFrom('schedules')
      .select(['created_by', 'origin'])
      .where('id', '=', id)
      .executeTakeFirstOrThrow();

  it('cannot give a schedule to an owner, whose access it would use', async () => {
    const { schedule_id } = (await manager.post('/panel/schedules', SCHEDULE)).body.schedule;
    const before = await readSchedule(schedule_id);
    expect(before.created_by).toBe(manager.id);
    const changed = await manager.call('PUT', `/panel/schedules/${schedule_id}`, {
      ...SCHEDULE,
      created_by: owner.id,
      origin: { actor: String(owner.id), via: 'panel' },
    });
    expect(changed.status).toBe(200);
    expect(await readSchedule(schedule_id)).toEqual(before);
  });

  it('cannot add a rollout to the schedule of another user', async () => {
    const { schedule_id } = (await owner.post('/panel/schedules', SCHEDULE)).body.schedule;
    const items = [{ type: 'plugin', slug: 'shop/shop.php', version: '2.0' }];
    const { status } = await manager.post('/panel/rollouts', {
      site_ids: [site],
      items,
      scheduleId: schedule_id,
    });
    expect(status).toBe(200);
    const rollouts = await panel.db.selectFrom('rollouts').select('schedule_id').execute();
    expect(rollouts).toEqual([{ schedule_id: null }]);
  });
});
