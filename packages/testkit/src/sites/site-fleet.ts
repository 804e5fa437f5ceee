import type { AddressInfo } from 'node:net';
import { createSiteAgent } from '@steward/agent/agent.ts';
import { createSiteServer, selectByFirstSegment } from '@steward/agent/node-server.ts';
import type { SiteHandler } from '@steward/agent/site-handler.ts';
import { isSiteKey } from '@steward/contract';
import { registerSecret } from '../logs.ts';
import { type Faults, withFaults } from './faults.ts';
import {
  createMemoryOptions,
  createMemoryPlatform,
  type MemorySiteState,
} from './memory-platform.ts';

export const SHOP = 'shop/shop.php';

/** A site with one plugin that has a pending update. */
export const outdatedSite = (): MemorySiteState => ({
  plugins: { [SHOP]: { version: '1.0', newVersion: '2.0', active: true } },
  themes: {},
  core: { version: '6.0' },
});

// biome-ignore lint/suspicious/noExplicitAny: a test knows the body of the calls that it makes.
export type FakeRoutes = Record<string, (body: any) => object | Promise<object>>;

/** A function that returns null leaves the response to the site. */
export type FakeHealth = {
  home?: (request: Request) => Response | null | Promise<Response | null>;
  proof?: (request: Request) => Response | null;
};

const lastPartOf = (request: Request) => new URL(request.url).pathname.split('/').at(-1) ?? '';

function createHomePage(name: string): Response {
  const text = `<p>Welcome to ${name}.</p>`.repeat(60);
  return new Response(`<!doctype html><html><body>${text}</body></html>`, {
    headers: { 'content-type': 'text/html' },
  });
}

export type FleetSite = Awaited<ReturnType<Awaited<ReturnType<typeof startFleet>>['add']>>;

/**
 * Starts many sites in one process. They call the panel over real HTTP. Set `panelMayCallSites: false` if the panel
 * refuses private addresses: then no site waits for its proof of address.
 */
export async function startFleet(
  panelUrl: string,
  licenseKey: string,
  { host = '127.0.0.1', panelMayCallSites = true } = {},
) {
  const handlers = new Map<string, SiteHandler>();
  const network = { isCut: false };
  /** Concurrent calls on all sites together. */
  const inFlight = { now: 0, most: 0 };
  const countStart = (tally: typeof inFlight) => {
    tally.most = Math.max(tally.most, ++tally.now);
  };
  const server = createSiteServer(selectByFirstSegment(handlers));
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const origin = `http://${host}:${(server.address() as AddressInfo).port}`;

  /** Connects a site, which does not report yet. */
  async function connect(name: string, state: MemorySiteState = outdatedSite(), key = licenseKey) {
    const platform = createMemoryPlatform(state);
    const options = createMemoryOptions();
    const siteUrl = `${origin}/${name}`;
    const agent = createSiteAgent({ platform, options, siteUrl });
    const faults: Faults = {};
    const calls: string[] = [];
    const onThisSite = { now: 0, most: 0 };
    /** Calls wait for this promise before the site processes them. */
    const gate: { opens: Promise<void> | null } = { opens: null };
    /** Responds to calls in place of the agent, by the last part of their path. */
    const routes: FakeRoutes = {};
    const proven = Promise.withResolvers<void>();
    /** Responds to observations of the panel in place of the site. */
    const health: FakeHealth = {};
    let isProven = false;
    const handleCall = withFaults(async (request) => {
      const path = lastPartOf(request);
      // Do not count these calls: they change nothing and are not part of a run.
      if (path === 'proof' || path === 'check') {
        const response = await agent.handle(request);
        if (path === 'proof' && response.ok) {
          isProven = true;
          proven.resolve();
        }
        return response;
      }
      calls.push(path);
      for (const tally of [inFlight, onThisSite]) countStart(tally);
      try {
        await gate.opens;
        const route = routes[path];
        if (route) return Response.json(await route(await request.json()));
        return await agent.handle(request);
      } finally {
        for (const tally of [inFlight, onThisSite]) tally.now--;
      }
    }, faults);
    // Observations bypass the faults, which a test sets for the calls of its run.
    handlers.set(name, async (request) => {
      if (network.isCut) return Response.error();
      if (request.method === 'GET') return (await health.home?.(request)) ?? createHomePage(name);
      if (lastPartOf(request) !== 'proof' || !isProven) return handleCall(request);
      return health.proof?.(request) ?? agent.handle(request);
    });
    await agent.panelClient.activate(panelUrl, key);
    const { activation_token, service_license_key } = await options.read();
    for (const secret of [activation_token, service_license_key]) registerSecret(secret ?? key);
    // Wait for the proof of address, so that faults of a test affect only its own calls.
    if (panelMayCallSites && isSiteKey(service_license_key ?? '')) await proven.promise;
    return {
      name,
      siteUrl,
      state,
      options,
      faults,
      health,
      calls,
      inFlight: onThisSite,
      gate,
      agent,
      routes,
    };
  }

  return {
    origin,
    inFlight,
    connect,
    /** Connects a site and reports its inventory. */
    async add(...site: Parameters<typeof connect>) {
      const connected = await connect(...site);
      await connected.agent.reportInventory();
      return connected;
    },
    /** Closes each connection to the sites without a response, until the returned function is called. */
    cutAll() {
      network.isCut = true;
      return () => {
        network.isCut = false;
      };
    },
    /** Serves a folder of the host in place of the site with this name, or beside the sites. */
    serve: (folder: string, handler: SiteHandler) => void handlers.set(folder, handler),
    /** Removes the site; calls to it get 404. */
    remove: (name: string) => handlers.delete(name),
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Makes only the next call fail, even if several calls run concurrently. */
export function failOnce(faults: Faults, response: NonNullable<Faults['response']>): void {
  const get = () => {
    delete faults.response;
    return response;
  };
  Object.defineProperty(faults, 'response', { configurable: true, enumerable: true, get });
}

/** Calls `create` in batches of 25: more concurrent activations would overload the panel. */
export async function createInBatches<T>(count: number, create: (index: number) => Promise<T>) {
  const created: T[] = [];
  while (created.length < count) {
    const batch = Array.from({ length: Math.min(25, count - created.length) }, (_, i) => i);
    created.push(...(await Promise.all(batch.map((i) => create(created.length + i)))));
  }
  return created;
}
