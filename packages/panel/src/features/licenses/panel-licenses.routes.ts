import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import {
  ErrorBody,
  ExtendLicenseRequest,
  IdParams,
  LicenseDetailsResponse,
  LicenseErrorBody,
  LicenseResponse,
  LicensesQuery,
  LicensesResponse,
  LimitPreviewQuery,
  LimitPreviewResponse,
  PlansResponse,
  ReleaseParams,
  ReleaseResponse,
  SetLimitRequest,
  SITE_LIMIT_MAX,
  UpdateLicenseRequest,
} from '@steward/contract';
import { getAuditOrigin } from '../../http/access.ts';
import { AppError } from '../../platform/app-error.ts';
import type { ActivationService } from './activations.service.ts';
import type { KeyRotationService } from './key-rotation.service.ts';
import { type KeyRouteOptions, licenseKeyRoutes } from './license-keys.routes.ts';
import type { LicenseListService } from './license-list.service.ts';
import type { LicenseService } from './licenses.service.ts';
import { parseExpiry } from './parse-expiry.ts';
import type { PlanService } from './plans.service.ts';

type Options = KeyRouteOptions & {
  licenses: LicenseService;
  licenseList: LicenseListService;
  activations: ActivationService;
  keyRotation: KeyRotationService;
  plans: PlanService;
};

const config = { access: 'session', permission: 'owner', tokenAction: 'licenses' } as const;
const readConfig = { ...config, tokenAction: 'read' } as const;
/** A change that gives or takes access: a stolen session or a browser left open must not suffice. */
const accessConfig = { ...config, confirmation: true } as const;
/** For keys and irreversible changes. No access token can make them. */
const irreversibleConfig = { ...accessConfig, tokenAction: false } as const;
const errors = { '4xx': ErrorBody, '5xx': ErrorBody };
const licenseErrors = { '4xx': LicenseErrorBody, '5xx': ErrorBody };

export const panelLicenseRoutes: FastifyPluginAsyncTypebox<Options> = async (app, options) => {
  await app.register(readRoutes, options);
  await app.register(licenseKeyRoutes, options);
  await app.register(changeRoutes, options);
};

const readRoutes: FastifyPluginAsyncTypebox<Options> = async (app, options) => {
  const { licenses, licenseList, plans } = options;

  app.get(
    '/panel/licenses',
    {
      config: readConfig,
      schema: {
        operationId: 'listLicenses',
        summary: 'Find licenses',
        querystring: LicensesQuery,
        response: { 200: LicensesResponse, ...errors },
      },
    },
    async ({ query }) => ({ success: true as const, ...(await licenseList.list(query)) }),
  );

  app.get(
    '/panel/licenses/:id',
    {
      config: readConfig,
      schema: {
        operationId: 'getLicense',
        summary: 'Get a license with its sites',
        errorCodes: ['not_found'],
        params: IdParams,
        response: { 200: LicenseDetailsResponse, ...errors },
      },
    },
    async ({ params }) => ({
      success: true as const,
      license: await licenses.show(Number(params.id)),
    }),
  );

  app.get(
    '/panel/licenses/:id/limit-preview',
    {
      config: readConfig,
      schema: {
        operationId: 'previewSiteLimit',
        summary: 'Preview the effect of a site limit',
        errorCodes: ['not_found'],
        params: IdParams,
        querystring: LimitPreviewQuery,
        response: { 200: LimitPreviewResponse, ...errors },
      },
    },
    async ({ params, query }) => ({
      success: true as const,
      preview: await licenses.previewLimit(Number(params.id), parseLimit(query.site_limit)),
    }),
  );

  app.get(
    '/panel/plans',
    {
      config: readConfig,
      schema: {
        operationId: 'listPlans',
        summary: 'List plans',
        response: { 200: PlansResponse, ...errors },
      },
    },
    async () => ({ success: true as const, plans: await plans.list() }),
  );
};

