import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import {
  ErrorBody,
  SiteIdsRequest,
  UpdatePreviewResponse,
  UpdateSummaryRequest,
  UpdateSummaryResponse,
} from '@steward/contract';
import { signedIn } from '../../../http/access.ts';
import { IDS_BODY_LIMIT_BYTES } from '../../../http/limits.ts';
import type { UpdatePlanService } from './update-plan.service.ts';

type Options = { updatePlan: Pick<UpdatePlanService, 'preview' | 'summarize'> };

/** The routes use POST, although they only read: the list of ids is too long for a URL. */
export const updatePlanRoutes: FastifyPluginAsyncTypebox<Options> = async (app, { updatePlan }) => {
  const settings = {
    config: { access: 'session', permission: 'sites.act', tokenAction: 'read' },
    bodyLimit: IDS_BODY_LIMIT_BYTES,
  } as const;
  const errors = { '4xx': ErrorBody, '5xx': ErrorBody };

  app.post(
    '/panel/sites/update-preview',
    {
      ...settings,
      schema: {
        operationId: 'previewUpdate',
        summary: 'Preview an update of sites',
        body: SiteIdsRequest,
        response: { 200: UpdatePreviewResponse, ...errors },
      },
    },
    async (request) => ({
      success: true as const,
      preview: await updatePlan.preview(signedIn(request).user, request.body.site_ids),
    }),
  );

  app.post(
    '/panel/sites/update-summary',
    {
      ...settings,
      schema: {
        operationId: 'summarizeUpdate',
        summary: 'Count the sites that an update would call, and the sites that it would leave out',
        body: UpdateSummaryRequest,
        response: { 200: UpdateSummaryResponse, ...errors },
      },
    },
    async (request) => ({
      success: true as const,
      summary: await updatePlan.summarize(signedIn(request).user, request.body),
    }),
  );
};
