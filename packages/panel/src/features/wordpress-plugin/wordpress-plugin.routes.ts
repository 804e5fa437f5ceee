import etag from '@fastify/etag';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { canonicalSiteUrl, ErrorBody } from '@steward/contract';
import type { FastifyRequest } from 'fastify';
import Type from 'typebox';
import type { WordPressPluginService } from './wordpress-plugin.service.ts';

type Options = { wordpressPlugin: WordPressPluginService; baseUrl: string };

export const wordpressPluginRoutes: FastifyPluginAsyncTypebox<Options> = async (app, options) => {
  await app.register(etag);
  app.get(
    '/panel/plugin.zip',
    {
      // There is nothing secret in it: the key is what connects a site, and that is for owners to give.
      config: { access: 'session', permission: 'sites.view' },
      schema: {
        summary: 'Download the WordPress plugin, pointing at this panel',
        response: {
          200: Type.Unsafe<Buffer>({ type: 'string', format: 'binary' }),
          '4xx': ErrorBody,
          '5xx': ErrorBody,
        },
      },
    },
    async (request, reply) => {
      const panelUrl = addressFor(request, options.baseUrl);
      const { fileName, zip } = await options.wordpressPlugin.download(panelUrl);
      reply
        .type('application/zip')
        .header('content-disposition', `attachment; filename="${fileName}"`)
        .header('cache-control', 'private, no-cache');
      return zip;
    },
  );
};

/**
 * A panel that was not told its address knows itself as localhost, where no site but one on the same
 * machine finds it. Then the address that the person has it open at is the better one.
 */
function addressFor(request: FastifyRequest, baseUrl: string): string {
  if (new URL(baseUrl).hostname !== 'localhost') return baseUrl;
  const opened = canonicalSiteUrl(`${request.protocol}://${request.host}`);
  return opened.ok ? opened.origin : baseUrl;
}
