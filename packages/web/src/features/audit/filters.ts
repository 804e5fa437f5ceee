import type { AuditFilterQuery } from '@steward/contract';
import { daysBefore, toDay } from '../../lib/days.ts';

/** The filters in the URL. All values are text; dates have the form `YYYY-MM-DD`. */
export type AuditSearch = { [name in keyof AuditFilterQuery]?: string | undefined };

/** The ranges that end today, by their number of days. */
export const QUICK_RANGES = [1, 7, 30] as const;

/** The range of this many days that ends today. One day is only today. */
export function quickRange(days: number, now: Date): { from: string; to: string } {
  return { from: toDay(daysBefore(now, days - 1)), to: toDay(now) };
}

const DAY_PATTERN = /^\d{4}-\d{2}-\d{2}$/;

/** Converts the filters to a query for the panel. Dates in the user's time zone become timestamps. */
export function toApiQuery(search: AuditSearch): Record<string, string | undefined> {
  return {
    ...search,
    from: toTimestamp(search.from, 0),
    // The range ends at the next midnight, so it includes the whole last day.
    to: toTimestamp(search.to, 1),
  };
}

/** Converts a date to midnight in the user's time zone. Keeps other text, which the panel validates. */
function toTimestamp(text: string | undefined, daysLater: number): string | undefined {
  if (text === undefined || !DAY_PATTERN.test(text)) return text;
  const [year = 0, month = 1, day = 1] = text.split('-').map(Number);
  const moment = new Date(year, month - 1, day + daysLater);
  return Number.isNaN(moment.getTime()) ? text : moment.toISOString();
}

export const isFiltered = (search: AuditSearch): boolean =>
  Object.values(search).some((value) => value !== undefined && value !== '');
