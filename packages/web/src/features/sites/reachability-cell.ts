import { hasOnlyFailed, type ReachabilityDay } from '@steward/contract';

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
