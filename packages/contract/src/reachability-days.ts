import type { ReachabilityDay } from './schemas/reachability-api.ts';

/** How lists show a day: one letter. */
export const REACHABILITY_LETTERS = { up: 'u', down: 'd', unknown: 'n' } as const;
export type ReachabilityDayState = keyof typeof REACHABILITY_LETTERS;

type DayCounts = Pick<ReachabilityDay, 'checks' | 'failed' | 'seconds_down'>;

/** A day with failed checks only is never shown as up, also if no second check confirmed the outage. */
export function reachabilityOfDay(day: DayCounts): ReachabilityDayState {
  if (day.seconds_down > 0) return 'down';
  return day.checks > 0 && !hasOnlyFailed(day) ? 'up' : 'unknown';
}

export const hasOnlyFailed = ({ checks, failed }: DayCounts) => checks > 0 && failed === checks;
