/** Larger differences than this are no matter of rounding: the header has full seconds, and a response takes time. */
const TOLERANCE_MS = 2000;

let offsetMs = 0;

/**
 * The difference between the clock of the panel and the clock of the browser, after a response with this `Date`
 * header. It stays as it is for small differences, so that a countdown does not jump.
 */
export function correctOffset(current: number, header: string | null, now: number): number {
  const serverTime = Date.parse(header ?? '');
  if (Number.isNaN(serverTime)) return current;
  // On average, the header is half a second old.
  const measured = serverTime + 500 - now;
  return Math.abs(measured - current) > TOLERANCE_MS ? measured : current;
}

/** Learns the time of the panel from a response. */
export function noteServerTime(response: Response): void {
  offsetMs = correctOffset(offsetMs, response.headers.get('date'), Date.now());
}

/** The time of the panel: many computers have a clock that is wrong by minutes. */
export const serverTimeAt = (browserTime: number): number => browserTime + offsetMs;
