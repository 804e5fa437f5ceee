import type { Clock } from '../../platform/clock.ts';
import type { Database, Trx } from '../../platform/database/tables.ts';
import { isTimeZone } from '../../platform/time-zone.ts';
import { type CallWindow, lockRuns } from '../runs/index.ts';
import {
  findSchedule,
  listUnfinishedRuns,
  listUnfinishedSites,
  readTimeZones,
  replaceWindows,
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

/** For features that know only the id of a schedule. The result is null if the schedule was deleted. */
export function createFindWindows({ db, clock }: { db: Database; clock: Clock }) {
  return async (scheduleId: number, siteIds: number[]) => {
    const schedule = await findSchedule(db, scheduleId);
    return schedule ? createWindowFinder(db, schedule, siteIds, clock.now()) : null;
  };
}

/** After a change of the plan, the sites that are left of earlier starts wait for the windows of the new plan. */
export async function replanWindows(trx: Trx, scheduleId: number, now: Date): Promise<void> {
  const runIds = await listUnfinishedRuns(trx, scheduleId);
  const schedule = await findSchedule(trx, scheduleId);
  if (runIds.length === 0 || !schedule) return;
  await lockRuns(trx, runIds);
  const siteIds = [...(await listUnfinishedSites(trx, scheduleId))];
  const windowOf = await createWindowFinder(trx, schedule, siteIds, now);
  const windows = siteIds.map((siteId) => ({ siteId, ...windowOf(siteId) }));
  await replaceWindows(trx, scheduleId, windows);
}
