import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { ErrorBody, PreflightRequest, PreflightResponse } from '@steward/contract';
import { signedIn } from '../../http/access.ts';
import { IDS_BODY_LIMIT_BYTES } from '../../http/limits.ts';
import type { PreflightService } from './preflight.service.ts';

type Options = { preflight: Pick<PreflightService, 'read'> };

export const preflightRoutes: FastifyPluginAsyncTypebox<Options> = async (app, { preflight }) => {
  app.post(
    '/panel/sites/preflight',
    {
      // POST, although the route only reads: the list of ids is too long for a URL.
      config: { access: 'session', permission: 'sites.view', tokenAction: 'read' },
      bodyLimit: IDS_BODY_LIMIT_BYTES,
      schema: {
        operationId: 'predictUpdateFailures',
        summary: 'Predict on which sites an update would fail',
        body: PreflightRequest,
        response: { 200: PreflightResponse, '4xx': ErrorBody, '5xx': ErrorBody },
      },
    },
    async (request) => {
      const { site_ids, items } = request.body;
      const { user } = signedIn(request);
      return { success: true as const, preflight: await preflight.read(user, site_ids, items) };
    },
  );
};
