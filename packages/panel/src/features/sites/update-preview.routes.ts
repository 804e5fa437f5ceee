import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { ErrorBody, RemoteUpdateRequest, UpdatePreviewResponse } from '@steward/contract';
import { signedIn } from '../../http/access.ts';
import { IDS_BODY_LIMIT_BYTES } from '../../http/limits.ts';
import type { UpdatePreviewService } from './update-preview.service.ts';

type Options = { updatePreview: UpdatePreviewService };

export const updatePreviewRoutes: FastifyPluginAsyncTypebox<Options> = async (app, options) => {
  app.post(
    '/panel/sites/update-preview',
    {
      // It reads, but from a list too long for an address.
      config: { access: 'session', permission: 'sites.act' },
      bodyLimit: IDS_BODY_LIMIT_BYTES,
      schema: {
        summary: 'See what an update of these sites would do',
        body: RemoteUpdateRequest,
        response: { 200: UpdatePreviewResponse, '4xx': ErrorBody, '5xx': ErrorBody },
      },
    },
    async (request) => ({
      success: true as const,
      preview: await options.updatePreview.of(signedIn(request).user, request.body.site_ids),
    }),
  );
};
