import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { CheckedPagesRequest, DoneResponse, ErrorBody, IdParams } from '@steward/contract';
import { getAuditOrigin, signedIn } from '../../http/access.ts';
import type { CheckedPagesService } from './checked-pages.service.ts';

type Options = { checkedPages: CheckedPagesService };

export const checkedPagesRoutes: FastifyPluginAsyncTypebox<Options> = async (
  app,
  { checkedPages },
) => {
  app.put(
    '/panel/sites/:id/checked-pages',
    {
      config: { access: 'session', permission: 'sites.act', tokenAction: 'sites' },
      schema: {
        operationId: 'setCheckedPages',
        summary: 'Set the pages of a site that its health check opens too',
        errorCodes: ['site_not_found', 'invalid_page_path'],
        params: IdParams,
        body: CheckedPagesRequest,
        response: { 200: DoneResponse, '4xx': ErrorBody, '5xx': ErrorBody },
      },
    },
    async (request) => {
      const { user } = signedIn(request);
      const { checked_pages } = request.body;
      const id = Number(request.params.id);
      await checkedPages.set(user, id, checked_pages, getAuditOrigin(request));
      return { success: true as const };
    },
  );
};
