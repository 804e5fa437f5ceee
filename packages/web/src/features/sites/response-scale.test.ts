import { expect, it } from 'vitest';
import { findScale, listMeasuredDays } from './response-scale.ts';

const day = (name: string, medianMs: number | null, maxMs: number | null) => ({
  ...{ day: name, checks: 1, failed: 0, seconds_down: 0 },
  response_median_ms: medianMs,
  response_max_ms: maxMs,
});

it('shows the measured days up to the slowest response', () => {
  const days = listMeasuredDays([day('2026-05-31', null, null), day('2026-06-01', 200, 700)]);
  expect(days).toEqual([{ day: '2026-06-01', medianMs: 200, maxMs: 700 }]);
  expect(findScale(days)).toEqual({ topMs: 700, isCut: false });
});

it('cuts off single slow responses', () => {
  const days = listMeasuredDays([day('2026-05-31', 100, 20_000), day('2026-06-01', 200, 700)]);
  expect(findScale(days)).toEqual({ topMs: 1000, isCut: true });
});

it('has a scale for a response in no time', () => {
  expect(findScale([{ day: '2026-06-01', medianMs: 0, maxMs: 0 }]).topMs).toBe(1);
});
