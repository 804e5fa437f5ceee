import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import {
  AccessTokensResponse,
  CreateAccessTokenRequest,
  CreatedAccessTokenResponse,
  CurrentAccessTokenResponse,
  DoneResponse,
  ErrorBody,
  IdParams,
  UserTokenParams,
} from '@steward/contract';
import { getAuditOrigin, signedIn, signedInSession } from '../../http/access.ts';
import { AppError } from '../../platform/app-error.ts';
import type { AccessTokenService } from './access-tokens.service.ts';

type Options = { accessTokens: AccessTokenService };

const errors = { '4xx': ErrorBody, '5xx': ErrorBody };

/** An access token must not manage tokens: with a stolen one, an attacker could create another that is valid for longer. */
export const accessTokenRoutes: FastifyPluginAsyncTypebox<Options> = async (app, options) => {
  const { accessTokens } = options;
  const own = { access: 'session', permission: 'account', tokenAction: false } as const;
  const owner = { access: 'session', permission: 'owner', tokenAction: false } as const;

  app.get(
    '/panel/account/tokens',
    {
      config: own,
      schema: {
        operationId: 'listOwnAccessTokens',
        summary: 'List your own access tokens',
        response: { 200: AccessTokensResponse, ...errors },
      },
    },
    async (request) => ({
      success: true as const,
      tokens: await accessTokens.list(signedInSession(request).user.id),
    }),
  );

  app.get(
    '/panel/account/tokens/current',
    {
      config: { ...own, tokenAction: 'any' },
      schema: {
        operationId: 'getCurrentAccessToken',
        summary: 'Get the access token of this request',
        errorCodes: ['not_found'],
        response: { 200: CurrentAccessTokenResponse, ...errors },
      },
    },
    async (request) => {
      const { user, token } = signedIn(request);
      if (!token) throw new AppError('not_found', { message: 'This request has no access token.' });
      return { success: true as const, user, token: await accessTokens.show(token.id) };
    },
  );

  app.post(
    '/panel/account/tokens',
    {
      config: { ...own, confirmation: true },
      schema: {
        operationId: 'createAccessToken',
        summary: 'Create an access token; only this response contains it',
        errorCodes: [
          'account_disabled',
          'not_found',
          'site_not_found',
          'client_not_found',
          'too_many_tokens',
        ],
        body: CreateAccessTokenRequest,
        response: { 200: CreatedAccessTokenResponse, ...errors },
      },
    },
    async (request) => {
      const { id } = signedInSession(request).user;
      const created = await accessTokens.create(id, request.body, getAuditOrigin(request));
      return { success: true as const, ...created };
    },
  );

  app.delete(
    '/panel/account/tokens/:id',
    {
      config: own,
      schema: {
        operationId: 'revokeOwnAccessToken',
        summary: 'Revoke one of your access tokens',
        errorCodes: ['not_found'],
        params: IdParams,
        response: { 200: DoneResponse, ...errors },
      },
    },
    async (request) => {
      const { id } = signedInSession(request).user;
      await accessTokens.revoke(id, Number(request.params.id), getAuditOrigin(request));
      return { success: true as const };
    },
  );

  app.get(
    '/panel/users/:id/tokens',
    {
      config: owner,
      schema: {
        operationId: 'listAccessTokens',
        summary: 'List the access tokens of a user',
        errorCodes: ['not_found'],
        params: IdParams,
        response: { 200: AccessTokensResponse, ...errors },
      },
    },
    async ({ params }) => ({
      success: true as const,
      tokens: await accessTokens.list(Number(params.id)),
    }),
  );

  app.delete(
    '/panel/users/:id/tokens/:token_id',
    {
      config: { ...owner, confirmation: true },
      schema: {
        operationId: 'revokeAccessToken',
        summary: 'Revoke an access token of a user',
        errorCodes: ['not_found'],
        params: UserTokenParams,
        response: { 200: DoneResponse, ...errors },
      },
    },
    async (request) => {
      const { id, token_id } = request.params;
      await accessTokens.revoke(Number(id), Number(token_id), getAuditOrigin(request));
      return { success: true as const };
    },
  );
};
