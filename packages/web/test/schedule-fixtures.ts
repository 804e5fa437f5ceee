import type { Schedule, SchedulesResponse } from '@steward/contract';
import type { Static } from 'typebox';
import { MOMENT } from './panel-fixtures.ts';

export const schedule = (overrides: Partial<Schedule> = {}): Schedule => ({
  schedule_id: 3,
  name: 'Weekly updates',
  selection: {},
  types: ['plugin', 'theme'],
  items: [],
  weekdays: [2],
  once_on: null,
  opens_at: '02:00',
  closes_at: '05:00',
  time_zone: 'Europe/Berlin',
  in_site_zone: true,
  in_rings: false,
  proof_percent: 0,
  enabled: true,
  next_opens_at: '2026-06-02T00:00:00.000Z',
  last_day: null,
  last_run_id: null,
  last_rollout_id: null,
  last_error_code: null,
  sites_left_out: 0,
  created_at: MOMENT,
  created_by: 'Olive',
  ...overrides,
});

export const schedules = (
  list: Schedule[],
  upcoming: Static<typeof SchedulesResponse>['upcoming'] = [],
) => ({ success: true as const, schedules: list, upcoming });
