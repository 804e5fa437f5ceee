const TWICE_A_DAY_SECONDS = 12 * 60 * 60;
const JITTER = 0.1;
const BUSY_FROM = 0.7;

/**
 * When a site should check in again. Spread out, so that sites connected together do not come back
 * together; and up to twice as long while the panel is busy, which is when fewer calls help most.
 * `random` and `utilization` are from 0 to 1.
 */
export function nextCheckInSeconds(random: number, utilization: number): number {
  const spread = 1 + JITTER * (2 * random - 1);
  const busyness = Math.max(0, (utilization - BUSY_FROM) / (1 - BUSY_FROM));
  return Math.round(TWICE_A_DAY_SECONDS * spread * (1 + Math.min(1, busyness)));
}
