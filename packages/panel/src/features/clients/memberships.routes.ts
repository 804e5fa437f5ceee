import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import {
  DoneResponse,
  ErrorBody,
  IdParams,
  SetClientRequest,
  SetClientResponse,
  UpdateSiteRequest,
} from '@steward/contract';
import { getAuditOrigin, signedIn } from '../../http/access.ts';
import { IDS_BODY_LIMIT_BYTES } from '../../http/limits.ts';
import type { MembershipService } from './memberships.service.ts';

type Options = { memberships: MembershipService };

export const membershipRoutes: FastifyPluginAsyncTypebox<Options> = async (
  app,
  { memberships },
) => {
  /** A client can give users access to its sites. Changing the sites of such a client needs a confirmation. */
  const config = {
    access: 'session',
    permission: 'sites.act',
    confirmation: 'by_request',
    tokenAction: 'sites',
  } as const;
  const errors = { '4xx': ErrorBody, '5xx': ErrorBody };

  app.put(
    '/panel/sites/:id',
    {
      config,
      schema: {
        operationId: 'changeSite',
        summary: 'Change the display name, the note or the client of a site',
        errorCodes: ['site_not_found', 'client_not_found', 'client_archived'],
        params: IdParams,
        body: UpdateSiteRequest,
        response: { 200: DoneResponse, ...errors },
      },
    },
    async (request) => {
      const { user } = signedIn(request);
      const id = Number(request.params.id);
      await memberships.updateSite(user, id, request.body, getAuditOrigin(request));
      return { success: true as const };
    },
  );

  app.post(
    '/panel/sites/client',
    {
      config,
      bodyLimit: IDS_BODY_LIMIT_BYTES,
      schema: {
        operationId: 'setClientOfSites',
        summary: 'Set or remove the client of many sites',
        errorCodes: ['client_not_found', 'client_archived'],
        body: SetClientRequest,
        response: { 200: SetClientResponse, ...errors },
      },
    },
    async (request) => {
      const { user } = signedIn(request);
      const result = await memberships.setClient(user, request.body, getAuditOrigin(request));
      return { success: result.not_found === 0, ...result };
    },
  );
};
