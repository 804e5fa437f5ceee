import { randomBytes } from 'node:crypto';
import swagger from '@fastify/swagger';
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import type { Config } from './config.ts';
import type { Database } from './database/tables.ts';
import { passkeyRoutes } from './features/accounts/passkeys.routes.ts';
import { secondFactorRoutes } from './features/accounts/second-factor.routes.ts';
import { sessionRoutes } from './features/accounts/sessions.routes.ts';
import { settingsRoutes } from './features/accounts/settings.routes.ts';
import { setupRoutes } from './features/accounts/setup.routes.ts';
import { userRoutes } from './features/accounts/users.routes.ts';
import { auditRoutes } from './features/audit/audit.routes.ts';
import { licenseRoutes } from './features/licenses/licenses.routes.ts';
import { panelLicenseRoutes } from './features/licenses/panel-licenses.routes.ts';
import { createProofService } from './features/licenses/proofs.service.ts';
import { overviewRoutes } from './features/overview/overview.routes.ts';
import { runRoutes } from './features/runs/runs.routes.ts';
import type { RunService } from './features/runs/runs.service.ts';
import { serviceRoutes } from './features/services/services.routes.ts';
import { siteAccessRoutes } from './features/site-access/site-access.routes.ts';
import { alarmRoutes } from './features/sites/alarm.routes.ts';
import { endpointApprovalRoutes } from './features/sites/endpoint-approval.routes.ts';
import { siteRoutes } from './features/sites/sites.routes.ts';
import { tagRoutes } from './features/sites/tags.routes.ts';
import { updatePreviewRoutes } from './features/sites/update-preview.routes.ts';
import { webLoginRoutes } from './features/sites/web-login.routes.ts';
import { wordpressPluginRoutes } from './features/wordpress-plugin/wordpress-plugin.routes.ts';
import { AppError } from './lib/app-error.ts';
import type { Clock } from './lib/clock.ts';
import type { LoadMonitor } from './lib/load-monitor.ts';
import type { Logger } from './lib/logger.ts';
import type { Secrets } from './lib/secrets.ts';
import { createSiteClient } from './lib/site-client/index.ts';
import { guardRoutes } from './plugins/access.ts';
import {
  answerUnreadableRequest,
  mapErrors,
  NO_SNIFFING,
  sendFrameworkError,
} from './plugins/errors.ts';
import { healthRoutes } from './plugins/health.ts';
import { acceptJsonBodies } from './plugins/json-body.ts';
import { limitCallers } from './plugins/limits.ts';
import { logRequests } from './plugins/request-log.ts';
import { screens } from './plugins/screens.ts';
import type { Services } from './services.ts';

const BODY_LIMIT_BYTES = 64 * 1024;

export type AppDependencies = {
  db: Database;
  services: Services;
  runs: RunService;
  load: LoadMonitor;
  log: Logger;
  secrets: Secrets;
  clock: Clock;
};

/** Puts the HTTP side together. It never listens: a server or a test does. */
export async function buildApp(
  config: Config,
  { db, services, runs, load, log, secrets, clock }: AppDependencies,
): Promise<FastifyInstance> {
  const app = Fastify({
    loggerInstance: log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    // A child logger for each request costs more than most requests; ours name the request instead.
    childLoggerFactory: (logger) => logger,
    frameworkErrors: sendFrameworkError,
    clientErrorHandler: answerUnreadableRequest,
    genReqId: createRequestIds(),
    bodyLimit: BODY_LIMIT_BYTES,
    trustProxy: config.trustProxy,
    // Answered below, in our own words.
    return503OnClosing: false,
    ajv: {
      customOptions: {
        coerceTypes: false,
        removeAdditional: false,
        useDefaults: false,
        allowUnionTypes: true,
      },
    },
  });

  guardRoutes(app, { sessions: services.sessions, baseUrl: config.baseUrl });
  mapErrors(app);
  acceptJsonBodies(app);
  logRequests(app, log);

  let isStopping = false;
  app.addHook('preClose', async () => {
    isStopping = true;
  });
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers({ 'x-request-id': request.id, ...NO_SNIFFING });
    if (isStopping) return done(new AppError('unavailable', { message: 'The panel is stopping.' }));
    done(load.isOverloaded() ? new AppError('unavailable', { internal: 'overloaded' }) : undefined);
  });

  await limitCallers(app, config);
  await app.register(swagger, {
    openapi: { info: { title: 'Steward', version: '1', description: 'Panel and license service' } },
  });

  await app.register(healthRoutes, { db });
  const { allowPrivateSites, siteAddresses, siteTimeouts } = config;
  const signer = services.signingKeys;
  const timeouts = siteTimeouts;
  const siteClient = createSiteClient({ allowPrivateSites, siteAddresses, timeouts, signer });
  const proofs = createProofService({ ...services, db, secrets, clock, log, siteClient });
  app.addHook('onClose', async () => {
    await Promise.all([siteClient.close(), proofs.close()]);
  });
  await app.register(licenseRoutes, { ...services, siteClient, proofs });
  await app.register(serviceRoutes, services);
  await app.register(sessionRoutes, services);
  await app.register(secondFactorRoutes, services);
  await app.register(passkeyRoutes, services);
  await app.register(settingsRoutes, services);
  await app.register(setupRoutes, services);
  await app.register(userRoutes, services);
  await app.register(siteAccessRoutes, services);
  await app.register(auditRoutes, {
    ...services,
    config: { access: 'session', permission: 'owner' },
  });
  const { actionSeconds } = siteTimeouts;
  await app.register(runRoutes, { ...services, runs, actionSeconds });
  await app.register(siteRoutes, services);
  await app.register(updatePreviewRoutes, services);
  await app.register(tagRoutes, services);
  await app.register(endpointApprovalRoutes, services);
  await app.register(webLoginRoutes, services);
  await app.register(alarmRoutes, services);
  await app.register(panelLicenseRoutes, services);
  await app.register(overviewRoutes, services);
  await app.register(wordpressPluginRoutes, services);
  app.get('/openapi.json', { config: { access: 'public' }, schema: { hide: true } }, async () =>
    app.swagger(),
  );
  await app.register(screens);
  return app;
}

/** Unique over processes by its random part, within one by its number; a UUID each costs more. */
function createRequestIds(): () => string {
  const processPart = randomBytes(6).toString('hex');
  let count = 0;
  return () => `${processPart}-${(++count).toString(36)}`;
}
