import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import {
  DoneResponse,
  ErrorBody,
  SessionResponse,
  SetPasswordRequest,
  SetupRequest,
  SetupStateResponse,
} from '@steward/contract';
import { getAuditOrigin } from '../../http/access.ts';
import type { PasswordService } from './passwords.service.ts';
import { respondToSignIn } from './respond-to-sign-in.ts';
import type { SetupService } from './setup.service.ts';
import type { SignInService } from './sign-in.service.ts';

type Options = { setup: SetupService; signIns: SignInService; passwords: PasswordService };

/** Routes for the screens behind one-time links. The token of the link authenticates the caller. */
export const setupRoutes: FastifyPluginAsyncTypebox<Options> = async (app, options) => {
  const { setup, signIns, passwords } = options;
  const errors = { '4xx': ErrorBody, '5xx': ErrorBody };

  app.get(
    '/panel/setup',
    {
      config: { access: 'public' },
      schema: {
        operationId: 'getSetupState',
        summary: 'Check whether the panel needs setup',
        errorCodes: ['setup_complete'],
        response: { 200: SetupStateResponse, ...errors },
      },
    },
    async () => {
      await setup.assertNeeded();
      return { success: true as const, setup_needed: true as const };
    },
  );

  app.post(
    '/panel/setup',
    {
      config: { access: 'visitor' },
      schema: {
        operationId: 'createFirstOwner',
        summary: 'Create the first owner and sign in',
        errorCodes: ['setup_complete', 'invalid_link', 'weak_password'],
        body: SetupRequest,
        response: { 200: SessionResponse, ...errors },
      },
    },
    async (request, reply) => {
      await setup.complete(request.body, getAuditOrigin(request));
      return respondToSignIn(request, reply, (client, origin) =>
        signIns.withPassword(request.body, client, origin),
      );
    },
  );

  app.post(
    '/panel/set-password',
    {
      config: { access: 'visitor' },
      schema: {
        operationId: 'setPasswordWithLink',
        summary: 'Choose a password with a link from an owner',
        errorCodes: ['invalid_link', 'weak_password'],
        body: SetPasswordRequest,
        response: { 200: DoneResponse, ...errors },
      },
    },
    async (request) => {
      const { token, new_password } = request.body;
      await passwords.redeemLink(token, new_password, getAuditOrigin(request));
      return { success: true as const };
    },
  );
};
