import type { AddressInfo } from 'node:net';
import { createSiteAgent } from '@steward/agent/agent.ts';
import { createSiteServer, selectByFirstSegment } from '@steward/agent/node-server.ts';
import type { SiteHandler } from '@steward/agent/site-handler.ts';
import { isSiteKey } from '@steward/contract';
import { noteSecret } from '../logs.ts';
import { type Faults, withFaults } from './faults.ts';
import {
  createMemoryOptions,
  createMemoryPlatform,
  type MemorySiteState,
} from './memory-platform.ts';

export const SHOP = 'shop/shop.php';

/** One plugin with an update, and nothing else. */
export const outdated = (): MemorySiteState => ({
  plugins: { [SHOP]: { version: '1.0', newVersion: '2.0', active: true } },
  themes: {},
  core: { version: '6.0' },
});

export type FleetSite = Awaited<ReturnType<Awaited<ReturnType<typeof startFleet>>['add']>>;

/**
 * Many sites in one process, which talk to a panel and are called by it over real HTTP, unless the panel
 * may not call them.
 */
export async function startFleet(
  panelUrl: string,
  licenseKey: string,
  { host = '127.0.0.1', isCalled = true } = {},
) {
  const handlers = new Map<string, SiteHandler>();
  /** Calls at all sites together. */
  const underWay = { now: 0, most: 0 };
  const begin = (tally: typeof underWay) => {
    tally.most = Math.max(tally.most, ++tally.now);
  };
  const server = createSiteServer(selectByFirstSegment(handlers));
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const origin = `http://${host}:${(server.address() as AddressInfo).port}`;

  /** A site that has connected itself, and said no more. */
  async function connect(name: string, state: MemorySiteState = outdated(), key = licenseKey) {
    const platform = createMemoryPlatform(state);
    const options = createMemoryOptions();
    const siteUrl = `${origin}/${name}`;
    const agent = createSiteAgent({ platform, options, siteUrl });
    const faults: Faults = {};
    const calls: string[] = [];
    const here = { now: 0, most: 0 };
    /** Calls wait for this before the site begins. */
    const gate: { opens: Promise<void> | null } = { opens: null };
    const proven = Promise.withResolvers<void>();
    handlers.set(
      name,
      withFaults(async (request) => {
        const path = new URL(request.url).pathname.split('/').at(-1) ?? '';
        // These change nothing, and no run makes them.
        if (path === 'proof' || path === 'check') {
          const answer = await agent.handle(request);
          if (path === 'proof' && answer.ok) proven.resolve();
          return answer;
        }
        calls.push(path);
        for (const tally of [underWay, here]) begin(tally);
        try {
          await gate.opens;
          return await agent.handle(request);
        } finally {
          for (const tally of [underWay, here]) tally.now--;
        }
      }, faults),
    );
    await agent.link.activate(panelUrl, key);
    const { activation_token, service_license_key } = await options.read();
    for (const secret of [activation_token, service_license_key]) noteSecret(secret ?? key);
    // Faults that a test makes are for its own calls.
    if (isCalled && isSiteKey(service_license_key ?? '')) await proven.promise;
    return { name, siteUrl, state, options, faults, calls, underWay: here, gate, agent };
  }

  return {
    origin,
    underWay,
    connect,
    /** A site that has connected itself and reported what it has. */
    async add(...site: Parameters<typeof connect>) {
      const connected = await connect(...site);
      await connected.agent.verifySite();
      return connected;
    },
    /** The site is not there any more. */
    forget: (name: string) => handlers.delete(name),
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Only the next call goes wrong, however soon the one after it comes. */
export function failOnce(faults: Faults, answer: NonNullable<Faults['answer']>): void {
  const get = () => {
    delete faults.answer;
    return answer;
  };
  Object.defineProperty(faults, 'answer', { configurable: true, enumerable: true, get });
}

/** Not all at once: a panel that is overloaded turns sites away. */
export async function someAtATime<T>(count: number, make: (index: number) => Promise<T>) {
  const made: T[] = [];
  while (made.length < count) {
    const next = Array.from({ length: Math.min(25, count - made.length) }, (_, i) => i);
    made.push(...(await Promise.all(next.map((i) => make(made.length + i)))));
  }
  return made;
}
