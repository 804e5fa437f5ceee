import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import {
  CreateUserRequest,
  ErrorBody,
  IdParams,
  PasswordLinkResponse,
  UpdateUserRequest,
  UserResponse,
  UsersResponse,
  UserWithLinkResponse,
} from '@steward/contract';
import { assertConfirmed, getAuditOrigin } from '../../http/access.ts';
import type { PasswordService } from './passwords.service.ts';
import type { UserService } from './users.service.ts';

type Options = { users: UserService; passwords: PasswordService };

/** The users of the panel. */
export const userRoutes: FastifyPluginAsyncTypebox<Options> = async (app, options) => {
  const { users, passwords } = options;
  const session = { access: 'session', permission: 'owner' } as const;
  const config = { ...session, tokenAction: false } as const;
  /** New access and new roles outlive the session that granted them, so they need a confirmation. */
  const confirmed = { ...config, confirmation: true } as const;
  const errors = { '4xx': ErrorBody, '5xx': ErrorBody };

  app.get(
    '/panel/users',
    {
      config: { ...session, tokenAction: 'read' },
      schema: {
        operationId: 'listUsers',
        summary: 'List users',
        response: { 200: UsersResponse, ...errors },
      },
    },
    async () => ({ success: true as const, users: await users.list() }),
  );

  app.post(
    '/panel/users',
    {
      config: confirmed,
      schema: {
        operationId: 'addUser',
        summary: 'Add a user; returns a link to choose a password',
        errorCodes: ['email_taken'],
        body: CreateUserRequest,
        response: { 200: UserWithLinkResponse, ...errors },
      },
    },
    async (request) => ({
      success: true as const,
      ...(await users.invite(request.body, getAuditOrigin(request))),
    }),
  );

  app.patch(
    '/panel/users/:id',
    {
      config: { ...config, confirmation: 'by_request' },
      schema: {
        operationId: 'changeUser',
        summary: 'Rename, disable or enable a user, or change the role',
        errorCodes: ['not_found', 'last_owner'],
        params: IdParams,
        body: UpdateUserRequest,
        response: { 200: UserResponse, ...errors },
      },
    },
    async (request) => {
      const { role, disabled } = request.body;
      if (role !== undefined || disabled !== undefined) assertConfirmed(request);
      const id = Number(request.params.id);
      const user = await users.update(id, request.body, getAuditOrigin(request));
      return { success: true as const, user };
    },
  );

  app.post(
    '/panel/users/:id/reset-password',
    {
      config: confirmed,
      schema: {
        operationId: 'createPasswordLink',
        summary: 'Create a link for a user to choose a new password',
        errorCodes: ['not_found', 'own_password_link', 'account_disabled'],
        params: IdParams,
        response: { 200: PasswordLinkResponse, ...errors },
      },
    },
    async (request) => ({
      success: true as const,
      password_link: await passwords.createLink(Number(request.params.id), getAuditOrigin(request)),
    }),
  );
};
