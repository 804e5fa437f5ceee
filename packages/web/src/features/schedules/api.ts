import type {
  Schedule,
  ScheduleRequest,
  ScheduleResponse,
  ScheduleSelection,
  SchedulesResponse,
  SiteSelectionResponse,
} from '@steward/contract';
import { queryOptions } from '@tanstack/react-query';
import type { Static } from 'typebox';
import { api } from '../../lib/api.ts';

export type { Schedule, ScheduleRequest, ScheduleSelection };
export type UpcomingWindow = Static<typeof SchedulesResponse>['upcoming'][number];

const REFRESH_MS = 30_000;

/** The schedules and their windows of the next 14 days. Owners get all schedules, other users only their own. */
export const schedulesQuery = queryOptions({
  queryKey: ['schedules'],
  queryFn: ({ signal }) => api<Static<typeof SchedulesResponse>>('/panel/schedules', { signal }),
  refetchInterval: REFRESH_MS,
});

/** The ids of the sites that match now. The schedule selects its sites again when it starts. */
export const matchingSitesQuery = (selection: ScheduleSelection) =>
  queryOptions({
    queryKey: ['sites', 'ids', selection],
    queryFn: ({ signal }) =>
      api<Static<typeof SiteSelectionResponse>>('/panel/sites/ids', { query: selection, signal }),
  });

/** Creates a schedule, or changes the one with this id. */
export const saveSchedule = (id: number | null, body: ScheduleRequest) =>
  api<Static<typeof ScheduleResponse>>(
    id === null ? '/panel/schedules' : `/panel/schedules/${id}`,
    { method: id === null ? 'POST' : 'PUT', body },
  );

export const deleteSchedule = (id: number) => api(`/panel/schedules/${id}`, { method: 'DELETE' });

export function toRequest(schedule: Schedule): ScheduleRequest {
  const { name, selection, types, items, weekdays, once_on, opens_at, closes_at } = schedule;
  const { time_zone, in_site_zone, in_rings, proof_percent, enabled } = schedule;
  return {
    name,
    selection,
    types,
    items: items.map(({ type, slug }) => ({ type, slug })),
    weekdays,
    once_on,
    opens_at,
    closes_at,
    time_zone,
    in_site_zone,
    in_rings,
    proof_percent,
    enabled,
  };
}
