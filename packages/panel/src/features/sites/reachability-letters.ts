import { REACHABILITY_DAYS, REACHABILITY_LETTERS, reachabilityOfDay } from '@steward/contract';

/** The number of the day since 1970 in UTC, checks, failed checks, seconds down. */
export type StoredDay = [day: number, checks: number, failed: number, seconds_down: number];

const DAY_MS = 86_400_000;

/** One letter per day until today, the oldest first. */
export function toReachabilityLetters(days: StoredDay[], now: Date): string {
  const firstDay = Math.floor(now.getTime() / DAY_MS) - REACHABILITY_DAYS + 1;
  const letters = Array<string>(REACHABILITY_DAYS).fill(REACHABILITY_LETTERS.unknown);
  for (const [day, checks, failed, seconds_down] of days) {
    if (day < firstDay || day >= firstDay + REACHABILITY_DAYS) continue;
    const state = reachabilityOfDay({ checks, failed, seconds_down });
    letters[day - firstDay] = REACHABILITY_LETTERS[state];
  }
  return letters.join('');
}
