import etag from '@fastify/etag';
import { ServicesResponse } from '@steward/contract';
import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import type { ServiceCatalogue } from './services.service.ts';

/** The catalogue changes only with a release of the panel, so a response may be cached for an hour. */
const CACHE_CONTROL = 'public, max-age=3600';

export async function serviceRoutes(
  app: FastifyInstance,
  { services }: { services: ServiceCatalogue },
): Promise<void> {
  await app.register(etag);
  app.get(
    '/api/v1/services',
    {
      config: { access: 'public' },
      schema: {
        operationId: 'listServices',
        summary: 'List the services',
        response: { 200: ServicesResponse, 304: Type.Null() },
      },
    },
    async (_request, reply) => {
      reply.header('cache-control', CACHE_CONTROL);
      return { success: true, services: await services.list() };
    },
  );
}
