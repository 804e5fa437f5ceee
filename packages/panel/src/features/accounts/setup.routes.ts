import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import {
  ErrorBody,
  SessionResponse,
  SetPasswordRequest,
  SetPasswordResponse,
  SetupRequest,
  SetupStateResponse,
  TwoFactorRequiredBody,
} from '@steward/contract';
import { getAuditOrigin } from '../../http/access.ts';
import { AppError } from '../../platform/app-error.ts';
import type { AccountMails } from './password-reset.service.ts';
import type { PasswordService } from './passwords.service.ts';
import { respondToSignIn } from './respond-to-sign-in.ts';
import type { SetupService } from './setup.service.ts';
import type { SignInService } from './sign-in.service.ts';

type Options = {
  setup: SetupService;
  signIns: SignInService;
  passwords: PasswordService;
  accountMails: Pick<AccountMails, 'sendPasswordChanged'>;
};

/** Too many failed attempts for this address, a disabled user, or a newer password. */
const REFUSALS = ['rate_limited', 'account_disabled', 'invalid_credentials'];

/** Routes for the screens behind one-time links. The token of the link authenticates the caller. */
export const setupRoutes: FastifyPluginAsyncTypebox<Options> = async (app, options) => {
  const { setup, signIns, passwords, accountMails } = options;
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
        summary:
          'Choose a password with a link from an owner or a mail; an invitation also signs in',
        errorCodes: ['invalid_link', 'weak_password', 'two_factor_required'],
        body: SetPasswordRequest,
        response: { 200: SetPasswordResponse, 401: TwoFactorRequiredBody, ...errors },
      },
    },
    async (request, reply) => {
      const { token, new_password: password } = request.body;
      const redeemed = await passwords.redeemLink(token, password, getAuditOrigin(request));
      const { userId, email, isInvitation } = redeemed;
      if (!isInvitation) {
        accountMails.sendPasswordChanged(userId);
        return { success: true as const };
      }
      // The same sign-in as with this password: its rules for cookies, devices, second factors and the audit log apply.
      return respondToSignIn(request, reply, (client, origin) =>
        signIns.withPassword({ email, password }, client, origin),
      ).catch(doneIfRefused);
    },
  );
};

/** The password is set, so the user can sign in later. The link works only once. */
function doneIfRefused(error: unknown): { success: true } {
  if (error instanceof AppError && REFUSALS.includes(error.code)) return { success: true };
  throw error;
}
