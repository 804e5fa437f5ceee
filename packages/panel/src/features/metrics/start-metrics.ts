import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, isIPv6 } from 'node:net';
import type pg from 'pg';
import { collectDefaultMetrics, Registry } from 'prom-client';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database/handles.ts';
import type { LoadMonitor } from '../../platform/load-monitor.ts';
import type { Logger } from '../../platform/logger.ts';
import { setMeter } from '../../platform/telemetry/meter.ts';
import { addPanelGauges, addProcessGauges } from './create-gauges.ts';
import { createMeter } from './create-meter.ts';
import { createStateReader } from './state-reader.ts';

type Dependencies = {
  db: Database;
  pool: pg.Pool;
  load: LoadMonitor;
  clock: Clock;
  log: Logger;
  role: string;
};

export type MetricsServer = { url: string; stop(): Promise<void> };

/** Only once per process: the collectors of prom-client never stop. */
let nodeMetrics: Registry | undefined;

function getNodeMetrics(): Registry {
  if (!nodeMetrics) {
    nodeMetrics = new Registry();
    collectDefaultMetrics({ register: nodeMetrics });
  }
  return nodeMetrics;
}

/**
 * Starts to count events and to serve the metrics of this process on a port of their own, so that the public address of
 * the panel does not show them.
 */
export async function startMetrics(
  { port, host }: { port: number; host: string },
  deps: Dependencies,
): Promise<MetricsServer> {
  const { clock, log } = deps;
  const registry = new Registry();
  addProcessGauges(registry, deps);
  const panelGauges = addPanelGauges(registry);
  const meter = createMeter(registry);
  const stateReader = createStateReader(deps);
  const all = Registry.merge([registry, getNodeMetrics()]);

  async function respond(): Promise<string> {
    panelGauges.show(await stateReader.read(), clock.now());
    return all.metrics();
  }

  const server = createServer((request, response) => {
    const [path] = (request.url ?? '').split('?', 1);
    if (path !== '/metrics') return response.writeHead(404).end('Not found. See /metrics.\n');
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return response.writeHead(405, { allow: 'GET, HEAD' }).end();
    }
    respond().then(
      (text) => response.writeHead(200, { 'content-type': all.contentType }).end(text),
      (err) => {
        log.error({ err }, 'Could not collect metrics.');
        response.writeHead(500).end();
      },
    );
  });
  server.listen(port, host);
  // Rejects if the port is in use.
  await once(server, 'listening');
  setMeter(meter);
  const address = server.address() as AddressInfo;
  return {
    url: `http://${isIPv6(host) ? `[${host}]` : host}:${address.port}/metrics`,
    async stop() {
      setMeter(null);
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
