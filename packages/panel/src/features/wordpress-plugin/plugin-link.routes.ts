import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { ErrorBody, LicenseErrorBody } from '@steward/contract';
import Type from 'typebox';
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
        summary: 'Download the WordPress plugin with an enrolment code',
        params: Type.Object({ code: Type.String({ maxLength: 100 }) }),
        response: {
          200: Type.Unsafe<Buffer>({ type: 'string', format: 'binary' }),
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
