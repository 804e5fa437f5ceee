import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { ErrorBody, IdParams, ReachabilityResponse } from '@steward/contract';
import { signedIn } from '../../http/access.ts';
import type { ReachabilityService } from './reachability.service.ts';

type Options = { reachability: ReachabilityService };

export const reachabilityRoutes: FastifyPluginAsyncTypebox<Options> = async (
  app,
  { reachability },
) => {
  app.get(
    '/panel/sites/:id/reachability',
    {
      config: { access: 'session', permission: 'sites.view', tokenAction: 'read' },
      schema: {
        operationId: 'getSiteReachability',
        summary: 'Get the reachability of a site: now and in the last 30 days',
        errorCodes: ['site_not_found'],
        params: IdParams,
        response: { 200: ReachabilityResponse, '4xx': ErrorBody, '5xx': ErrorBody },
      },
    },
    async (request) => {
      const { user } = signedIn(request);
      const siteId = Number(request.params.id);
      return { success: true as const, reachability: await reachability.read(user, siteId) };
    },
  );
};
