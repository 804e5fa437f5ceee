import type { Server } from 'node:http';
import { createSiteAgent, type SiteAgent } from '@steward/agent/agent.ts';
import { createSiteServer } from '@steward/agent/node-server.ts';
import { createDirectoryPlatform } from '@steward/agent/platforms/directory/index.ts';
import type { OptionsStore } from '@steward/agent/site-options.ts';
import { withFaults } from '@steward/testkit/sites/faults.ts';
import { type PlacedSite, SLOW_RESPONSE_MS } from './demo-site.ts';
import { findErrors } from './errors.ts';
import { sitePort, siteUrl } from './fleet.ts';
import { siteFeed, siteRoot } from './packages.ts';

type FleetSite = {
  site: PlacedSite;
  agent: SiteAgent;
  options: OptionsStore;
  /** Refreshes the update checks and reports the inventory. */
  report(): Promise<void>;
};

export type Fleet = {
  sites: FleetSite[];
  /** Starts check-ins at the interval the panel sets. */
  startCheckIns(): void;
  stop(): Promise<void>;
};

/** Starts the sites of the demo in this process, except the one that is down. Each has a real agent and its own folder. */
export async function startFleet(
  folder: string,
  firstPort: number,
  placedSites: PlacedSite[],
): Promise<Fleet> {
  // Each site adds an exit listener that releases its folder.
  process.setMaxListeners(placedSites.length + 20);
  const sites: FleetSite[] = [];
  const servers: Server[] = [];
  let stopCheckIns: (() => void)[] = [];
  const stop = async () => {
    for (const stopOne of stopCheckIns) stopOne();
    for (const server of servers) server.close();
    // Finish running updates even if the caller disconnected.
    await Promise.all(sites.map(({ agent }) => agent.whenIdle()));
    for (const server of servers) server.closeAllConnections();
  };
  try {
    for (const site of placedSites) {
      const created = await createSite(folder, site, firstPort);
      sites.push(created);
      if (site.fault === 'down') continue;
      const latencyMs = site.fault === 'slow' ? SLOW_RESPONSE_MS : 0;
      const handler = withFaults(created.agent.handle, { latencyMs });
      const server = createSiteServer(() => handler);
      await listen(server, sitePort(site, firstPort));
      servers.push(server);
    }
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    sites,
    startCheckIns() {
      const runningSites = sites.filter(({ site }) => site.fault !== 'down');
      stopCheckIns = runningSites.map(({ agent }) => agent.startCheckIns());
    },
    stop,
  };
}

async function createSite(folder: string, site: PlacedSite, firstPort: number): Promise<FleetSite> {
  const platform = await createDirectoryPlatform({
    root: siteRoot(folder, site),
    feed: siteFeed(folder, site),
  });
  const { options } = platform.state;
  const { environment } = site;
  const url = siteUrl(site, firstPort);
  const agent = createSiteAgent({
    platform,
    options,
    siteUrl: url,
    ...(environment && { environment }),
    ...(site.failsAfterUpdate && {
      readItemErrors: async () => findErrors(await platform.inventory(), siteRoot(folder, site)),
    }),
  });
  return {
    site,
    agent,
    options,
    async report() {
      await platform.refreshUpdateChecks();
      await agent.reportInventory();
    },
  };
}

async function listen(server: Server, port: number): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', resolve);
  });
}
