import { expect, it } from 'vitest';
import { toReachabilityLetters } from './reachability-letters.ts';

const dayOf = (date: string) => Date.parse(date) / 86_400_000;

it('has one letter for each of the last 30 days, also for days without checks', () => {
  const letters = toReachabilityLetters(
    [
      [dayOf('2026-06-01'), 12, 0, 0],
      [dayOf('2026-05-30'), 288, 4, 600],
      [dayOf('2026-05-29'), 1, 1, 0],
      [dayOf('2025-06-01'), 288, 0, 0],
    ],
    new Date('2026-06-01T12:00:00Z'),
  );
  expect(letters).toBe(`${'n'.repeat(27)}dnu`);
});
