import { describe, expect, it } from 'vitest';
import { reachabilityOfDay } from './reachability-days.ts';

const day = (checks: number, failed: number, seconds_down: number) => ({
  ...{ checks, failed, seconds_down },
});

describe('the reachability of a day', () => {
  it('is down with a confirmed outage', () => {
    expect(reachabilityOfDay(day(12, 12, 3000))).toBe('down');
    expect(reachabilityOfDay(day(0, 0, 60))).toBe('down');
  });

  it('is not up if all checks failed and no outage is confirmed', () => {
    expect(reachabilityOfDay(day(1, 1, 0))).toBe('unknown');
  });

  it('is up without an outage, and unknown without checks', () => {
    expect([reachabilityOfDay(day(288, 1, 0)), reachabilityOfDay(day(0, 0, 0))]).toEqual([
      'up',
      'unknown',
    ]);
  });
});
