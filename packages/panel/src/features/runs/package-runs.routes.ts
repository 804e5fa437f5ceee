import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import {
  ErrorBody,
  INSTALL_ITEMS_MAX,
  InstallOnSitesRequest,
  isManagementPlugin,
  RestoreOnSitesRequest,
  RunDetailsResponse,
  SiteIdsRequest,
} from '@steward/contract';
import { getAuditOrigin, signedIn } from '../../http/access.ts';
import { IDS_BODY_LIMIT_BYTES } from '../../http/limits.ts';
import { AppError } from '../../platform/app-error.ts';
import type { PackageService } from '../packages/index.ts';
import { folderOf, toDirectoryItem } from './choose-packages.ts';
import { createRunResponder, PreferHeader } from './respond-with-run.ts';
import type { RunService } from './runs.service.ts';
import type { RunItem } from './tables.ts';

type Options = {
  runs: RunService;
  packages: Pick<PackageService, 'toRunItems' | 'assertPanelReachable'>;
};

/** Runs that install packages, restore saved versions, and update the Steward plugin. */
export const packageRunRoutes: FastifyPluginAsyncTypebox<Options> = async (app, options) => {
  const { runs, packages } = options;
  const { respondWithRun } = createRunResponder(app, runs);
  const config = { access: 'session', permission: 'sites.act' } as const;
  const response = {
    200: RunDetailsResponse,
    202: RunDetailsResponse,
    '4xx': ErrorBody,
    '5xx': ErrorBody,
  };

  app.post(
    '/panel/sites/install',
    {
      // New code on many sites: a stolen cookie is not enough.
      config: { ...config, confirmation: true, tokenAction: 'install' },
      bodyLimit: IDS_BODY_LIMIT_BYTES,
      schema: {
        operationId: 'installOnSites',
        summary: 'Install plugins and themes on sites',
        errorCodes: ['management_plugin', 'package_not_found', 'base_url_missing'],
        headers: PreferHeader,
        body: InstallOnSitesRequest,
        response,
      },
    },
    async (request, reply) => {
      const { site_ids: siteIds, packages: ids = [], items: wanted = [] } = request.body;
      if (ids.length > 0) packages.assertPanelReachable(request.host);
      const { user } = signedIn(request);
      const uploaded = await packages.toRunItems(user, [...new Set(ids)]);
      const items = [...uploaded, ...wanted.map(toDirectoryItem)];
      assertInstallable(items);
      const input = { kind: 'install', siteIds, request: { items } } as const;
      const runId = await runs.create(user, input, getAuditOrigin(request));
      return respondWithRun(request, reply, runId);
    },
  );

  app.post(
    '/panel/sites/restore',
    {
      config: { ...config, tokenAction: 'plugins' },
      bodyLimit: IDS_BODY_LIMIT_BYTES,
      schema: {
        operationId: 'restoreOnSites',
        summary: 'Restore saved versions of plugins and themes on sites',

        headers: PreferHeader,
        body: RestoreOnSitesRequest,
        response,
      },
    },
    async (request, reply) => {
      const { site_ids: siteIds, items } = request.body;
      const input = { kind: 'restore', siteIds, request: { items } } as const;
      const runId = await runs.create(signedIn(request).user, input, getAuditOrigin(request));
      return respondWithRun(request, reply, runId);
    },
  );

  app.post(
    '/panel/sites/self-update',
    {
      config: { ...config, tokenAction: 'update' },
      bodyLimit: IDS_BODY_LIMIT_BYTES,
      schema: {
        operationId: 'updatePluginOnSites',
        summary: 'Update the Steward plugin on sites',
        headers: PreferHeader,
        body: SiteIdsRequest,
        response,
      },
    },
    async (request, reply) => {
      const input = { kind: 'self_update', siteIds: request.body.site_ids } as const;
      const runId = await runs.create(signedIn(request).user, input, getAuditOrigin(request));
      return respondWithRun(request, reply, runId);
    },
  );
};

function assertInstallable(items: RunItem[]): void {
  if (items.length === 0) throw invalidError('Choose at least one package.');
  if (items.length > INSTALL_ITEMS_MAX) {
    throw invalidError(`Install at most ${INSTALL_ITEMS_MAX} packages at once.`);
  }
  // A site would refuse the second of two items with the same folder.
  const folders = new Set(items.map((item) => `${item.type} ${folderOf(item)}`));
  if (folders.size < items.length) throw invalidError('Choose each plugin or theme only once.');
  if (items.some(({ type, slug }) => type === 'plugin' && isManagementPlugin(slug))) {
    throw new AppError('management_plugin');
  }
}

const invalidError = (message: string) => new AppError('invalid_request', { message });
