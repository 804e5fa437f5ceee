import type { FastifyInstance, FastifyRequest } from 'fastify';
import { getMeter } from '../platform/telemetry/meter.ts';
import { getTracing, type OpenSpan } from '../platform/telemetry/tracing.ts';

/** Stands for all paths without a route: a path in a label would make the number of time series unbounded. */
const UNKNOWN_ROUTE = 'unknown';

/** Counts all requests. */
export function countRequests(app: FastifyInstance): void {
  app.addHook('onResponse', (request, reply, done) => {
    const meter = getMeter();
    if (meter) {
      const route = request.routeOptions.url ?? UNKNOWN_ROUTE;
      meter.countRequest(route, request.method, reply.statusCode, reply.elapsedTime / 1000);
    }
    done();
  });
}

/**
 * Opens a span for each request to a route that is not public. Ignores a `traceparent` of the client: sites and browsers
 * must not choose trace ids or the sampling.
 */
export function traceRequests(app: FastifyInstance): void {
  const tracing = getTracing();
  if (!tracing) return;
  const spans = new WeakMap<FastifyRequest, OpenSpan>();
  app.addHook('onRequest', (request, _reply, done) => {
    const { url: route, config } = request.routeOptions;
    // Health checks and files of the screens would hide the other traces.
    if (route !== undefined && config.access !== 'public') {
      const { method } = request;
      const attributes = {
        'http.request.method': method,
        'http.route': route,
        'steward.request_id': request.id,
      };
      spans.set(request, tracing.openSpan(`${method} ${route}`, { kind: 'server', attributes }));
    }
    done();
  });
  // Not before: reading the body leaves the asynchronous context of the request.
  app.addHook('preHandler', (request, _reply, done) => {
    const span = spans.get(request);
    if (span) span.run(done);
    else done();
  });
  app.addHook('onResponse', (request, reply, done) => {
    const span = spans.get(request);
    span?.setAttributes({ 'http.response.status_code': reply.statusCode });
    if (reply.statusCode >= 500) span?.fail(String(reply.statusCode));
    span?.end();
    done();
  });
}
