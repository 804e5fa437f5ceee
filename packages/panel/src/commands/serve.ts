import { existsSync } from 'node:fs';
import { type AddressInfo, isIPv6 } from 'node:net';
import { join } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import type { FastifyInstance } from 'fastify';
import { buildApp } from '../app.ts';
import { type Config, loadConfig } from '../config.ts';
import { startAuditSealer } from '../features/audit/audit-sealer.ts';
import { ensureDataDir } from '../lib/data-dir.ts';
import { createLogger } from '../lib/logger.ts';
import { openPanel } from '../panel.ts';
import { printLine } from './output.ts';

const STOP_SECONDS = 15;
const SWEEP_MS = 100;
const SAME_SIGNAL_MS = 1000;

export function serveCommand(): Command {
  return new Command('serve')
    .description('run the panel')
    .option('--port <n>', 'the port to listen on (default: PORT, or 8080)', parsePort)
    .option('--host <address>', 'the address to listen on (default: HOST, or 127.0.0.1)')
    .action(async ({ port, host }: { port?: string; host?: string }) => {
      const env = { ...process.env, ...(port && { PORT: port }), ...(host && { HOST: host }) };
      await serve(loadConfig(env));
    });
}

async function serve(config: Config): Promise<void> {
  const log = createLogger(config.logLevel);
  if (config.databaseUrl === null && !existsSync(join(ensureDataDir(config.dataDir), 'postgres'))) {
    printLine(`Setting up a database in ${config.dataDir}; this happens once.`);
  }
  const panel = await openPanel(config, log);
  if (panel.migrated.length > 0)
    log.info({ migrated: panel.migrated }, 'The database was migrated.');
  let app: FastifyInstance;
  try {
    app = await buildApp(config, { ...panel, db: panel.connection.db, log });
    await app.listen({ port: config.port, host: config.host });
  } catch (error) {
    await panel.close();
    throw explainListenFault(error as NodeJS.ErrnoException, config);
  }
  const sealer = startAuditSealer(panel.services.auditChain, log);
  stopOnSignal(async () => {
    // A connection whose last request ends after the close would be kept alive for nothing.
    const sweep = setInterval(() => app.server.closeIdleConnections(), SWEEP_MS);
    await app.close();
    clearInterval(sweep);
    await sealer.stop();
    await panel.close();
  });

  const { port } = app.server.address() as AddressInfo;
  const host = isIPv6(config.host) ? `[${config.host}]` : config.host;
  printLine(`Steward is running at http://${host}:${port}`);
  if (!(await panel.services.licenses.hasAny())) {
    printLine('There is no license yet. Create one in another terminal with:');
    const dataDir = process.env.DATA_DIR ? `DATA_DIR='${config.dataDir}' ` : '';
    printLine(`  ${dataDir}npx steward license create --plan Agency --site-limit 10`);
  }
  printLine('Stop it with Ctrl+C.');
}

/**
 * Finishes what is under way, then leaves the database in order. A second signal does not wait; but
 * one Ctrl+C under npm comes twice, from the terminal and passed on by npm.
 */
function stopOnSignal(stop: () => Promise<void>): void {
  let stoppingSince: number | null = null;
  const onSignal = async () => {
    if (stoppingSince !== null) {
      if (performance.now() - stoppingSince > SAME_SIGNAL_MS) process.exit(1);
      return;
    }
    stoppingSince = performance.now();
    printLine('Stopping…');
    setTimeout(() => process.exit(1), STOP_SECONDS * 1000).unref();
    try {
      await stop();
      process.exit(0);
    } catch (error) {
      process.stderr.write(`steward: It did not stop in order: ${(error as Error).message}\n`);
      process.exit(1);
    }
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
}

function parsePort(text: string): string {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return text;
  throw new InvalidArgumentError('It must be a whole number from 0 to 65535.');
}

function explainListenFault(error: NodeJS.ErrnoException, { host, port }: Config): Error {
  switch (error.code) {
    case 'EADDRINUSE':
      return new Error(
        `Port ${port} on ${host} is taken. Choose another with --port, or stop what uses it.`,
      );
    case 'EACCES':
      return new Error(`Port ${port} needs more rights. Choose one above 1023 with --port.`);
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new Error(`${host} is not an address of this machine. Choose another with --host.`);
    default:
      return error;
  }
}
