import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { DoneResponse, ErrorBody, IdParams, WebLogin } from '@steward/contract';
import { getAuditOrigin, signedIn } from '../../http/access.ts';
import type { WebLoginService } from './web-login.service.ts';

type Options = { webLogin: WebLoginService };

export const webLoginRoutes: FastifyPluginAsyncTypebox<Options> = async (app, { webLogin }) => {
  const config = { access: 'session', permission: 'sites.act', tokenAction: 'sites' } as const;
  const response = { 200: DoneResponse, '4xx': ErrorBody, '5xx': ErrorBody };

  app.put(
    '/panel/sites/:id/web-login',
    {
      config,
      schema: {
        operationId: 'setSiteWebLogin',
        summary: 'Set the HTTP basic authentication login of a site',
        errorCodes: ['site_not_found'],
        params: IdParams,
        body: WebLogin,
        response,
      },
    },
    async (request) => {
      const { user } = signedIn(request);
      await webLogin.set(user, Number(request.params.id), request.body, getAuditOrigin(request));
      return { success: true as const };
    },
  );

  app.delete(
    '/panel/sites/:id/web-login',
    {
      config,
      schema: {
        operationId: 'removeSiteWebLogin',
        summary: 'Remove the HTTP basic authentication login of a site',
        errorCodes: ['site_not_found'],
        params: IdParams,
        response,
      },
    },
    async (request) => {
      const { user } = signedIn(request);
      await webLogin.set(user, Number(request.params.id), null, getAuditOrigin(request));
      return { success: true as const };
    },
  );
};
