import { existsSync } from 'node:fs';
import { type AddressInfo, isIPv6 } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Command, InvalidArgumentError, Option } from 'commander';
import type { FastifyInstance } from 'fastify';
import { buildApp } from '../app.ts';
import { type Background, openBackground } from '../background.ts';
import {
  addAuditPartitions,
  createHeadWebhook,
  startAuditMonitoring,
  startAuditSealer,
} from '../features/audit/index.ts';
import type { MetricsServer } from '../features/metrics/index.ts';
import { startPackageCleanup } from '../features/packages/index.ts';
import type { RunService } from '../features/runs/index.ts';
import { openPanel, type Panel } from '../panel.ts';
import { systemClock } from '../platform/clock.ts';
import { type Config, loadConfig } from '../platform/config.ts';
import { ensureDataDir } from '../platform/data-dir.ts';
import { planMigrations } from '../platform/database/migrate.ts';
import { ownsAuditLog } from '../platform/database/runtime-role.ts';
import { RefusedSchemaError } from '../platform/database/schema-state.ts';
import { createLogger, type Logger } from '../platform/logger.ts';
import { startTracing } from '../platform/telemetry/start-tracing.ts';
import type { Services } from '../services.ts';
import { COMMAND_LINE, type CommandContext } from './command-context.ts';
import { stopOnSignal } from './stop-on-signal.ts';

/** After the drain. */
const SHUTDOWN_TIMEOUT_SECONDS = 15;
const IDLE_SWEEP_INTERVAL_MS = 100;

export function createServeCommand(context: CommandContext): Command {
  return new Command('serve')
    .description('run the panel')
    .option('--port <n>', 'port to listen on (default: PORT, or 8080)', parsePort)
    .option('--host <address>', 'address to listen on (default: HOST, or 127.0.0.1)')
    .addOption(
      new Option(
        '--role <role>',
        'web: only serve requests; worker: only background work, such as calls to sites, schedules, notifications and backups (default: both)',
      ).choices(PROCESS_ROLES),
    )
    .action(async ({ port, host, role }: { port?: string; host?: string; role?: ProcessRole }) => {
      const env = { ...context.env, ...(port && { PORT: port }), ...(host && { HOST: host }) };
      await serve(context, loadConfig(env), role ?? 'all');
    });
}

const PROCESS_ROLES = ['web', 'worker'];
type ProcessRole = 'all' | 'web' | 'worker';

async function serve(context: CommandContext, config: Config, role: ProcessRole): Promise<void> {
  const log = createLogger(config.logLevel);
  if (config.databaseUrl === null && !existsSync(join(ensureDataDir(config.dataDir), 'postgres'))) {
    context.printLine(`Creating the database in ${config.dataDir}. This happens only once.`);
  }
  const tracing = await startTracing(config.tracing, log);
  const panel = await openPanel(config, log);
  if (panel.migrated.length > 0)
    log.info({ migrated: panel.migrated }, 'Applied database migrations.');
  if (panel.partitions.problem) {
    const reason = panel.partitions.problem;
    log.warn(
      { reason },
      'Could not create partitions of the audit log for the next months. Run npx steward migrate with MIGRATION_DATABASE_URL.',
    );
  }
  await warnIfPanelOwnsAuditLog(config, panel, log);
  // A wrong DATABASE_REPLICA_URL is logged at start, not only at the first list.
  if (role !== 'worker') await panel.connection.checkReplica();
  // Check before the first request: otherwise, the overview would show a broken log as valid at first.
  await panel.services.auditMonitor.check().catch((error: Error) => {
    log.warn({ reason: error.message }, 'Audit log check failed.');
  });
  let background: Background | undefined;
  let app: FastifyInstance | undefined;
  let metrics: MetricsServer | null = null;
  const draining = new AbortController();
  try {
    metrics = await listenForMetrics(config, panel, role, log);
    const deps = { ...panel.connection, ...panel.services, secrets: panel.secrets, log };
    background = await openBackground({ ...deps, clock: systemClock }, config, {
      startsWorker: role !== 'web',
      assertSchema: () => stopIfRefused(panel, log),
    });
    // Check again: a migration may have broken this version between the start and now. From here on, this process holds the
    // lock of the panel, which prevents that.
    await planMigrations(panel.connection.db);
    if (role !== 'worker') app = await listen(config, panel, background.runs, draining.signal, log);
  } catch (error) {
    await background?.stop();
    await metrics?.stop();
    await panel.close();
    throw explainListenError(error as NodeJS.ErrnoException, config);
  }
  const sealer = startAuditSealer(panel.services.auditChain, log);
  const monitoring = startMonitoring(config, panel, role, log);
  const cleanup = startPackageCleanup(panel.services.packages, log);
  const { drainSeconds } = config;
  const stop = async ({ isInteractive }: { isInteractive: boolean }) => {
    draining.abort();
    const drainMs = isInteractive ? 0 : drainSeconds * 1000;
    await Promise.all([app && closeApp(app, drainMs), background.stopJobs()]);
    // Requests create runs until the end, so the queue closes after them.
    await background.stop();
    await Promise.all([sealer.stop(), monitoring.stop(), cleanup.stop()]);
    await Promise.all([metrics?.stop(), tracing.stop()]);
    await panel.close();
  };
  stopOnSignal(context, stop, SHUTDOWN_TIMEOUT_SECONDS + (app ? drainSeconds : 0));
  if (app) await printAddress(context, app, panel.services, config);
  else
    context.printLine(
      'The Steward worker is running. It runs the tasks of all panels on this database.',
    );
  if (metrics) context.printLine(`Metrics are at ${metrics.url}`);
  context.printLine('Press Ctrl+C to stop.');
}

