import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import {
  DoneResponse,
  ErrorBody,
  IdParams,
  SavedViewResponse,
  SavedViewsResponse,
  SaveViewRequest,
} from '@steward/contract';
import { signedInSession } from '../../http/access.ts';
import type { SavedViewService } from './saved-views.service.ts';

type Options = { savedViews: SavedViewService };

export const savedViewRoutes: FastifyPluginAsyncTypebox<Options> = async (app, { savedViews }) => {
  const config = { access: 'session', permission: 'account', tokenAction: false } as const;
  const errors = { '4xx': ErrorBody, '5xx': ErrorBody };

  app.get(
    '/panel/account/views',
    {
      config,
      schema: {
        operationId: 'listSavedViews',
        summary: 'List your saved views',
        response: { 200: SavedViewsResponse, ...errors },
      },
    },
    async (request) => ({
      success: true as const,
      views: await savedViews.list(signedInSession(request).user.id),
    }),
  );

  app.post(
    '/panel/account/views',
    {
      config,
      schema: {
        operationId: 'saveView',
        summary: 'Save a view of a list, or replace the one of the same name',
        errorCodes: ['too_many_views'],
        body: SaveViewRequest,
        response: { 200: SavedViewResponse, ...errors },
      },
    },
    async (request) => ({
      success: true as const,
      view: await savedViews.save(signedInSession(request).user.id, request.body),
    }),
  );

  app.delete(
    '/panel/account/views/:id',
    {
      config,
      schema: {
        operationId: 'deleteSavedView',
        summary: 'Delete one of your saved views',
        errorCodes: ['not_found'],
        params: IdParams,
        response: { 200: DoneResponse, ...errors },
      },
    },
    async (request) => {
      await savedViews.remove(signedInSession(request).user.id, Number(request.params.id));
      return { success: true as const };
    },
  );
};
