import { randomBytes } from 'node:crypto';
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import { accessTokenRoutes } from './features/access-tokens/index.ts';
import {
  accountRoutes,
  createPasswordResetService,
  passkeyRoutes,
  passwordResetRoutes,
  secondFactorRoutes,
  sessionRoutes,
  settingsRoutes,
  setupRoutes,
  userRoutes,
} from './features/accounts/index.ts';
import { auditRoutes } from './features/audit/index.ts';
import { createPanelBackups, panelBackupRoutes } from './features/backup/index.ts';
import { clientLogoRoutes, clientRoutes, membershipRoutes } from './features/clients/index.ts';
import { reachabilityRoutes } from './features/health/index.ts';
import {
  createProbeClient,
  createProbeSite,
  createProofService,
  enrolmentCodeRoutes,
  licenseRoutes,
  panelLicenseRoutes,
  siteArchiveRoutes,
} from './features/licenses/index.ts';
import {
  channelRoutes,
  createAccountMails,
  createDeliverer,
  createMailStatusService,
  deliveryRoutes,
  mailRoutes,
} from './features/notifications/index.ts';
import { overviewRoutes } from './features/overview/index.ts';
import { packageRoutes } from './features/packages/index.ts';
import { preflightRoutes } from './features/preflight/index.ts';
import { rolloutRoutes } from './features/rollouts/index.ts';
import { ruleRoutes } from './features/rules/index.ts';
import {
  packageRunRoutes,
  type RunService,
  runPreviewRoutes,
  runRoutes,
  type StreamTiming,
  updatePlanRoutes,
} from './features/runs/index.ts';
import { savedViewRoutes } from './features/saved-views/index.ts';
import { scheduleRoutes } from './features/schedules/index.ts';
import { serviceRoutes } from './features/services/index.ts';
import { siteAccessRoutes } from './features/site-access/index.ts';
import {
  alarmRoutes,
  checkedPagesRoutes,
  endpointApprovalRoutes,
  siteRoutes,
  tagRoutes,
  webLoginRoutes,
} from './features/sites/index.ts';
import { softwareRoutes, versionHistoryRoutes } from './features/software/index.ts';
import {
  createWordPressLoginService,
  wordPressLoginRoutes,
} from './features/wordpress-login/index.ts';
import {
  pluginLinkRoutes,
  pluginUpdateRoutes,
  wordpressPluginRoutes,
} from './features/wordpress-plugin/index.ts';
import { guardRoutes } from './http/access.ts';
import { drainConnections } from './http/draining.ts';
import { dropUnknownFields } from './http/drop-unknown-fields.ts';
import {
  mapErrors,
  NO_SNIFFING,
  respondToMalformedRequest,
  sendFrameworkError,
} from './http/errors.ts';
import { healthRoutes } from './http/health.ts';
import { acceptJsonBodies } from './http/json-body.ts';
import { applyRateLimit } from './http/limits.ts';
import { apiDescriptionRoutes, describeApi } from './http/openapi/api-description.ts';
import { logRequests } from './http/request-log.ts';
import { countRequests, traceRequests } from './http/request-telemetry.ts';
import { schemaCompilers } from './http/schema-compilers.ts';
import { screens } from './http/screens.ts';
import { AppError } from './platform/app-error.ts';
import type { Clock } from './platform/clock.ts';
import type { Config } from './platform/config.ts';
import type { Database } from './platform/database/handles.ts';
import { createSiteLookup } from './platform/dns-overrides.ts';
import type { LoadMonitor } from './platform/load-monitor.ts';
import type { Logger } from './platform/logger.ts';
import type { Secrets } from './platform/secrets.ts';
import type { Services } from './services.ts';
import { createSiteClient } from './site-client/index.ts';

const BODY_LIMIT_BYTES = 64 * 1024;

export type AppDependencies = {
  db: Database;
  services: Services;
  runs: RunService;
  load: LoadMonitor;
  log: Logger;
  secrets: Secrets;
  clock: Clock;
  /** Aborted when the process begins to stop. The process still serves requests. */
  draining: AbortSignal;
  /** How long a stopping process waits for plugin actions in progress. */
  actionGraceMs?: number;
  /** How long a probe of a site waits for room within the limits of calls. */
  probeWaitMs?: number;
  streamTiming?: StreamTiming;
};

