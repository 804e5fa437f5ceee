import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { ApproveEndpointRequest, DoneResponse, ErrorBody, IdParams } from '@steward/contract';
import { getAuditOrigin } from '../../http/access.ts';
import type { EndpointApprovalService } from './endpoint-approval.service.ts';

type Options = { endpointApproval: EndpointApprovalService };

export const endpointApprovalRoutes: FastifyPluginAsyncTypebox<Options> = async (app, options) => {
  app.post(
    '/panel/sites/:id/approve-endpoint',
    {
      config: {
        access: 'session',
        permission: 'owner',
        confirmation: true,
        tokenAction: false,
      } as const,
      schema: {
        operationId: 'approveSiteEndpoint',
        summary: 'Approve the address at which a site wants to be called',
        errorCodes: ['not_found'],
        params: IdParams,
        body: ApproveEndpointRequest,
        response: { 200: DoneResponse, '4xx': ErrorBody, '5xx': ErrorBody },
      },
    },
    async (request) => {
      const { endpoint_url } = request.body;
      const id = Number(request.params.id);
      await options.endpointApproval.approve(id, endpoint_url, getAuditOrigin(request));
      return { success: true as const };
    },
  );
};
