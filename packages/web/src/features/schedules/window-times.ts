import { createZoneFormat } from '../../lib/time-zones.ts';

/** Computes the same windows as the panel, for the preview in the dialog. The panel decides. */

export type LocalTime = { day: string; time: string };

/** "2026-06-02" and "02:00" in a zone. An unknown zone counts as UTC. */
export function toLocalTime(at: Date, zone: string): LocalTime {
  const parts = Object.fromEntries(
    createZoneFormat(LOCAL_TIME, zone)
      .formatToParts(at)
      .map(({ type, value }) => [type, value]),
  );
  return {
    day: `${parts.year}-${parts.month}-${parts.day}`,
    time: `${parts.hour}:${parts.minute}`,
  };
}

const LOCAL_TIME = {
  ...({ year: 'numeric', month: '2-digit', day: '2-digit' } as const),
  ...({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const),
};

type Plan = { weekdays: number[]; once_on: string | null; opens_at: string; closes_at: string };

/**
 * The local day of the window that is open now, or of the next one. Null: the plan has no days. If the window on
 * `once_on` has closed, returns a later day, so the caller has to compare.
 */
export function findNextDay(plan: Plan, now: LocalTime): string | null {
  const first = addDays(now.day, closesNextDay(plan) ? -1 : 0);
  const from = plan.once_on !== null && plan.once_on > first ? plan.once_on : first;
  for (let days = 0; days <= 9; days++) {
    const day = addDays(from, days);
    if (plan.once_on === null && !plan.weekdays.includes(weekdayOf(day))) continue;
    const closes = `${closesNextDay(plan) ? addDays(day, 1) : day}T${plan.closes_at}`;
    if (closes > `${now.day}T${now.time}`) return day;
  }
  return null;
}

/** Returns the day that "tonight" means: the day of the window that is open now, or of the next one. */
export const findTonight = (times: Pick<Plan, 'opens_at' | 'closes_at'>, now: LocalTime): string =>
  findNextDay({ ...times, weekdays: [1, 2, 3, 4, 5, 6, 7], once_on: null }, now) ?? now.day;

const closesNextDay = ({ opens_at, closes_at }: Pick<Plan, 'opens_at' | 'closes_at'>) =>
  closes_at <= opens_at;

/** ISO day of the week, 1 is Monday. */
const weekdayOf = (day: string): number => new Date(`${day}T00:00Z`).getUTCDay() || 7;

export function addDays(day: string, days: number): string {
  const date = new Date(`${day}T00:00Z`);
  date.setUTCDate(date.getUTCDate() + days);
  return date.toISOString().slice(0, 10);
}
