import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { AccountResponse, ErrorBody, UpdateAccountRequest } from '@steward/contract';
import { assertConfirmed, getAuditOrigin, signedInSession } from '../../http/access.ts';
import type { AccountService } from './account.service.ts';

type Options = { account: AccountService };

/** The user's own name and e-mail address. */
export const accountRoutes: FastifyPluginAsyncTypebox<Options> = async (app, { account }) => {
  app.patch(
    '/panel/account',
    {
      config: {
        access: 'session',
        permission: 'account',
        confirmation: 'by_request',
        tokenAction: false,
      },
      schema: {
        operationId: 'changeAccount',
        summary: 'Change your own name or e-mail address',
        errorCodes: ['email_taken'],
        body: UpdateAccountRequest,
        response: { 200: AccountResponse, '4xx': ErrorBody, '5xx': ErrorBody },
      },
    },
    async (request) => {
      // The address is the sign-in name, so a stolen session must not be able to change it.
      if (request.body.email !== undefined) assertConfirmed(request);
      const user = await account.update(
        signedInSession(request),
        request.body,
        getAuditOrigin(request),
      );
      return { success: true as const, user };
    },
  );
};
