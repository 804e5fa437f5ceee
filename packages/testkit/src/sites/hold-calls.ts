import { onTestFinished } from 'vitest';
import type { FleetSite } from './site-fleet.ts';

/** Makes the sites accept calls but not process them until released, so that a test sees running tasks. */
export function hold(...sites: FleetSite[]): () => void {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  // Release after a failed test too, so that waiting calls do not block the next test.
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
