import { onTestFinished } from 'vitest';
import type { FleetSite } from './site-fleet.ts';

/** Makes the sites accept calls, but process them only after the returned function was called. */
export function holdCalls(...sites: FleetSite[]): () => void {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  // Also release after a failed test, so that waiting calls do not block the next test.
  onTestFinished(() => release());
  for (const { agent } of sites) {
    const { handle } = agent;
    agent.handle = async (request) => {
      await released;
      return handle(request);
    };
  }
  return release;
}
