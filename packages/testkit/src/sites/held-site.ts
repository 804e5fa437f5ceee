import { onTestFinished } from 'vitest';
import type { FleetSite } from './site-fleet.ts';

/** The site takes calls and does not work on them until it is released; so a test sees what is between. */
export function hold(...sites: FleetSite[]): () => void {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  // What is still held when a test has failed must not stand in the way of the next.
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
