/** A process with as many sites as are asked for, each of which takes its time to answer. */
import type { AddressInfo } from 'node:net';
import { createSiteServer, selectByFirstSegment } from '@steward/agent/node-server.ts';
import { createSiteHandler, type SiteHandler } from '@steward/agent/site-handler.ts';
import { createWriterLock } from '@steward/agent/writer-lock.ts';
import { withFaults } from '@steward/testkit/sites/faults.ts';
import {
  createMemoryOptions,
  createMemoryPlatform,
} from '@steward/testkit/sites/memory-platform.ts';

const [count, latencyMs, key] = process.argv.slice(2);
const atOnce = { now: 0, most: 0 };
const handlers = new Map<string, SiteHandler>();
for (let index = 0; index < Number(count); index++) {
  const platform = createMemoryPlatform({
    plugins: { 'shop/shop.php': { version: '1.0', newVersion: '2.0', active: true } },
    themes: {},
    core: { version: '6.0' },
  });
  const options = createMemoryOptions();
  await options.write({ service_license_key: key ?? null, service_enabled_services: ['remote'] });
  const handler = createSiteHandler({
    siteUrl: `https://s${index}.example`,
    platform,
    options,
    lock: createWriterLock(),
    // What is measured is the fan-out; reports would load the panel as much as the calls.
    resync: async () => {},
    onError: () => {},
  });
  const slow = withFaults(handler, { latencyMs: Number(latencyMs) });
  handlers.set(`s${index}`, (request) => counted(() => slow(request)));
}
const server = createSiteServer(selectByFirstSegment(handlers));
server.listen(0, '0.0.0.0', () => process.send?.((server.address() as AddressInfo).port));
process.on('message', () => process.send?.(atOnce.most));
process.once('disconnect', () => process.exit(0));

async function counted<T>(call: () => Promise<T>): Promise<T> {
  atOnce.most = Math.max(atOnce.most, ++atOnce.now);
  try {
    return await call();
  } finally {
    atOnce.now--;
  }
}
