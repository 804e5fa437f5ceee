import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import {
  LicenseErrorBody,
  PluginLinkRequest,
  PluginLinkResponse,
  PluginOfferRequest,
  PluginOfferResponse,
} from '@steward/contract';
import Type from 'typebox';
import { acceptJsonBodies } from '../../http/json-body.ts';
import { zipResponse } from '../../http/openapi/file-response.ts';
import { SITE_CHECK_CODES } from '../licenses/index.ts';
import type { PluginUpdateService } from './plugin-updates.service.ts';

type Options = { pluginUpdates: PluginUpdateService };

/** Updates of the Steward plugin. The site key in the body, or the link, authenticates the client. */
export const pluginUpdateRoutes: FastifyPluginAsyncTypebox<Options> = async (
  app,
  { pluginUpdates },
) => {
  acceptJsonBodies(app, { isFromSite: true });
  const errors = { '4xx': LicenseErrorBody, '5xx': LicenseErrorBody };

  app.post(
    '/api/v1/plugin/offer',
    {
      config: { access: 'license_key' },
      schema: {
        operationId: 'getPluginOffer',
        summary: 'Get the version of the Steward plugin that this panel ships',
        errorCodes: [...SITE_CHECK_CODES, 'site_key_required', 'not_found'],
        body: PluginOfferRequest,
        response: { 200: PluginOfferResponse, ...errors },
      },
    },
    async ({ body }) => ({ success: true as const, offer: await pluginUpdates.offer(body) }),
  );

  app.post(
    '/api/v1/plugin/link',
    {
      config: { access: 'license_key' },
      schema: {
        operationId: 'createPluginLink',
        summary: 'Get a one-time link to the package of the Steward plugin',
        errorCodes: [...SITE_CHECK_CODES, 'site_key_required', 'not_found'],
        body: PluginLinkRequest,
        response: { 200: PluginLinkResponse, ...errors },
      },
    },
    async ({ body }, reply) => {
      reply.header('cache-control', 'no-store');
      return { success: true as const, package: await pluginUpdates.createLink(body) };
    },
  );

  app.get(
    '/api/v1/plugin/package/:file',
    {
      config: { access: 'public' },
      // A HEAD request would use the link up without delivering the package.
      exposeHeadRoute: false,
      schema: {
        operationId: 'downloadPluginPackage',
        summary: 'Download the Steward plugin with a one-time link',
        errorCodes: ['invalid_link', 'not_found'],
        params: Type.Object({ file: Type.String({ maxLength: 200 }) }),
        // In the query: the log contains paths, but no queries.
        querystring: Type.Object({ link: Type.Optional(Type.String({ maxLength: 200 })) }),
        response: {
          200: zipResponse('The package of the Steward plugin.'),
          ...errors,
        },
      },
    },
    async ({ params, query }, reply) => {
      const zip = await pluginUpdates.download(params.file, query.link);
      reply.type('application/zip').header('cache-control', 'no-store');
      return zip;
    },
  );
};
