import type { FastifyInstance } from 'fastify';
import type { Logger } from '../platform/logger.ts';

/**
 * Logs one line per request, without query, headers or body. Successful requests log at `debug` only:
 * ten thousand sites check in twice a day.
 */
export function logRequests(app: FastifyInstance, log: Logger): void {
  app.addHook('onResponse', (request, reply, done) => {
    const level = reply.statusCode < 400 ? 'debug' : 'info';
    if (!log.isLevelEnabled(level)) return done();
    log[level](
      {
        request_id: request.id,
        method: request.method,
        path: request.routeOptions.config.hasSecretInPath
          ? request.routeOptions.url
          : request.url.split('?', 1)[0],
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime),
        ip: request.ip,
      },
      'request',
    );
    done();
  });
}
