import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import {
  DoneResponse,
  ErrorBody,
  RequestPasswordResetRequest,
  SignInOptionsResponse,
} from '@steward/contract';
import { getAuditOrigin } from '../../http/access.ts';
import type { PasswordResetService } from './password-reset.service.ts';

type Options = { passwordReset: PasswordResetService };

const errors = { '4xx': ErrorBody, '5xx': ErrorBody };
const success = true as const;

export const passwordResetRoutes: FastifyPluginAsyncTypebox<Options> = async (
  app,
  { passwordReset },
) => {
  app.get(
    '/panel/sign-in-options',
    {
      config: { access: 'public' },
      schema: {
        operationId: 'getSignInOptions',
        summary: 'Get what the sign-in page offers',
        response: { 200: SignInOptionsResponse, ...errors },
      },
    },
    async () => ({ success, password_reset: passwordReset.isAvailable }),
  );

  app.post(
    '/panel/request-password-reset',
    {
      config: { access: 'visitor' },
      schema: {
        operationId: 'requestPasswordReset',
        summary: 'Send a link to choose a new password to the address, if it has an account',
        description: 'The response is the same for each address.',
        errorCodes: ['password_reset_unavailable'],
        body: RequestPasswordResetRequest,
        response: { 200: DoneResponse, ...errors },
      },
    },
    async (request) => {
      await passwordReset.request(request.body.email, request.ip, getAuditOrigin(request));
      return { success };
    },
  );
};
