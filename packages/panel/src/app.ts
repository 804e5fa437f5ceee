import { randomUUID } from 'node:crypto';
import swagger from '@fastify/swagger';
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import type { Config } from './config.ts';
import type { Database } from './database/tables.ts';
import { licenseRoutes } from './features/licenses/licenses.routes.ts';
import { serviceRoutes } from './features/services/services.routes.ts';
import { AppError } from './lib/app-error.ts';
import type { Logger } from './lib/logger.ts';
import { requireStatedAccess } from './plugins/access.ts';
import { answerUnreadableRequest, mapErrors, sendFrameworkError } from './plugins/errors.ts';
import { healthRoutes } from './plugins/health.ts';
import { acceptJsonBodies } from './plugins/json-body.ts';
import { limitCallers } from './plugins/limits.ts';
import { logRequests } from './plugins/request-log.ts';
import type { Services } from './services.ts';

const BODY_LIMIT_BYTES = 64 * 1024;

export type AppDependencies = { db: Database; services: Services; log: Logger };

/** Puts the HTTP side together. It never listens: a server or a test does. */
export async function buildApp(
  config: Config,
  { db, services, log }: AppDependencies,
): Promise<FastifyInstance> {
  const app = Fastify({
    loggerInstance: log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    frameworkErrors: sendFrameworkError,
    clientErrorHandler: answerUnreadableRequest,
    genReqId: () => randomUUID(),
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

  requireStatedAccess(app);
  mapErrors(app);
  acceptJsonBodies(app);
  logRequests(app);

  let isStopping = false;
  app.addHook('preClose', async () => {
    isStopping = true;
  });
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id);
    reply.header('x-content-type-options', 'nosniff');
    if (isStopping) throw new AppError('unavailable', { message: 'The panel is stopping.' });
  });

  await limitCallers(app, config);
  await app.register(swagger, {
    openapi: { info: { title: 'Steward', version: '1', description: 'Panel and license service' } },
  });

  await app.register(healthRoutes, { db });
  await app.register(licenseRoutes, services);
  await app.register(serviceRoutes, services);
  app.get('/openapi.json', { config: { access: 'public' }, schema: { hide: true } }, async () =>
    app.swagger(),
  );
  return app;
}