const changeRoutes: FastifyPluginAsyncTypebox<Options> = async (app, options) => {
  const { licenses, activations, keyRotation } = options;
  const response = { 200: LicenseResponse, ...licenseErrors };

  for (const [action, operationId, summary, routeConfig] of [
    ['suspend', 'suspendLicense', 'Suspend a license', accessConfig],
    ['resume', 'resumeLicense', 'Resume a license', accessConfig],
    [
      'revoke',
      'revokeLicense',
      'Revoke a license permanently and deactivate its sites',
      irreversibleConfig,
    ],
  ] as const) {
    app.post(
      `/panel/licenses/:id/${action}`,
      {
        config: routeConfig,
        schema: {
          operationId,
          summary,
          errorCodes: ['not_found', 'license_revoked'],
          params: IdParams,
          response,
        },
      },
      async (request) => ({
        success: true as const,
        license: await licenses[action](Number(request.params.id), getAuditOrigin(request)),
      }),
    );
  }

  app.patch(
    '/panel/licenses/:id',
    {
      config,
      schema: {
        operationId: 'changeLicense',
        summary: 'Change the name and the customer of a license',
        errorCodes: ['not_found'],
        params: IdParams,
        body: UpdateLicenseRequest,
        response,
      },
    },
    async (request) => ({
      success: true as const,
      license: await licenses.rename(
        Number(request.params.id),
        request.body,
        getAuditOrigin(request),
      ),
    }),
  );

  app.post(
    '/panel/licenses/:id/end-old-key',
    {
      config: irreversibleConfig,
      schema: {
        operationId: 'expireOldLicenseKey',
        summary: 'Expire the old key of a license now',
        errorCodes: ['not_found', 'license_revoked'],
        params: IdParams,
        response,
      },
    },
    async (request) => ({
      success: true as const,
      license: await keyRotation.endOldKey(Number(request.params.id), getAuditOrigin(request)),
    }),
  );

  app.post(
    '/panel/licenses/:id/extend',
    {
      config: accessConfig,
      schema: {
        operationId: 'extendLicense',
        summary: 'Change the expiry date of a license',
        errorCodes: ['not_found', 'license_revoked'],
        params: IdParams,
        body: ExtendLicenseRequest,
        response,
      },
    },
    async (request) => {
      const [id, expiresAt] = [Number(request.params.id), parseExpiry(request.body.expires_at)];
      return {
        success: true as const,
        license: await licenses.extend(id, expiresAt, getAuditOrigin(request)),
      };
    },
  );

  app.post(
    '/panel/licenses/:id/set-limit',
    {
      config: accessConfig,
      schema: {
        operationId: 'setSiteLimit',
        summary: 'Change the site limit of a license; connected sites stay connected',
        errorCodes: ['not_found', 'license_revoked'],
        params: IdParams,
        body: SetLimitRequest,
        response,
      },
    },
    async (request) => {
      const [id, limit] = [Number(request.params.id), request.body.site_limit];
      return {
        success: true as const,
        license: await licenses.setLimit(id, limit, getAuditOrigin(request)),
      };
    },
  );

  app.post(
    '/panel/licenses/:id/sites/:site_id/release',
    {
      config: accessConfig,
      schema: {
        operationId: 'releaseSite',
        summary: 'Disconnect a site from a license and free its seat',
        errorCodes: ['site_not_found'],
        params: ReleaseParams,
        response: { 200: ReleaseResponse, ...licenseErrors },
      },
    },
    async (request) => {
      const { id, site_id } = request.params;
      const released = await activations.release(
        Number(id),
        Number(site_id),
        getAuditOrigin(request),
      );
      return { success: true as const, ...released };
    },
  );
};

function parseLimit(text: string | undefined): number | null | undefined {
  if (text === undefined) return undefined;
  if (text === 'unlimited') return null;
  const limit = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= SITE_LIMIT_MAX) return limit;
  throw new AppError('invalid_request', {
    message: `site_limit must be unlimited or a whole number from 1 to ${SITE_LIMIT_MAX}.`,
  });
}
