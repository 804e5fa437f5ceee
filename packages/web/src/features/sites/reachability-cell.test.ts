import { describe, expect, it } from 'vitest';
import { heightPercentOf, stateOf } from './reachability-cell.ts';

const day = (checks: number, failed: number, seconds_down: number) => ({
  ...{ day: '2026-06-01', checks, failed, seconds_down },
  ...{ response_median_ms: null, response_max_ms: null },
});

describe('the cell of a day', () => {
  it('is red in full if all checks failed', () => {
    expect([stateOf(day(12, 12, 3000)), heightPercentOf(day(12, 12, 3000))]).toEqual(['down', 100]);
  });

  it('is partly red if the site was also up', () => {
    expect([stateOf(day(288, 100, 43_200)), heightPercentOf(day(288, 100, 43_200))]).toEqual([
      'down',
      50,
    ]);
    expect(heightPercentOf(day(288, 2, 60))).toBe(20);
  });

  it('is not up if all checks failed and no outage is confirmed', () => {
    expect(stateOf(day(1, 1, 0))).toBe('unknown');
  });

  it('is up without an outage, and unknown without checks', () => {
    expect([stateOf(day(288, 1, 0)), stateOf(day(0, 0, 0))]).toEqual(['up', 'unknown']);
  });
});
