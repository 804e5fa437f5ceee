import { createServer as createHttpServer, type RequestListener } from 'node:http';
import {
  type AddressInfo,
  createServer as createTcpServer,
  type Server,
  type Socket,
} from 'node:net';
import { createSiteServer } from '@steward/agent/node-server.ts';
import { createSiteHandler } from '@steward/agent/site-handler.ts';
import { createWriterLock } from '@steward/agent/writer-lock.ts';
import { createSiteClient, type SiteClientOptions } from '@steward/panel/site-client';
import { onTestFinished } from 'vitest';
import { type Faults, withFaults } from './faults.ts';
import { createMemoryOptions, createMemoryPlatform } from './memory-platform.ts';

export const SERVICE_KEY = 'STWD-0123456-789ABCD-EFGHJKM-NPQRSTV';

/** A site's response to a successful sync. */
export const SUCCESS = JSON.stringify({ success: true });

export const TIMEOUTS = { connectSeconds: 10, actionSeconds: 300, updateSeconds: 900 };

/** Creates a client for sites on this machine. Closes it when the test ends. */
export function siteClient(options: Partial<SiteClientOptions> = {}) {
  const client = createSiteClient({
    allowPrivateSites: true,
    timeouts: TIMEOUTS,
    signer: { sign: async () => [], nonceFor: () => '0'.repeat(32) },
    ...options,
  });
  onTestFinished(() => client.close());
  return client;
}

export function createTarget(siteUrl: string, endpointUrl: string | null = null) {
  return { siteUrl, endpointUrl, serviceKey: SERVICE_KEY };
}

/** Starts a fake site and counts its connections. Closes it when the test ends. */
export async function startFakeSite(server: Server) {
  let connections = 0;
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    connections++;
    sockets.add(socket.on('error', () => {}));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  return { port, url: `http://127.0.0.1:${port}`, connections: () => connections };
}

export const startHttpSite = (respond: RequestListener) => startFakeSite(createHttpServer(respond));

/** Creates a listener that always sends this response. */
export const respondWith =
  (status: number, body: string, headers: Record<string, string> = {}): RequestListener =>
  (_request, response) => {
    response.writeHead(status, headers).end(body);
  };

/** Starts a fake site that passes raw connections to `onConnection`. */
export const startTcpSite = (onConnection: (socket: Socket) => void) =>
  startFakeSite(createTcpServer(onConnection));

/** Starts a fake site that responds to the first request with raw bytes: `respond` gets the socket. */
export const startRawHttpSite = (respond: (socket: Socket) => void) =>
  startTcpSite((socket) => void socket.once('data', () => respond(socket)));

/** A fake DNS that resolves every name to this machine. */
export const resolveToLocalhost = async () => [{ address: '127.0.0.1', family: 4 }];

/** Starts a site with the agent's endpoints and an in-memory platform. */
export async function startAgentSite(faults: Faults = {}) {
  const platform = createMemoryPlatform(
    {
      plugins: {
        'shop/shop.php': { version: '1.0', newVersion: '2.0', active: true },
        'broken/broken.php': { version: '1.0', newVersion: '2.0', updateFails: 'No <b>room</b>.' },
        'steward/steward.php': { version: '1.0', active: true },
      },
      themes: { plain: { version: '1.0', newVersion: '1.1' } },
      core: { version: '6.6' },
    },
    'steward/steward.php',
  );
  const options = createMemoryOptions({
    service_license_key: SERVICE_KEY,
    service_enabled_services: ['remote'],
  });
  const handler = createSiteHandler({
    siteUrl: 'https://shop.example',
    platform,
    options,
    lock: createWriterLock(),
    reportInventory: async () => {},
    onError: () => {},
  });
  const site = withFaults(handler, faults);
  return { ...(await startFakeSite(createSiteServer(() => site))), platform, options };
}
