import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { ErrorBody, LicenseErrorBody } from '@steward/contract';
import Type from 'typebox';
import { zipResponse } from '../../http/openapi/file-response.ts';
import type { WordPressPluginService } from './wordpress-plugin.service.ts';

type Options = { wordpressPlugin: Pick<WordPressPluginService, 'downloadWithCode'> };

/** Building a zip takes CPU time. A server with many sites downloads one zip for each of them. */
const DOWNLOADS_PER_MINUTE = 120;

/**
 * `wp plugin install <link> --activate` has no session, so the enrolment code in the link authenticates the download.
 * The download does not use up the code.
 */
export const pluginLinkRoutes: FastifyPluginAsyncTypebox<Options> = async (
  app,
  { wordpressPlugin },
) => {
  app.get(
    '/api/v1/plugin/:code/steward.zip',
    {
      config: {
        access: 'license_key',
        hasSecretInPath: true,
        rateLimit: { max: DOWNLOADS_PER_MINUTE },
      },
      exposeHeadRoute: false,
      schema: {
        operationId: 'downloadPluginWithCode',
        summary: 'Download the WordPress plugin with an enrolment code',
        errorCodes: [
          'enrolment_code_used',
          'enrolment_code_expired',
          'invalid_plugin_link',
          'base_url_missing',
          'not_found',
        ],
        params: Type.Object({ code: Type.String({ maxLength: 100 }) }),
        response: {
          200: zipResponse('The plugin with the address of this panel and the code.'),
          '4xx': LicenseErrorBody,
          '5xx': ErrorBody,
        },
      },
    },
    async ({ host, params }, reply) => {
      reply.header('cache-control', 'no-store').header('referrer-policy', 'no-referrer');
      const { fileName, zip } = await wordpressPlugin.downloadWithCode(host, params.code);
      reply
        .type('application/zip')
        .header('content-disposition', `attachment; filename="${fileName}"`);
      return zip;
    },
  );
};
