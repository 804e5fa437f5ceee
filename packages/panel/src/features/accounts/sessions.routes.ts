import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import {
  ChangePasswordRequest,
  ConfirmRequest,
  DoneResponse,
  ErrorBody,
  IdParams,
  SecondFactorRequest,
  SessionResponse,
  SessionsResponse,
  SignInRequest,
  TwoFactorRequiredBody,
} from '@steward/contract';
import { getAuditOrigin, signedInSession } from '../../http/access.ts';
import type { ConfirmationService } from './confirmation.service.ts';
import type { AccountMails } from './password-reset.service.ts';
import type { PasswordService } from './passwords.service.ts';
import { respondToSignIn } from './respond-to-sign-in.ts';
import type { SessionService } from './sessions.service.ts';
import type { SignInService } from './sign-in.service.ts';

type Options = {
  sessions: SessionService;
  signIns: SignInService;
  passwords: PasswordService;
  confirmation: ConfirmationService;
  accountMails: Pick<AccountMails, 'sendPasswordChanged'>;
};

/** Sign-in, sign-out, confirmation, and the user's own password and sessions. */
export const sessionRoutes: FastifyPluginAsyncTypebox<Options> = async (app, options) => {
  const { sessions, signIns, passwords, confirmation, accountMails } = options;
  const config = { access: 'session', permission: 'account', tokenAction: false } as const;
  const errors = { '4xx': ErrorBody, '5xx': ErrorBody };

  app.post(
    '/auth/sign-in/email',
    {
      config: { access: 'visitor' },
      schema: {
        operationId: 'signIn',
        summary: 'Sign in',
        errorCodes: ['invalid_credentials', 'two_factor_required', 'account_disabled'],
        body: SignInRequest,
        response: { 200: SessionResponse, 401: TwoFactorRequiredBody, ...errors },
      },
    },
    (request, reply) =>
      respondToSignIn(request, reply, (client, origin) =>
        signIns.withPassword(request.body, client, origin),
      ),
  );

  app.post(
    '/auth/sign-in/second-factor',
    {
      config: { access: 'visitor' },
      schema: {
        operationId: 'completeSignIn',
        summary: 'Complete a sign-in with a code, after two_factor_required',
        errorCodes: ['sign_in_expired', 'wrong_code', 'account_disabled'],
        body: SecondFactorRequest,
        response: { 200: SessionResponse, ...errors },
      },
    },
    (request, reply) =>
      respondToSignIn(request, reply, (client, origin) =>
        signIns.withCode(request.body.code, client, origin),
      ),
  );

  app.post(
    '/auth/sign-out',
    {
      config,
      schema: {
        operationId: 'signOut',
        summary: 'Sign out',
        response: { 200: DoneResponse, ...errors },
      },
    },
    async (request, reply) => {
      const { cookies } = await sessions.signOut(signedInSession(request), getAuditOrigin(request));
      reply.header('set-cookie', cookies);
      return { success: true as const };
    },
  );

  app.post(
    '/auth/confirm',
    {
      config,
      schema: {
        operationId: 'confirmIdentity',
        summary: 'Confirm your identity for protected actions; valid for 10 minutes',
        errorCodes: [
          'wrong_password',
          'wrong_code',
          'passkey_rejected',
          'passkeys_unavailable',
          'second_factor_needed',
        ],
        body: ConfirmRequest,
        response: { 200: DoneResponse, ...errors },
      },
    },
    async (request) => {
      await confirmation.confirm(signedInSession(request), request.body, getAuditOrigin(request));
      return { success: true as const };
    },
  );

  app.post(
    '/auth/change-password',
    {
      config,
      schema: {
        operationId: 'changePassword',
        summary: 'Change your own password',
        errorCodes: ['wrong_password', 'weak_password'],
        body: ChangePasswordRequest,
        response: { 200: DoneResponse, ...errors },
      },
    },
    async (request) => {
      const caller = signedInSession(request);
      await passwords.change(caller, request.body, getAuditOrigin(request));
      accountMails.sendPasswordChanged(caller.user.id);
      return { success: true as const };
    },
  );

  app.get(
    '/panel/session',
    {
      config,
      schema: {
        operationId: 'getSession',
        summary: 'Get the signed-in user',
        response: { 200: SessionResponse, ...errors },
      },
    },
    async (request) => ({ success: true as const, ...sessions.view(signedInSession(request)) }),
  );

  app.get(
    '/panel/sessions',
    {
      config,
      schema: {
        operationId: 'listSessions',
        summary: 'List your own sessions',
        response: { 200: SessionsResponse, ...errors },
      },
    },
    async (request) => ({
      success: true as const,
      sessions: await sessions.list(signedInSession(request)),
    }),
  );

  app.delete(
    '/panel/sessions',
    {
      config,
      schema: {
        operationId: 'endOtherSessions',
        summary: 'End all your other sessions',
        response: { 200: DoneResponse, ...errors },
      },
    },
    async (request) => {
      await sessions.endOthers(signedInSession(request), getAuditOrigin(request));
      return { success: true as const };
    },
  );

  app.delete(
    '/panel/sessions/:id',
    {
      config,
      schema: {
        operationId: 'endSession',
        summary: 'End one of your sessions',
        errorCodes: ['not_found'],
        params: IdParams,
        response: { 200: DoneResponse, ...errors },
      },
    },
    async (request) => {
      const origin = getAuditOrigin(request);
      await sessions.end(signedInSession(request), Number(request.params.id), origin);
      return { success: true as const };
    },
  );
};
