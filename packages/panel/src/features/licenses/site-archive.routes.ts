import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { ArchiveSitesRequest, ArchiveSitesResponse, ErrorBody } from '@steward/contract';
import { getAuditOrigin } from '../../http/access.ts';
import type { SiteArchiveService } from './site-archive.service.ts';

type Options = { siteArchive: SiteArchiveService };

const config = { access: 'session', permission: 'owner', tokenAction: false } as const;
const response = { 200: ArchiveSitesResponse, '4xx': ErrorBody, '5xx': ErrorBody };

export const siteArchiveRoutes: FastifyPluginAsyncTypebox<Options> = async (
  app,
  { siteArchive },
) => {
  app.post(
    '/panel/sites/archive',
    {
      // An archived site needs a new code or key to connect again.
      config: { ...config, confirmation: true },
      schema: {
        operationId: 'archiveSites',
        summary: 'Archive sites: disconnect them and remove them from the lists',

        body: ArchiveSitesRequest,
        response,
      },
    },
    async (request) => ({
      success: true as const,
      ...(await siteArchive.archive(request.body.site_ids, getAuditOrigin(request))),
    }),
  );

  app.post(
    '/panel/sites/unarchive',
    {
      config,
      schema: {
        operationId: 'unarchiveSites',
        summary: 'Return archived sites to the lists',

        body: ArchiveSitesRequest,
        response,
      },
    },
    async (request) => ({
      success: true as const,
      ...(await siteArchive.restore(request.body.site_ids, getAuditOrigin(request))),
    }),
  );
};
