import { describe, expect, it } from 'vitest';
import { secondsUntilNextDay, utcDay } from './utc-day.ts';

describe('days in UTC', () => {
  it.each([
    ['2026-06-01T00:00:00.000Z', '2026-06-01', 86_400],
    ['2026-06-01T12:00:00.000Z', '2026-06-01', 43_200],
    ['2026-06-01T23:59:59.999Z', '2026-06-01', 1],
  ])('%s is on %s, with %i seconds left', (time, day, seconds) => {
    const date = new Date(time);
    expect([utcDay(date), secondsUntilNextDay(date)]).toEqual([day, seconds]);
  });
});
