import { addDays, localDay, startsOn, type WindowPlan, windowOn } from './windows.ts';

/** The last local day that was handled. `failure`: why the schedule did not start on it. */
export type LastStart = { lastDay: string | null; failure: string | null };

/** Each day begins first in one of these zones and ends last in the other. */
const [FIRST_ZONE, LAST_ZONE] = ['+14:00', '-12:00'];

/**
 * Finds the local day for which the schedule must start now: the window of this day has opened in one zone, and has not
 * closed in all zones. Earlier days do not count, so that a schedule runs only once after the panel was down.
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
    if (!startsOn(plan, day)) continue;
    const windows = zones.map((zone) => windowOn(plan, day, zone));
    const hasOpened = windows.some(({ opensAt }) => opensAt <= now);
    const hasClosed = windows.every(({ closesAt }) => closesAt <= now);
    if (hasOpened && !hasClosed) return day;
  }
}

/** Whether a single start has taken place. A missed or failed one may start on a later day. */
export const isOver = ({ onceOn, lastDay, failure }: WindowPlan & LastStart): boolean =>
  onceOn !== null && lastDay !== null && lastDay >= onceOn && failure === null;
