const DAY_MS = 24 * 60 * 60 * 1000;

/** The day in UTC, such as 2026-06-01. */
export const utcDay = (time: Date): string => time.toISOString().slice(0, 10);

/** The seconds until the next day in UTC starts, at least 1. */
export const secondsUntilNextDay = (time: Date): number =>
  Math.ceil((DAY_MS - (time.getTime() % DAY_MS)) / 1000);
