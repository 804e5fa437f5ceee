import { isEmptyWindow, windowState } from '../runs/index.ts';
import { addDays, localDay, startsOn, type WindowPlan, windowOn } from './windows.ts';

/** The last local day that was handled. `failure`: why the schedule did not start on it. */
export type LastStart = {
  lastDay: string | null;
  failure: string | null;
  /** Earlier windows do not count as missed. */
  activeSince: Date;
};

/** Each day begins first in one of these zones and ends last in the other. */
export const [FIRST_ZONE, LAST_ZONE] = ['+14:00', '-12:00'] as const;

/**
 * Finds the local day for which the schedule must start now: the window of this day has opened in one zone, and has not
 * closed in all zones. After a missed day, the same window of any later day counts. The start on that day makes up for
 * all missed days, so that a schedule runs only once after the panel was down.
 */
export function findDueDay(
  plan: WindowPlan & LastStart,
  zones: string[],
  now: Date,
): string | null {
  if (isOver(plan)) return null;
  for (let day = localDay(FIRST_ZONE, now); ; day = addDays(day, -1)) {
    // The window of yesterday can still be open, if it closes after midnight.
    if (day < addDays(localDay(LAST_ZONE, now), -1)) return null;
    if (plan.lastDay !== null && day <= plan.lastDay) return null;
    const states = zones.map((zone) => windowState(windowOn(plan, day, zone), now));
    const hasOpened = states.some((state) => state !== 'before');
    const hasClosed = states.every((state) => state === 'closed');
    if (!hasOpened || hasClosed) continue;
    if (startsOn(plan, day) || findMissedDay(plan, zones, { before: day, now }) !== null)
      return day;
  }
}

/** Finds the last day on which the schedule should have started: its window has closed, and no process handled it. */
export function findMissedDay(
  plan: WindowPlan & LastStart,
  zones: string[],
  { before, now }: { before: string; now: Date },
): string | null {
  if (isOver(plan)) return null;
  // A weekly schedule has a day within any 7 days.
  for (let days = 1; days <= 7; days++) {
    const day = addDays(before, -days);
    if (plan.lastDay !== null && day <= plan.lastDay) return null;
    if (!startsOn(plan, day)) continue;
    const windows = zones.map((zone) => windowOn(plan, day, zone));
    const isMissed = windows.every(
      (window) =>
        !isEmptyWindow(window) &&
        windowState(window, now) === 'closed' &&
        window.opensAt >= plan.activeSince,
    );
    if (isMissed) return day;
  }
  return null;
}

/** Whether a single start has taken place. A missed or failed one may start on a later day. */
export const isOver = ({ onceOn, lastDay, failure }: WindowPlan & LastStart): boolean =>
  onceOn !== null && lastDay !== null && lastDay >= onceOn && failure === null;
