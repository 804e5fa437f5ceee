import type { ReachabilityDay } from '@steward/contract';

const MIN_HEIGHT_PERCENT = 20;
const DAY_SECONDS = 86_400;

/**
 * The height of the red part of a day. A day on which every check failed is red in full: the rest of the day has no
 * check that succeeded.
 */
export function heightPercentOf(day: ReachabilityDay): number {
  if (hasOnlyFailed(day)) return 100;
  return Math.min(100, Math.max(MIN_HEIGHT_PERCENT, (day.seconds_down / DAY_SECONDS) * 100));
}

/** A day with failed checks only is never shown as up, also if no second check confirmed the outage. */
export function stateOf(day: ReachabilityDay): 'up' | 'down' | 'unknown' {
  if (day.seconds_down > 0) return 'down';
  return day.checks > 0 && !hasOnlyFailed(day) ? 'up' : 'unknown';
}

const hasOnlyFailed = ({ checks, failed }: ReachabilityDay) => checks > 0 && failed === checks;
