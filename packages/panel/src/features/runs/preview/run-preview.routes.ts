import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import {
  ErrorBody,
  InstallOnSitesRequest,
  RestorePreviewRequest,
  RestorePreviewResponse,
  RunPreviewResponse,
  SiteIdsRequest,
} from '@steward/contract';
import { signedIn } from '../../../http/access.ts';
import { IDS_BODY_LIMIT_BYTES } from '../../../http/limits.ts';
import type { PackageService } from '../../packages/index.ts';
import { toDirectoryItem } from '../choose-packages.ts';
import type { RunPreviewService } from './run-preview.service.ts';

type Options = { runPreview: RunPreviewService; packages: Pick<PackageService, 'toRunItems'> };

/** The routes use POST, although they only read: the list of ids is too long for a URL. */
export const runPreviewRoutes: FastifyPluginAsyncTypebox<Options> = async (app, options) => {
  const { runPreview, packages } = options;
  const settings = {
    config: { access: 'session', permission: 'sites.act', tokenAction: 'read' },
    bodyLimit: IDS_BODY_LIMIT_BYTES,
  } as const;
  const errors = { '4xx': ErrorBody, '5xx': ErrorBody };

  app.post(
    '/panel/sites/install-preview',
    {
      ...settings,
      schema: {
        operationId: 'previewInstallation',
        summary: 'Preview an installation on sites',
        errorCodes: ['package_not_found'],
        body: InstallOnSitesRequest,
        response: { 200: RunPreviewResponse, ...errors },
      },
    },
    async (request) => {
      const { site_ids, packages: ids = [], items = [] } = request.body;
      const { user } = signedIn(request);
      const wanted = [...(await packages.toRunItems(user, ids)), ...items.map(toDirectoryItem)];
      const preview = await runPreview.install(user, site_ids, wanted);
      return { success: true as const, preview };
    },
  );

  app.post(
    '/panel/sites/restore-preview',
    {
      ...settings,
      schema: {
        operationId: 'previewRestore',
        summary: 'Preview a restore of one plugin or theme on sites',
        body: RestorePreviewRequest,
        response: { 200: RestorePreviewResponse, ...errors },
      },
    },
    async (request) => {
      const { site_ids, type, slug } = request.body;
      const preview = await runPreview.restore(signedIn(request).user, site_ids, { type, slug });
      return { success: true as const, preview };
    },
  );

  app.post(
    '/panel/sites/self-update-preview',
    {
      ...settings,
      schema: {
        operationId: 'previewPluginUpdate',
        summary: 'Preview an update of the Steward plugin on sites',
        body: SiteIdsRequest,
        response: { 200: RunPreviewResponse, ...errors },
      },
    },
    async (request) => {
      const { site_ids } = request.body;
      const preview = await runPreview.selfUpdate(signedIn(request).user, site_ids);
      return { success: true as const, preview };
    },
  );
};
