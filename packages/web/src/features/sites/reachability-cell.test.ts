import { describe, expect, it } from 'vitest';
import { heightPercentOf } from './reachability-cell.ts';

const day = (checks: number, failed: number, seconds_down: number) => ({
  ...{ day: '2026-06-01', checks, failed, seconds_down },
  ...{ response_median_ms: null, response_max_ms: null },
});

describe('the cell of a day', () => {
  it('is red in full if all checks failed', () => {
    expect(heightPercentOf(day(12, 12, 3000))).toBe(100);
  });

  it('is partly red if the site was also up', () => {
    expect(heightPercentOf(day(288, 100, 43_200))).toBe(50);
    expect(heightPercentOf(day(288, 2, 60))).toBe(20);
  });
});
