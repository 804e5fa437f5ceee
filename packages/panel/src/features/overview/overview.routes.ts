import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { ErrorBody, OverviewResponse } from '@steward/contract';
import { signedIn } from '../../http/access.ts';
import type { OverviewService } from './overview.service.ts';

type Options = { overview: OverviewService };

export const overviewRoutes: FastifyPluginAsyncTypebox<Options> = async (app, { overview }) => {
  app.get(
    '/panel/overview',
    {
      config: { access: 'session', permission: 'sites.view', tokenAction: 'read' },
      schema: {
        operationId: 'getOverview',
        summary: 'Get the overview of all sites',
        response: { 200: OverviewResponse, '4xx': ErrorBody, '5xx': ErrorBody },
      },
    },
    async (request) => ({
      success: true as const,
      overview: await overview.read(signedIn(request).user),
    }),
  );
};
