/**
 * Runs `count` sites in this process, each with some outdated plugins. Each responds after `latencyMs`; with `slowEvery`, one
 * site in `slowEvery` responds after `slowMs`.
 */
import type { AddressInfo } from 'node:net';
import { createSiteServer, selectByFirstSegment } from '@steward/agent/node-server.ts';
import { createSiteHandler, type SiteHandler } from '@steward/agent/site-handler.ts';
import { createWriterLock } from '@steward/agent/writer-lock.ts';
import { withFaults } from '@steward/testkit/sites/faults.ts';
import {
  createMemoryOptions,
  createMemoryPlatform,
  type MemorySiteState,
} from '@steward/testkit/sites/memory-platform.ts';
import { createPluginNames } from './plugin-names.ts';

const [count, latencyMs, key, plugins, slowEvery, slowMs] = process.argv.slice(2);
const concurrentCalls = { current: 0, max: 0 };
const states: MemorySiteState[] = [];
const handlers = new Map<string, SiteHandler>();
for (let index = 0; index < Number(count); index++) {
  const state = { plugins: createPlugins(), themes: {}, core: { version: '6.0' } };
  states.push(state);
  const platform = createMemoryPlatform(state);
  const options = createMemoryOptions();
  await options.write({ service_license_key: key ?? null, service_enabled_services: ['remote'] });
  const handler = createSiteHandler({
    siteUrl: `https://s${index}.example`,
    platform,
    options,
    lock: createWriterLock(),
    // Do not report: reports would load the panel as much as the measured calls.
    reportInventory: async () => {},
    onError: () => {},
  });
  const isSlow = slowEvery !== undefined && index % Number(slowEvery) === 0;
  const slow = withFaults(handler, { latencyMs: Number(isSlow ? slowMs : latencyMs) });
  // The home page comes from a cache, as on most sites: the latency is that of the update.
  handlers.set(`s${index}`, (request) =>
    request.method === 'GET' ? loadHomePage() : countConcurrency(() => slow(request)),
  );
}
const server = createSiteServer(selectByFirstSegment(handlers));
server.listen(0, '0.0.0.0', () => process.send?.((server.address() as AddressInfo).port));
process.on('message', (message) => {
  if (message === 'offer the updates again')
    for (const state of states) state.plugins = createPlugins();
  process.send?.(concurrentCalls.max);
});
process.once('disconnect', () => process.exit(0));

function createPlugins(): MemorySiteState['plugins'] {
  return Object.fromEntries(
    createPluginNames(Number(plugins)).map((plugin) => [
      plugin,
      { version: '1.0', newVersion: '2.0', active: true },
    ]),
  );
}

async function loadHomePage(): Promise<Response> {
  return new Response('<!doctype html><html><body>Welcome.</body></html>');
}

async function countConcurrency<T>(call: () => Promise<T>): Promise<T> {
  concurrentCalls.max = Math.max(concurrentCalls.max, ++concurrentCalls.current);
  try {
    return await call();
  } finally {
    concurrentCalls.current--;
  }
}
