import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import {
  AccessResponse,
  ChangeAccessRequest,
  ErrorBody,
  IdParams,
  LicenseGrantParams,
  SiteGrantParams,
} from '@steward/contract';
import { getAuditOrigin } from '../../http/access.ts';
import type { SiteAccessService } from './site-access.service.ts';

type Options = { siteAccess: SiteAccessService };

/**
 * The access grants of users. Each call adds or removes grants, and never replaces the whole list: two owners who work
 * at the same time must not undo each other's changes.
 */
export const siteAccessRoutes: FastifyPluginAsyncTypebox<Options> = async (app, options) => {
  const { siteAccess } = options;
  const session = { access: 'session', permission: 'owner' } as const;
  /** A stolen session must neither give access, which outlives it, nor take it from others. */
  const config = { ...session, confirmation: true, tokenAction: false } as const;
  const response = { 200: AccessResponse, '4xx': ErrorBody, '5xx': ErrorBody };

  app.get(
    '/panel/users/:id/access',
    {
      config: { ...session, tokenAction: 'read' },
      schema: {
        operationId: 'listAccessGrants',
        summary: 'List the access grants of a user',
        errorCodes: ['not_found'],
        params: IdParams,
        response,
      },
    },
    async ({ params }) => ({
      success: true as const,
      access: await siteAccess.list(Number(params.id)),
    }),
  );

  for (const [verb, apply] of [
    ['grant', siteAccess.grant],
    ['revoke', siteAccess.revoke],
  ] as const) {
    app.post(
      `/panel/users/:id/access/${verb}`,
      {
        config,
        schema: {
          operationId: `${verb}Access`,
          summary: `${verb === 'grant' ? 'Grant' : 'Revoke'} access to sites, licenses, tags and clients`,
          errorCodes: ['not_found', 'site_not_found', 'client_not_found'],
          params: IdParams,
          body: ChangeAccessRequest,
          response,
        },
      },
      async (request) => {
        const { site_ids = [], license_ids = [], tags = [], client_ids = [] } = request.body;
        const targets = [
          ...site_ids.map((siteId) => ({ siteId })),
          ...license_ids.map((licenseId) => ({ licenseId })),
          ...tags.map((tag) => ({ tag })),
          ...client_ids.map((clientId) => ({ clientId })),
        ];
        const access = await apply(Number(request.params.id), targets, getAuditOrigin(request));
        return { success: true as const, access };
      },
    );
  }

  for (const [method, apply] of [
    ['PUT', siteAccess.grant],
    ['DELETE', siteAccess.revoke],
  ] as const) {
    const verb = method === 'PUT' ? 'Grant' : 'Revoke';

    app.route({
      method,
      url: '/panel/users/:id/access/sites/:site_id',
      config,
      schema: {
        operationId: `${verb.toLowerCase()}SiteAccess`,
        summary: `${verb} access to a site`,
        errorCodes: ['not_found', 'site_not_found'],
        params: SiteGrantParams,
        response,
      },
      handler: async (request) => {
        const { id, site_id } = request.params;
        const targets = { siteId: Number(site_id) };
        const access = await apply(Number(id), targets, getAuditOrigin(request));
        return { success: true as const, access };
      },
    });

    app.route({
      method,
      url: '/panel/users/:id/access/licenses/:license_id',
      config,
      schema: {
        operationId: `${verb.toLowerCase()}LicenseAccess`,
        summary: `${verb} access to all sites of a license`,
        errorCodes: ['not_found'],
        params: LicenseGrantParams,
        response,
      },
      handler: async (request) => {
        const { id, license_id } = request.params;
        const targets = { licenseId: Number(license_id) };
        const access = await apply(Number(id), targets, getAuditOrigin(request));
        return { success: true as const, access };
      },
    });
  }
};
