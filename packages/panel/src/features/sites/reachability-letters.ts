import { REACHABILITY_DAYS, REACHABILITY_LETTERS, reachabilityOfDay } from '@steward/contract';

/** Date, checks, failed checks, seconds down. */
export type StoredDay = [day: string, checks: number, failed: number, seconds_down: number];

const DAY_MS = 86_400_000;

/** One letter per day until today, the oldest first. */
export function toReachabilityLetters(days: StoredDay[], now: Date): string {
  const letters = new Map(
    days.map(([day, checks, failed, seconds_down]) => [
      day,
      REACHABILITY_LETTERS[reachabilityOfDay({ checks, failed, seconds_down })],
    ]),
  );
  const dayBefore = (count: number) =>
    new Date(now.getTime() - count * DAY_MS).toISOString().slice(0, 10);
  return Array.from(
    { length: REACHABILITY_DAYS },
    (_, index) =>
      letters.get(dayBefore(REACHABILITY_DAYS - 1 - index)) ?? REACHABILITY_LETTERS.unknown,
  ).join('');
}
