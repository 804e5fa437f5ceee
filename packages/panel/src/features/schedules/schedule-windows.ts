import type { Clock } from '../../platform/clock.ts';
import type { Database, Trx } from '../../platform/database/handles.ts';
import { isTimeZone } from '../../platform/time-zone.ts';
import type { FindWindows } from '../rollouts/index.ts';
import { type CallWindow, holdTasks } from '../runs/index.ts';
import {
  lockForRun,
  readTimeZones,
  type ScheduleRow,
  toWindowPlan,
} from './schedules.repository.ts';
import { currentOrNextWindow } from './windows.ts';

type Zoned = Pick<ScheduleRow, 'in_site_zone' | 'time_zone'>;

/** Returns the time zone of the schedule for one site. A site can report a text that is no time zone. */
export function zoneFor({ in_site_zone, time_zone }: Zoned, siteZone: string | null): string {
  return in_site_zone && siteZone !== null && isTimeZone(siteZone) ? siteZone : time_zone;
}

/** Lists the time zones in which the windows of these sites open. Without sites, this is the zone of the schedule. */
export async function listZonesFor(
  db: Database,
  schedule: ScheduleRow,
  siteIds: number[],
): Promise<string[]> {
  if (!schedule.in_site_zone || siteIds.length === 0) return [schedule.time_zone];
  const zones = await readTimeZones(db, siteIds);
  return [...new Set(siteIds.map((siteId) => zoneFor(schedule, zones.get(siteId) ?? null)))];
}

/** Finds for each site the window that is open now, or the next one. */
export async function createWindowFinder(
  db: Database,
  schedule: ScheduleRow,
  siteIds: number[],
  now: Date,
): Promise<(siteId: number) => CallWindow> {
  const zones = schedule.in_site_zone ? await readTimeZones(db, siteIds) : new Map();
  const plan = toWindowPlan(schedule);
  const windows = new Map<string, CallWindow>();
  return (siteId) => {
    const zone = zoneFor(schedule, zones.get(siteId) ?? null);
    const window = windows.get(zone) ?? currentOrNextWindow(plan, zone, now);
    windows.set(zone, window);
    return window;
  };
}

/** For rollouts, which schedules import. */
export function createFindWindows({ clock }: { clock: Clock }): FindWindows {
  return async (trx, scheduleId, siteIds) => {
    const schedule = await lockForRun(trx, scheduleId);
    return schedule ? createWindowFinder(trx, schedule, siteIds, clock.now()) : null;
  };
}

/**
 * Holds the sites that are left of earlier starts until the windows of the present plan. `onlyClosed`: only those whose
 * window closed before their call.
 */
export async function replanWindows(
  trx: Trx,
  scheduleId: number,
  now: Date,
  { onlyClosed = false } = {},
): Promise<void> {
  // Locked before its runs, as when it is stopped.
  const schedule = await lockForRun(trx, scheduleId);
  if (!schedule) return;
  await holdTasks(trx, scheduleId, {
    ...(onlyClosed && { closedAt: now }),
    findWindows: (siteIds) => createWindowFinder(trx, schedule, siteIds, now),
  });
}
