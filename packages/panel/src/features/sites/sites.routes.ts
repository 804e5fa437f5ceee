import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import {
  ErrorBody,
  HistoryQuery,
  HistoryResponse,
  IdParams,
  SiteResponse,
  SiteSelectionQuery,
  SiteSelectionResponse,
  SitesExportQuery,
  SitesQuery,
  SitesResponse,
} from '@steward/contract';
import { signedIn } from '../../http/access.ts';
import { fileResponse } from '../../http/openapi/file-response.ts';
import { sendCsv } from '../../http/send-csv.ts';
import type { SiteHistoryService } from '../audit/index.ts';
import type { SiteAccessService } from '../site-access/index.ts';
import type { SiteListService } from './site-list.service.ts';

type Options = {
  siteList: SiteListService;
  siteHistory: SiteHistoryService;
  siteAccess: SiteAccessService;
};

export const siteRoutes: FastifyPluginAsyncTypebox<Options> = async (app, options) => {
  const { siteList, siteHistory, siteAccess } = options;
  const config = { access: 'session', permission: 'sites.view', tokenAction: 'read' } as const;
  const errors = { '4xx': ErrorBody, '5xx': ErrorBody };

  app.get(
    '/panel/sites',
    {
      config,
      schema: {
        operationId: 'listSites',
        summary: 'Find sites',
        querystring: SitesQuery,
        response: { 200: SitesResponse, ...errors },
      },
    },
    async (request) => ({
      success: true as const,
      ...(await siteList.list(signedIn(request).user, request.query)),
    }),
  );

  app.get(
    '/panel/sites/export',
    {
      config,
      schema: {
        operationId: 'exportSites',
        summary: 'Download a list of sites',
        querystring: SitesExportQuery,
        response: {
          200: fileResponse('The matching sites in their order.', 'text/csv'),
          ...errors,
        },
      },
    },
    async (request, reply) => {
      const lines = await siteList.export(signedIn(request).user, request.query);
      return sendCsv(reply, 'sites.csv', lines);
    },
  );

  app.get(
    '/panel/sites/ids',
    {
      config,
      schema: {
        operationId: 'listSiteIds',
        summary: 'Get the ids of all matching sites',
        querystring: SiteSelectionQuery,
        response: { 200: SiteSelectionResponse, ...errors },
      },
    },
    async (request) => ({
      success: true as const,
      ...(await siteList.select(signedIn(request).user, request.query)),
    }),
  );

  app.get(
    '/panel/sites/:id',
    {
      config,
      schema: {
        operationId: 'getSite',
        summary: 'Get a site with its inventory, license and history',
        errorCodes: ['site_not_found'],
        params: IdParams,
        response: { 200: SiteResponse, ...errors },
      },
    },
    async (request) => {
      const { user } = signedIn(request);
      const site = await siteList.show(user, Number(request.params.id));
      return { success: true as const, site, ...(await siteHistory.read(user, site.id)) };
    },
  );

  app.get(
    '/panel/sites/:id/history',
    {
      config,
      schema: {
        operationId: 'listSiteHistory',
        summary: 'Get older history of a site',
        errorCodes: ['site_not_found'],
        params: IdParams,
        querystring: HistoryQuery,
        response: { 200: HistoryResponse, ...errors },
      },
    },
    async (request) => {
      const { user } = signedIn(request);
      const siteId = Number(request.params.id);
      await siteAccess.assertCanSee(user, siteId);
      const { before } = request.query;
      const page = await siteHistory.read(user, siteId, before ? Number(before) : undefined);
      return { success: true as const, ...page };
    },
  );
};
