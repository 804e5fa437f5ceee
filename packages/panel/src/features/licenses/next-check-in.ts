const TWICE_A_DAY_SECONDS = 12 * 60 * 60;
const JITTER = 0.1;
const BUSY_UTILIZATION = 0.7;

/**
 * Returns the time until the next check-in of a site. Jitter keeps sites that were connected together from checking in
 * together. A busy panel extends the interval, up to double its length, to receive fewer calls. `random` and
 * `utilization` range from 0 to 1.
 */
export function nextCheckInSeconds(random: number, utilization: number): number {
  const jitter = 1 + JITTER * (2 * random - 1);
  const overload = Math.max(0, (utilization - BUSY_UTILIZATION) / (1 - BUSY_UTILIZATION));
  return Math.round(TWICE_A_DAY_SECONDS * jitter * (1 + Math.min(1, overload)));
}
