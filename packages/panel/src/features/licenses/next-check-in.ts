const TWICE_A_DAY_SECONDS = 12 * 60 * 60;
const JITTER = 0.1;
const BUSY_FROM = 0.7;

/**
 * The time until the next check-in of a site. Jitter spreads sites that were connected together. A busy panel extends
 * the interval, at most to twice its length, to get fewer calls. `random` and `utilization` are from 0 to 1.
 */
export function nextCheckInSeconds(random: number, utilization: number): number {
  const jitter = 1 + JITTER * (2 * random - 1);
  const load = Math.max(0, (utilization - BUSY_FROM) / (1 - BUSY_FROM));
  return Math.round(TWICE_A_DAY_SECONDS * jitter * (1 + Math.min(1, load)));
}
