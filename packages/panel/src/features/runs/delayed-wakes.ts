/** A longer delay needs no timer: the poll of an idle worker finds the job early enough. */
const MAX_DELAY_MS = 60_000;
/** The transaction of the job commits meanwhile. Jobs that are due within the same step share a timer. */
const STEP_MS = 20;

/**
 * Wakes the workers of this process when a delayed job is due. A notification announces a job only when it is added, so
 * the worker would otherwise find it at its next poll.
 */
export function createDelayedWakes(wake: () => void) {
  const timers = new Map<number, NodeJS.Timeout>();
  return {
    /** Call this after the job was inserted: its delay has started by then. */
    add(delayMs: number): void {
      if (delayMs <= 0 || delayMs > MAX_DELAY_MS) return;
      const now = performance.now();
      const step = Math.ceil((now + delayMs) / STEP_MS) + 1;
      if (timers.has(step)) return;
      const run = () => {
        timers.delete(step);
        wake();
      };
      timers.set(step, setTimeout(run, step * STEP_MS - now).unref());
    },
    stop(): void {
      for (const timer of timers.values()) clearTimeout(timer);
      timers.clear();
    },
  };
}