/** While the connection that holds the lock of the panel was lost, a migration can have broken this version. */
async function stopIfRefused({ connection }: Panel, log: Logger): Promise<void> {
  try {
    await planMigrations(connection.db);
  } catch (error) {
    if (!(error instanceof RefusedSchemaError)) throw error;
    log.fatal({ reason: error.message }, 'Stopping: this version can no longer use the database.');
    process.exitCode = 1;
    process.kill(process.pid, 'SIGTERM');
  }
}

async function listenForMetrics(
  config: Config,
  panel: Panel,
  role: ProcessRole,
  log: Logger,
): Promise<MetricsServer | null> {
  if (config.metrics === null) return null;
  // Loaded only here: most panels run without metrics.
  const { startMetrics } = await import('../features/metrics/index.ts');
  const { connection, load } = panel;
  const deps = { ...connection, load, clock: systemClock, log, role };
  const settings = { port: 'METRICS_PORT', host: 'METRICS_HOST' };
  const { metrics } = config;
  return startMetrics(metrics, deps).catch((error) => {
    throw explainListenError(error, metrics, settings);
  });
}

/** A panel with the role of the table owner works, but the database cannot keep it from changing its audit log. */
async function warnIfPanelOwnsAuditLog(config: Config, panel: Panel, log: Logger): Promise<void> {
  if (config.databaseUrl === null || !(await ownsAuditLog(panel.connection.db))) return;
  log.warn(
    'The database role of the panel owns the audit log and can change it. Give the panel its own role: docs/operate.md, "Two database roles".',
  );
}

function startMonitoring(
  config: Config,
  { services, connection }: Panel,
  role: ProcessRole,
  log: Logger,
) {
  const { auditHeadWebhook: url, baseUrl: panel } = config;
  const { auditMonitor: monitor, auditHead } = services;
  const addPartitions = () => addAuditPartitions(connection, systemClock.now());
  const { getSealedHead } = auditHead;
  const webhook = url ? createHeadWebhook({ url, panel, getSealedHead, log }) : null;
  const verifiesWholeLog = role !== 'worker';
  return startAuditMonitoring({ monitor, webhook, addPartitions, log, verifiesWholeLog });
}

async function listen(
  config: Config,
  panel: Panel,
  runs: RunService,
  draining: AbortSignal,
  log: Logger,
): Promise<FastifyInstance> {
  const { db } = panel.connection;
  const clock = systemClock;
  const app = await buildApp(config, { ...panel, db, runs, draining, log, clock });
  await panel.services.sessions.load();
  await app.listen({ port: config.port, host: config.host });
  panel.setListeningPort((app.server.address() as AddressInfo).port);
  return app;
}

/** Serves requests while load balancers notice that this process is not ready, then finishes the open ones. */
async function closeApp(app: FastifyInstance, drainMs: number): Promise<void> {
  await sleep(drainMs);
  // Close connections that become idle meanwhile: keep-alive would delay the shutdown.
  const sweep = setInterval(() => app.server.closeIdleConnections(), IDLE_SWEEP_INTERVAL_MS);
  await app.close();
  clearInterval(sweep);
}

async function printAddress(
  context: CommandContext,
  app: FastifyInstance,
  services: Services,
  config: Config,
): Promise<void> {
  const { port } = app.server.address() as AddressInfo;
  const host = isIPv6(config.host) ? `[${config.host}]` : config.host;
  context.printLine(`Steward is running at http://${host}:${port}`);
  await printNextSteps(context, services, config);
}

async function printNextSteps(
  context: CommandContext,
  services: Services,
  config: Config,
): Promise<void> {
  const setupLink = await services.setup.start(COMMAND_LINE);
  if (setupLink) {
    context.printLine(
      'No users yet. Open this link to create the first owner. It works once and expires in 24 hours:',
    );
    context.printLine(`  ${setupLink.url}`);
  }
  if (!(await services.licenses.hasAny())) {
    // Without DATABASE_URL, the command would create a license in a new embedded database.
    const place =
      config.databaseUrl === null
        ? 'in this folder'
        : 'in this folder and with the environment of the panel';
    context.printLine(`No licenses yet. To create one, run this in another terminal, ${place}:`);
    const dataDir = context.env.DATA_DIR ? `DATA_DIR='${config.dataDir}' ` : '';
    context.printLine(
      `  ${dataDir}npx --no-install steward license create --plan Agency --site-limit 10`,
    );
  }
}

function parsePort(text: string): string {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return text;
  throw new InvalidArgumentError('It must be a whole number from 0 to 65535.');
}

function explainListenError(
  error: NodeJS.ErrnoException,
  { host, port }: Pick<Config, 'host' | 'port'>,
  settings = { port: '--port', host: '--host' },
): Error {
  switch (error.code) {
    case 'EADDRINUSE':
      return new Error(
        `Port ${port} on ${host} is already in use. Choose another port with ${settings.port}, or stop the program that uses it.`,
      );
    case 'EACCES':
      return new Error(
        `No permission to listen on port ${port}. Choose a port above 1023 with ${settings.port}.`,
      );
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new Error(
        `${host} is not an address of this machine. Choose another address with ${settings.host}.`,
      );
    default:
      return error;
  }
}
