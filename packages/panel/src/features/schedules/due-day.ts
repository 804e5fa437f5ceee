import { addDays, localDay, startsOn, type WindowPlan, windowOn } from './windows.ts';

/** Each day begins first in one of these zones and ends last in the other. */
const [FIRST_ZONE, LAST_ZONE] = ['+14:00', '-12:00'];

/**
 * Finds the local day for which the schedule must start now: the window of this day has opened in one zone, and has not
 * closed in all zones. Earlier days do not count, so that a schedule runs only once after the panel was down.
 */
export function findDueDay(
  plan: WindowPlan & { lastDay: string | null },
  zones: string[],
  now: Date,
): string | null {
  // A single start that has taken place is over. A missed one may start on a later day.
  if (plan.onceOn !== null && plan.lastDay !== null && plan.lastDay >= plan.onceOn) return null;
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
