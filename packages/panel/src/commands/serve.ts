import { existsSync } from 'node:fs';
import { type AddressInfo, isIPv6 } from 'node:net';
import { join } from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import type { FastifyInstance } from 'fastify';
import { buildApp } from '../app.ts';
import { createHeadWebhook, startAuditSealer, startAuditWatcher } from '../features/audit/index.ts';
import { openRuns, type Runs } from '../features/runs/index.ts';
import { openPanel, type Panel } from '../panel.ts';
import { systemClock } from '../platform/clock.ts';
import { type Config, loadConfig } from '../platform/config.ts';
import { ensureDataDir } from '../platform/data-dir.ts';
import { mayOwnAuditLog } from '../platform/database/runtime-role.ts';
import { createLogger, type Logger } from '../platform/logger.ts';
import type { Services } from '../services.ts';
import { COMMAND_LINE, type CommandContext } from './command-context.ts';

const STOP_SECONDS = 15;
const SWEEP_MS = 100;
const SAME_SIGNAL_MS = 1000;

export function serveCommand(context: CommandContext): Command {
  return new Command('serve')
    .description('run the panel')
    .option('--port <n>', 'the port to listen on (default: PORT, or 8080)', parsePort)
    .option('--host <address>', 'the address to listen on (default: HOST, or 127.0.0.1)')
    .addOption(
      new Option(
        '--role <role>',
        'only answer requests, or only call sites (default: both)',
      ).choices(ROLES),
    )
    .action(async ({ port, host, role }: { port?: string; host?: string; role?: Role }) => {
      const env = { ...context.env, ...(port && { PORT: port }), ...(host && { HOST: host }) };
      await serve(context, loadConfig(env), role ?? 'all');
    });
}

const ROLES = ['web', 'worker'];
type Role = 'all' | 'web' | 'worker';

async function serve(context: CommandContext, config: Config, role: Role): Promise<void> {
  const log = createLogger(config.logLevel);
  if (config.databaseUrl === null && !existsSync(join(ensureDataDir(config.dataDir), 'postgres'))) {
    context.printLine(`Setting up a database in ${config.dataDir}; this happens once.`);
  }
  const panel = await openPanel(config, log);
  if (panel.migrated.length > 0)
    log.info({ migrated: panel.migrated }, 'The database was migrated.');
  await sayWhichRole(config, panel, log);
  // Before the first request, so that the overview never shows a log in order that is not.
  await panel.services.auditWatch.check().catch((error: Error) => {
    log.warn({ reason: error.message }, 'The audit log was not checked.');
  });
  let runs: Runs | undefined;
  let app: FastifyInstance | undefined;
  try {
    const deps = { ...panel.connection, ...panel.services, secrets: panel.secrets, log };
    runs = await openRuns({ ...deps, clock: systemClock }, config, { works: role !== 'web' });
    if (role !== 'worker') app = await listen(config, panel, runs, log);
  } catch (error) {
    await runs?.stop();
    await panel.close();
    throw explainListenFault(error as NodeJS.ErrnoException, config);
  }
  const sealer = startAuditSealer(panel.services.auditChain, log);
  const watcher = watchAudit(config, panel.services, role, log);
  stopOnSignal(context, async () => {
    await Promise.all([app && closeApp(app), runs.stop()]);
    await Promise.all([sealer.stop(), watcher.stop()]);
    await panel.close();
  });
  if (app) await sayWhere(context, app, panel.services, config);
  else context.printLine('Steward is working: it calls sites for the panels on the same database.');
  context.printLine('Stop it with Ctrl+C.');
}

/** Works, but without the rights that would keep the panel itself from changing its audit log. */
async function sayWhichRole(config: Config, panel: Panel, log: Logger): Promise<void> {
  if (config.databaseUrl === null || !(await mayOwnAuditLog(panel.connection.db))) return;
  log.warn(
    'The database role of the panel owns the audit log and could change it. Give the panel a role of its own: docs/operate.md, "Two database roles".',
  );
}

function watchAudit(config: Config, services: Services, role: Role, log: Logger) {
  const { auditHeadWebhook: url, baseUrl: panel } = config;
  const { auditWatch: watch, auditHead } = services;
  const webhook = url ? createHeadWebhook({ url, panel, sealed: auditHead.sealed, log }) : null;
  return startAuditWatcher({ watch, webhook, log, walks: role !== 'worker' });
}

async function listen(
  config: Config,
  panel: Panel,
  runs: Runs,
  log: Logger,
): Promise<FastifyInstance> {
  const { db } = panel.connection;
  const clock = systemClock;
  const app = await buildApp(config, { ...panel, db, runs: runs.service, log, clock });
  await panel.services.sessions.load();
  await app.listen({ port: config.port, host: config.host });
  panel.listensOn((app.server.address() as AddressInfo).port);
  return app;
}

async function closeApp(app: FastifyInstance): Promise<void> {
  // A connection whose last request ends after the close would be kept alive for nothing.
  const sweep = setInterval(() => app.server.closeIdleConnections(), SWEEP_MS);
  await app.close();
  clearInterval(sweep);
}

async function sayWhere(
  context: CommandContext,
  app: FastifyInstance,
  services: Services,
  config: Config,
): Promise<void> {
  const { port } = app.server.address() as AddressInfo;
  const host = isIPv6(config.host) ? `[${config.host}]` : config.host;
  context.printLine(`Steward is running at http://${host}:${port}`);
  await sayWhatIsMissing(context, services, config);
}

async function sayWhatIsMissing(
  context: CommandContext,
  services: Services,
  config: Config,
): Promise<void> {
  const setupLink = await services.setup.start(COMMAND_LINE);
  if (setupLink) {
    context.printLine(
      'There is no user yet. This link makes the first owner; it works once, for a day:',
    );
    context.printLine(`  ${setupLink.url}`);
  }
  if (!(await services.licenses.hasAny())) {
    context.printLine(
      'There is no license yet. Create one in another terminal, in this folder, with:',
    );
    const dataDir = context.env.DATA_DIR ? `DATA_DIR='${config.dataDir}' ` : '';
    context.printLine(
      `  ${dataDir}npx --no-install steward license create --plan Agency --site-limit 10`,
    );
  }
}

/**
 * Finishes what is under way, then leaves the database in order. A second signal does not wait; but
 * one Ctrl+C under npm comes twice, from the terminal and passed on by npm.
 */
function stopOnSignal(context: CommandContext, stop: () => Promise<void>): void {
  let stoppingSince: number | null = null;
  const onSignal = async () => {
    if (stoppingSince !== null) {
      if (performance.now() - stoppingSince > SAME_SIGNAL_MS) process.exit(1);
      return;
    }
    stoppingSince = performance.now();
    context.printLine('Stopping…');
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