/** Builds the HTTP server. The caller, a server process or a test, starts to listen. */
export async function buildApp(
  config: Config,
  {
    db,
    services,
    runs,
    load,
    log,
    secrets,
    clock,
    draining,
    actionGraceMs,
    probeWaitMs,
    streamTiming,
  }: AppDependencies,
): Promise<FastifyInstance> {
  const app = Fastify({
    loggerInstance: log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    // A child logger per request costs more than most requests. Log lines contain the request id instead.
    childLoggerFactory: (logger) => logger,
    frameworkErrors: sendFrameworkError,
    clientErrorHandler: respondToMalformedRequest,
    genReqId: createRequestIdGenerator(),
    bodyLimit: BODY_LIMIT_BYTES,
    trustProxy: config.trustProxy,
    // A request that arrives before its connection is closed gets its response.
    return503OnClosing: false,
    schemaController: { compilersFactory: schemaCompilers },
    ajv: {
      customOptions: {
        coerceTypes: false,
        removeAdditional: false,
        useDefaults: false,
        allowUnionTypes: true,
      },
    },
  });

  traceRequests(app);
  // Before the guards: the limit also counts requests with invalid credentials.
  await applyRateLimit(app, config);
  guardRoutes(app, { ...services, baseUrl: config.baseUrl });
  mapErrors(app);
  acceptJsonBodies(app, { isFromSite: false });
  dropUnknownFields(app);
  logRequests(app, log);
  countRequests(app);

  const isDraining = drainConnections(app, draining);
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id).headers(NO_SNIFFING);
    done(load.isOverloaded() ? new AppError('unavailable', { internal: 'overloaded' }) : undefined);
  });

  await describeApi(app);

  await app.register(healthRoutes, { db, isDraining });
  const { allowPrivateSites, siteAddresses, siteTimeouts } = config;
  const signer = services.signingKeys;
  const timeouts = siteTimeouts;
  const siteClient = createSiteClient({ allowPrivateSites, siteAddresses, timeouts, signer });
  const lookup = createSiteLookup(siteAddresses);
  const limits = config.siteCallLimits;
  const probeClient = createProbeClient({
    ...{ db, siteClient, lookup, limits, log },
    waitMs: probeWaitMs,
  });
  const proofDeps = { db, secrets, clock, log, siteClient: probeClient };
  const proofs = createProofService({ ...services, ...proofDeps });
  app.addHook('onClose', async () => {
    probeClient.close();
    await Promise.all([siteClient.close(), proofs.close()]);
  });
  const probeSite = createProbeSite({ ...services, proofs, probeClient });
  await app.register(licenseRoutes, { ...services, probeSite, proofs });
  await app.register(serviceRoutes, services);
  const deliverer = createDeliverer({ ...services, db, secrets, clock, log }, config);
  const accountMails = createAccountMails({ deliverer, log });
  app.addHook('onClose', async () => {
    deliverer.stop();
    await accountMails.close();
  });
  await app.register(sessionRoutes, { ...services, accountMails });
  await app.register(accountRoutes, services);
  await app.register(secondFactorRoutes, services);
  await app.register(passkeyRoutes, services);
  await app.register(settingsRoutes, services);
  await app.register(setupRoutes, { ...services, accountMails });
  const passwordReset = createPasswordResetService({
    ...services,
    ...{ db, clock, mails: accountMails },
  });
  await app.register(passwordResetRoutes, { passwordReset });
  await app.register(userRoutes, services);
  await app.register(siteAccessRoutes, services);
  await app.register(accessTokenRoutes, services);
  await app.register(savedViewRoutes, services);
  await app.register(auditRoutes, {
    ...services,
    config: { access: 'session', permission: 'owner', tokenAction: 'read' },
  });
  const { actionSeconds } = siteTimeouts;
  const runOptions = { runs, actionSeconds, actionGraceMs, streamTiming };
  await app.register(runRoutes, { ...services, ...runOptions });
  await app.register(packageRunRoutes, { ...services, runs });
  await app.register(runPreviewRoutes, services);
  await app.register(rolloutRoutes, services);
  await app.register(scheduleRoutes, services);
  await app.register(packageRoutes, services);
  await app.register(ruleRoutes, services);
  await app.register(siteRoutes, services);
  await app.register(reachabilityRoutes, services);
  await app.register(updatePlanRoutes, services);
  await app.register(preflightRoutes, services);
  await app.register(tagRoutes, services);
  await app.register(clientRoutes, services);
  await app.register(clientLogoRoutes, services);
  await app.register(membershipRoutes, services);
  await app.register(endpointApprovalRoutes, services);
  await app.register(webLoginRoutes, services);
  await app.register(checkedPagesRoutes, services);
  const loginDeps = { ...services, db, clock, secrets, siteClient: probeClient };
  const wordPressLogin = createWordPressLoginService(loginDeps);
  await app.register(wordPressLoginRoutes, { wordPressLogin });
  await app.register(alarmRoutes, services);
  await app.register(panelLicenseRoutes, services);
  await app.register(enrolmentCodeRoutes, services);
  await app.register(siteArchiveRoutes, services);
  await app.register(overviewRoutes, services);
  await app.register(softwareRoutes, services);
  await app.register(versionHistoryRoutes, services);
  await app.register(pluginUpdateRoutes, services);
  await app.register(wordpressPluginRoutes, { ...services, baseUrl: config.baseUrl });
  await app.register(pluginLinkRoutes, services);
  await app.register(channelRoutes, { ...services, deliverer });
  await app.register(deliveryRoutes, { ...services, deliverer });
  await app.register(mailRoutes, {
    mailStatus: createMailStatusService({ ...services, db }, config),
  });
  const panelBackups = createPanelBackups({ ...services, db, secrets, clock }, config);
  await app.register(panelBackupRoutes, { panelBackups });
  await app.register(apiDescriptionRoutes);
  await app.register(screens);
  return app;
}

/** The random part is unique per process, the number within the process. A UUID per request costs more. */
function createRequestIdGenerator(): () => string {
  const processPart = randomBytes(6).toString('hex');
  let count = 0;
  return () => `${processPart}-${(++count).toString(36)}`;
}
