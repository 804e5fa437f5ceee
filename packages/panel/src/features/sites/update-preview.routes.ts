import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { ErrorBody, SiteIdsRequest, UpdatePreviewResponse } from '@steward/contract';
import { signedIn } from '../../http/access.ts';
import { IDS_BODY_LIMIT_BYTES } from '../../http/limits.ts';
import type { UpdatePreviewService } from './update-preview.service.ts';

type Options = { updatePreview: UpdatePreviewService };

export const updatePreviewRoutes: FastifyPluginAsyncTypebox<Options> = async (app, options) => {
  app.post(
    '/panel/sites/update-preview',
    {
      // POST, although the route only reads: the list of ids is too long for a URL.
      config: { access: 'session', permission: 'sites.act', tokenAction: 'read' },
      bodyLimit: IDS_BODY_LIMIT_BYTES,
      schema: {
        operationId: 'previewUpdate',
        summary: 'Preview an update of sites',
        body: SiteIdsRequest,
        response: { 200: UpdatePreviewResponse, '4xx': ErrorBody, '5xx': ErrorBody },
      },
    },
    async (request) => ({
      success: true as const,
      preview: await options.updatePreview.read(signedIn(request).user, request.body.site_ids),
    }),
  );
};
