import { addDays, localDay, startsOn, type WindowPlan, windowOn } from './windows.ts';

/** The earliest and the latest zones on earth: a day begins in one and ends in the other. */
const [FIRST_ZONE, LAST_ZONE] = ['+14:00', '-12:00'];

/**
 * Finds the local day on which the schedule must start now: its window is open in one of the zones, or opens there
 * later. Of several missed days only the last counts, so that a schedule runs once after the panel was down.
 */
export function findDueDay(
  plan: WindowPlan & { lastDay: string | null },
  zones: string[],
  now: Date,
): string | null {
  // A single start that has taken place is over; only a missed one is made up for.
  if (plan.onceOn !== null && plan.lastDay !== null && plan.lastDay >= plan.onceOn) return null;
  for (let day = localDay(FIRST_ZONE, now); ; day = addDays(day, -1)) {
    // A window that closes on the next day can still be open one day after its own.
    if (day < addDays(localDay(LAST_ZONE, now), -1)) return null;
    if (plan.lastDay !== null && day <= plan.lastDay) return null;
    if (!startsOn(plan, day)) continue;
    const windows = zones.map((zone) => windowOn(plan, day, zone));
    const hasOpened = windows.some(({ opensAt }) => opensAt <= now);
    const hasClosed = windows.every(({ closesAt }) => closesAt <= now);
    if (hasOpened && !hasClosed) return day;
  }
}
