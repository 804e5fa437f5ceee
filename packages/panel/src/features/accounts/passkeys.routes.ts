import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import {
  DoneResponse,
  ErrorBody,
  IdParams,
  PasskeyOptionsResponse,
  PasskeyResponse,
  PasskeySignInRequest,
  RegisterPasskeyRequest,
  RenamePasskeyRequest,
  SessionResponse,
} from '@steward/contract';
import { getAuditOrigin, signedInSession } from '../../http/access.ts';
import type { PasskeyService } from './passkeys.service.ts';
import { respondToSignIn } from './respond-to-sign-in.ts';
import type { SignInService } from './sign-in.service.ts';

type Options = { passkeys: PasskeyService; signIns: SignInService };

/** Sign-in with a passkey, and management of the user's own passkeys. */
export const passkeyRoutes: FastifyPluginAsyncTypebox<Options> = async (app, options) => {
  const { passkeys, signIns } = options;
  const config = { access: 'session', permission: 'account', tokenAction: false } as const;
  // A passkey gives permanent access, so a stolen session must not be able to add one.
  const confirmed = { ...config, confirmation: true } as const;
  const errors = { '4xx': ErrorBody, '5xx': ErrorBody };

  app.post(
    '/auth/passkey/options',
    {
      config: { access: 'visitor' },
      schema: {
        operationId: 'startPasskeySignIn',
        summary: 'Start a sign-in with a passkey',
        errorCodes: ['passkeys_unavailable'],
        response: { 200: PasskeyOptionsResponse, ...errors },
      },
    },
    async (request) => ({
      success: true as const,
      options: await signIns.startWithPasskey(request, getAuditOrigin(request)),
    }),
  );

  app.post(
    '/auth/sign-in/passkey',
    {
      config: { access: 'visitor' },
      schema: {
        operationId: 'signInWithPasskey',
        summary: 'Sign in with a passkey',
        errorCodes: ['passkey_rejected', 'passkeys_unavailable', 'account_disabled'],
        body: PasskeySignInRequest,
        response: { 200: SessionResponse, ...errors },
      },
    },
    (request, reply) =>
      respondToSignIn(request, reply, (client, origin) =>
        signIns.withPasskey(request.body.passkey, client, origin),
      ),
  );

  app.post(
    '/auth/confirm/passkey-options',
    {
      config,
      schema: {
        operationId: 'startPasskeyConfirmation',
        summary: 'Start to confirm your identity with a passkey',
        errorCodes: ['passkeys_unavailable', 'no_second_factor'],
        response: { 200: PasskeyOptionsResponse, ...errors },
      },
    },
    async (request) => ({
      success: true as const,
      options: await passkeys.startConfirmation(signedInSession(request)),
    }),
  );

  app.post(
    '/panel/account/passkeys/options',
    {
      config: confirmed,
      schema: {
        operationId: 'startPasskeyRegistration',
        summary: 'Start to add a passkey',
        errorCodes: ['passkeys_unavailable'],
        response: { 200: PasskeyOptionsResponse, ...errors },
      },
    },
    async (request) => ({
      success: true as const,
      options: await passkeys.startRegistration(signedInSession(request)),
    }),
  );

  app.post(
    '/panel/account/passkeys',
    {
      config: confirmed,
      schema: {
        operationId: 'addPasskey',
        summary: 'Add a passkey',
        errorCodes: ['passkey_rejected', 'passkeys_unavailable'],
        body: RegisterPasskeyRequest,
        response: { 200: PasskeyResponse, ...errors },
      },
    },
    async (request) => ({
      success: true as const,
      passkey: await passkeys.register(
        signedInSession(request),
        request.body,
        getAuditOrigin(request),
      ),
    }),
  );

  app.patch(
    '/panel/account/passkeys/:id',
    {
      config,
      schema: {
        operationId: 'renamePasskey',
        summary: 'Rename a passkey',
        errorCodes: ['not_found'],
        params: IdParams,
        body: RenamePasskeyRequest,
        response: { 200: PasskeyResponse, ...errors },
      },
    },
    async (request) => {
      const [id, { name }] = [Number(request.params.id), request.body];
      const passkey = await passkeys.rename(
        signedInSession(request),
        id,
        name,
        getAuditOrigin(request),
      );
      return { success: true as const, passkey };
    },
  );

  app.delete(
    '/panel/account/passkeys/:id',
    {
      config: confirmed,
      schema: {
        operationId: 'removePasskey',
        summary: 'Remove a passkey',
        errorCodes: ['not_found', 'last_second_factor'],
        params: IdParams,
        response: { 200: DoneResponse, ...errors },
      },
    },
    async (request) => {
      await passkeys.remove(
        signedInSession(request),
        Number(request.params.id),
        getAuditOrigin(request),
      );
      return { success: true as const };
    },
  );
};
