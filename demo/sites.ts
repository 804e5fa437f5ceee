import type { Server } from 'node:http';
import { createSiteAgent, type SiteAgent } from '@steward/agent/agent.ts';
import { createSiteServer } from '@steward/agent/node-server.ts';
import { createDirectoryPlatform } from '@steward/agent/platforms/directory/index.ts';
import type { OptionsStore } from '@steward/agent/site-options.ts';
import { withFaults } from '@steward/testkit/sites/faults.ts';
import { type DemoSite, portOf, SITES, SLOW_ANSWER_MS, urlOf } from './fleet.ts';
import { feedOf, siteRoot } from './packages.ts';

type RunningSite = {
  site: DemoSite;
  agent: SiteAgent;
  options: OptionsStore;
  /** Looks for updates, and tells the panel what is installed. */
  report(): Promise<void>;
};

export type Fleet = {
  sites: RunningSite[];
  /** Check-ins as the panel wants them, from now on. */
  startCheckIns(): void;
  stop(): Promise<void>;
};

/** All sites of the demo in this process: each a real agent on a folder of its own. */
export async function startFleet(folder: string, firstPort: number): Promise<Fleet> {
  // Each site lets go of its folder when the process ends.
  process.setMaxListeners(SITES.length + 20);
  const sites: RunningSite[] = [];
  const servers: Server[] = [];
  let stopCheckIns: (() => void)[] = [];
  const stop = async () => {
    for (const stopOne of stopCheckIns) stopOne();
    for (const server of servers) server.close();
    // An update whose caller has gone is finished all the same.
    await Promise.all(sites.map(({ agent }) => agent.whenIdle()));
    for (const server of servers) server.closeAllConnections();
  };
  try {
    for (const site of SITES) {
      const running = await prepare(folder, site, firstPort);
      sites.push(running);
      if (site.trouble === 'down') continue;
      const latencyMs = site.trouble === 'slow' ? SLOW_ANSWER_MS : 0;
      const handler = withFaults(running.agent.handle, { latencyMs });
      const server = createSiteServer(() => handler);
      await listen(server, portOf(site, firstPort));
      servers.push(server);
    }
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    sites,
    startCheckIns() {
      const up = sites.filter(({ site }) => site.trouble !== 'down');
      stopCheckIns = up.map(({ agent }) => agent.startCheckIns());
    },
    stop,
  };
}

async function prepare(folder: string, site: DemoSite, firstPort: number): Promise<RunningSite> {
  const platform = await createDirectoryPlatform({
    root: siteRoot(folder, site),
    feed: feedOf(folder, site),
  });
  const { options } = platform.state;
  const { environment } = site;
  const siteUrl = urlOf(site, firstPort);
  const agent = createSiteAgent({
    platform,
    options,
    siteUrl,
    ...(environment && { environment }),
  });
  return {
    site,
    agent,
    options,
    async report() {
      await platform.refreshUpdateChecks();
      await agent.verifySite();
    },
  };
}

async function listen(server: Server, port: number): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', resolve);
  });
}
