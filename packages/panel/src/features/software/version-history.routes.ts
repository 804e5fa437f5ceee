import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import {
  ErrorBody,
  IdParams,
  VersionChangesQuery,
  VersionChangesResponse,
  VersionsAtQuery,
  VersionsAtResponse,
} from '@steward/contract';
import { signedIn } from '../../http/access.ts';
import type { SiteAccessService } from '../site-access/index.ts';
import type { VersionHistoryService } from './version-history.service.ts';

type Options = {
  versionHistory: VersionHistoryService;
  siteAccess: Pick<SiteAccessService, 'assertCanSee'>;
};

export const versionHistoryRoutes: FastifyPluginAsyncTypebox<Options> = async (app, options) => {
  const { versionHistory, siteAccess } = options;
  const config = { access: 'session', permission: 'sites.view', tokenAction: 'read' } as const;
  const errors = { '4xx': ErrorBody, '5xx': ErrorBody };

  app.get(
    '/panel/sites/:id/versions',
    {
      config,
      schema: {
        operationId: 'getSiteVersions',
        summary: 'Get the versions that a site had at a time',
        errorCodes: ['site_not_found'],
        params: IdParams,
        querystring: VersionsAtQuery,
        response: { 200: VersionsAtResponse, ...errors },
      },
    },
    async (request) => {
      const siteId = Number(request.params.id);
      await siteAccess.assertCanSee(signedIn(request).user, siteId);
      return { success: true as const, ...(await versionHistory.readAt(siteId, request.query.at)) };
    },
  );

  app.get(
    '/panel/sites/:id/version-changes',
    {
      config,
      schema: {
        operationId: 'listVersionChanges',
        summary: 'List the version changes of a site, newest first',
        errorCodes: ['site_not_found'],
        params: IdParams,
        querystring: VersionChangesQuery,
        response: { 200: VersionChangesResponse, ...errors },
      },
    },
    async (request) => {
      const siteId = Number(request.params.id);
      await siteAccess.assertCanSee(signedIn(request).user, siteId);
      return {
        success: true as const,
        ...(await versionHistory.readChanges(siteId, request.query)),
      };
    },
  );
};
