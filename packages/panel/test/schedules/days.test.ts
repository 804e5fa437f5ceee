import { usePanelWithOwner } from '@steward/testkit/panel/signed-in-user.ts';
import { describe, expect, it } from 'vitest';

const { owner } = usePanelWithOwner();

const SCHEDULE = {
  name: 'Nightly',
  selection: {},
  types: ['plugin'],
  opens_at: '02:00',
  closes_at: '04:00',
  time_zone: 'UTC',
  in_site_zone: false,
  in_rings: false,
  enabled: true,
};
const DAY = '2027-01-31';
const create = (days: object) => owner.post('/panel/schedules', { ...SCHEDULE, ...days });

describe('POST /panel/schedules', () => {
  for (const [given, days, stored] of [
    ['weekdays alone', { weekdays: [2, 5] }, { weekdays: [2, 5], once_on: null }],
    ['once_on alone', { once_on: DAY }, { weekdays: [], once_on: DAY }],
    ['both, one of them empty', { weekdays: [], once_on: DAY }, { weekdays: [], once_on: DAY }],
  ] as const) {
    it(`200: accepts ${given}, and returns both fields`, async () => {
      const { status, body } = await create(days);
      expect(status, JSON.stringify(body)).toBe(200);
      expect(body.schedule).toMatchObject(stored);
    });
  }

  for (const [given, days] of [
    ['neither weekdays nor once_on', {}],
    ['both weekdays and once_on', { weekdays: [2], once_on: DAY }],
  ] as const) {
    it(`400: refuses ${given}`, async () => {
      const { status, body } = await create(days);
      expect([status, body.error]).toEqual([400, 'Choose either days of the week or one date.']);
    });
  }
});

describe('PUT /panel/schedules/:id', () => {
  it('200: replaces the days of the week by one date', async () => {
    const { schedule_id } = (await create({ weekdays: [1] })).body.schedule;
    const { status, body } = await owner.call('PUT', `/panel/schedules/${schedule_id}`, {
      ...SCHEDULE,
      once_on: DAY,
    });
    expect(status).toBe(200);
    expect(body.schedule).toMatchObject({ weekdays: [], once_on: DAY });
  });
});
