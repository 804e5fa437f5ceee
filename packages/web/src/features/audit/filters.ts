import type { AuditFilterQuery } from '@steward/contract';

/** The filters as they stand in the address: text, and days as people choose them. */
export type AuditSearch = { [name in keyof AuditFilterQuery]?: string };

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** What the panel is asked: days of the reader's own zone become moments. */
export function queryOf(search: AuditSearch): Record<string, string | undefined> {
  return {
    ...search,
    from: momentOf(search.from, 0),
    // The last day is meant with all its hours.
    to: momentOf(search.to, 1),
  };
}

/** Midnight where the reader is. Anything but a day is left for the panel to judge. */
function momentOf(text: string | undefined, daysLater: number): string | undefined {
  if (text === undefined || !DAY.test(text)) return text;
  const [year = 0, month = 1, day = 1] = text.split('-').map(Number);
  const moment = new Date(year, month - 1, day + daysLater);
  return Number.isNaN(moment.getTime()) ? text : moment.toISOString();
}

export const isFiltered = (search: AuditSearch): boolean =>
  Object.values(search).some((value) => value !== undefined && value !== '');
