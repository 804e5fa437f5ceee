import etag from '@fastify/etag';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { ErrorBody } from '@steward/contract';
import Type from 'typebox';
import type { WordPressPluginService } from './wordpress-plugin.service.ts';

type Options = { wordpressPlugin: WordPressPluginService };

export const wordpressPluginRoutes: FastifyPluginAsyncTypebox<Options> = async (
  app,
  { wordpressPlugin },
) => {
  await app.register(etag);
  app.get(
    '/panel/plugin.zip',
    {
      // The zip contains no secrets: connecting a site requires the license key, which only owners can read.
      config: { access: 'session', permission: 'sites.view' },
      schema: {
        summary: 'Download the WordPress plugin with the address of this panel',
        response: {
          200: Type.Unsafe<Buffer>({ type: 'string', format: 'binary' }),
          '4xx': ErrorBody,
          '5xx': ErrorBody,
        },
      },
    },
    async (request, reply) => {
      const { fileName, zip } = await wordpressPlugin.download(request.host);
      reply
        .type('application/zip')
        .header('content-disposition', `attachment; filename="${fileName}"`)
        .header('cache-control', 'private, no-cache');
      return zip;
    },
  );
};
