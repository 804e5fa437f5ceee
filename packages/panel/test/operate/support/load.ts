import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished } from 'vitest';

/** Several requests of each client reach every step of a test, and leave time to the processes that start meanwhile. */
const PAUSE_MS = 100;

/** Sends requests until `stop`, one client per function. A function throws if its request fails. */
export function startLoad(clients: Record<string, () => Promise<void>>) {
  const stopping = new AbortController();
  const failures: string[] = [];
  const counts: Record<string, number> = {};
  const loops = Object.entries(clients).map(async ([name, send]) => {
    counts[name] = 0;
    while (!stopping.signal.aborted) {
      try {
        await send();
        counts[name]++;
      } catch (error) {
        const { message, cause } = error as Error;
        failures.push(`${name}: ${message} ${cause ?? ''}`);
      }
      await sleep(PAUSE_MS);
    }
  });
  const stop = async () => {
    stopping.abort();
    await Promise.all(loops);
  };
  onTestFinished(stop);
  return { failures, counts, stop };
}
