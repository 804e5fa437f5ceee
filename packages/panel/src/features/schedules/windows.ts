import { DateTime } from 'luxon';
import { OFFSET } from '../../platform/time-zone.ts';
import { type CallWindow, isEmptyWindow, windowState } from '../runs/index.ts';

/** When a schedule opens its windows, in local time. */
export type WindowPlan = {
  /** ISO days of the week, 1 is Monday. Empty: once, on `onceOn`. */
  weekdays: number[];
  /** "2026-06-02" */
  onceOn: string | null;
  /** "02:00" */
  opensAt: string;
  /** If it is not later than `opensAt`, the window closes on the next day. */
  closesAt: string;
  /** A further day, on which a missed start is made up. */
  alsoOn?: string | null;
};

/**
 * The window that opens on a local day, in one zone. A time that the change to summer time skips counts as the time one
 * hour later; of a time that occurs twice in autumn, the second counts.
 */
export function windowOn(plan: WindowPlan, day: string, zone: string): CallWindow {
  const opens = parseLocal(day, plan.opensAt, zone);
  const closesNextDay = plan.closesAt <= plan.opensAt;
  const closingDay = closesNextDay ? addDays(day, 1) : day;
  const closes = parseLocal(closingDay, plan.closesAt, zone);
  return { opensAt: opens.toJSDate(), closesAt: closes.toJSDate() };
}

/** Whether the schedule may start on this local day. A missed single start may start on any later day. */
export function startsOn({ weekdays, onceOn, alsoOn }: WindowPlan, day: string): boolean {
  if (day === alsoOn) return true;
  if (onceOn !== null) return day >= onceOn;
  return weekdays.includes(DateTime.fromISO(day, { zone: 'utc' }).weekday);
}

/** The window that is open now, or the next one. */
export function currentOrNextWindow(plan: WindowPlan, zone: string, now: Date): CallWindow {
  const today = localDay(zone, now);
  // The window of yesterday may still be open. A weekly window opens within 7 days.
  for (let days = -1; days <= 8; days++) {
    const day = addDays(today, days);
    if (!startsOn(plan, day)) continue;
    const window = windowOn(plan, day, zone);
    if (!isEmptyWindow(window) && windowState(window, now) !== 'closed') return window;
  }
  // A single start in the future.
  return windowOn(plan, plan.onceOn ?? today, zone);
}

/** Whether the calendar has this day. It does not have 2027-02-31, for example. */
export const isDay = (day: string): boolean => DateTime.fromISO(day, { zone: 'utc' }).isValid;

export const localDay = (zone: string, now: Date): string =>
  DateTime.fromJSDate(now, { zone: toLuxonZone(zone) }).toISODate() ?? '';

/** "2026-06-02 02:00" */
export const formatLocalTime = (at: Date, zone: string): string =>
  DateTime.fromJSDate(at, { zone: toLuxonZone(zone) }).toFormat('yyyy-MM-dd HH:mm');

export const addDays = (day: string, days: number): string =>
  DateTime.fromISO(day, { zone: 'utc' }).plus({ days }).toISODate() ?? '';

function parseLocal(day: string, time: string, zone: string): DateTime {
  const local = DateTime.fromISO(`${day}T${time}`, { zone: toLuxonZone(zone) });
  // If the local time occurs twice, the one that luxon chooses depends on the current date. This list has a fixed order.
  return local.getPossibleOffsets().at(-1) ?? local;
}

/** luxon writes offsets as "UTC+02:00", WordPress as "+02:00". */
const toLuxonZone = (zone: string) => (OFFSET.test(zone) ? `UTC${zone}` : zone);
