import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import {
  ClientResponse,
  ClientsResponse,
  CreateClientRequest,
  ErrorBody,
  IdParams,
  UpdateClientRequest,
} from '@steward/contract';
import { getAuditOrigin, signedIn } from '../../http/access.ts';
import type { ClientService } from './clients.service.ts';

type Options = { clients: ClientService };

export const clientRoutes: FastifyPluginAsyncTypebox<Options> = async (app, { clients }) => {
  const view = { access: 'session', permission: 'sites.view', tokenAction: 'read' } as const;
  const change = { access: 'session', permission: 'owner', tokenAction: 'sites' } as const;
  const errors = { '4xx': ErrorBody, '5xx': ErrorBody };
  const response = { 200: ClientResponse, ...errors };

  app.get(
    '/panel/clients',
    {
      config: view,
      schema: {
        operationId: 'listClients',
        summary: 'List the clients of your sites; an owner also lists archived clients',
        response: { 200: ClientsResponse, ...errors },
      },
    },
    async (request) => ({
      success: true as const,
      clients: await clients.list(signedIn(request).user),
    }),
  );

  app.get(
    '/panel/clients/:id',
    {
      config: view,
      schema: {
        operationId: 'getClient',
        summary: 'Get a client',
        errorCodes: ['client_not_found'],
        params: IdParams,
        response,
      },
    },
    async (request) => ({
      success: true as const,
      client: await clients.show(signedIn(request).user, Number(request.params.id)),
    }),
  );

  app.post(
    '/panel/clients',
    {
      config: change,
      schema: {
        operationId: 'createClient',
        summary: 'Create a client',
        errorCodes: ['client_exists', 'too_many_clients'],
        body: CreateClientRequest,
        response,
      },
    },
    async (request) => ({
      success: true as const,
      client: await clients.create(request.body, getAuditOrigin(request)),
    }),
  );

  app.put(
    '/panel/clients/:id',
    {
      config: change,
      schema: {
        operationId: 'updateClient',
        summary: 'Change the name, the contact or the time zone of a client',
        errorCodes: ['client_not_found', 'client_exists'],
        params: IdParams,
        body: UpdateClientRequest,
        response,
      },
    },
    async (request) => ({
      success: true as const,
      client: await clients.update(
        Number(request.params.id),
        request.body,
        getAuditOrigin(request),
      ),
    }),
  );

  app.post(
    '/panel/clients/:id/archive',
    {
      config: { ...change, confirmation: 'by_request' },
      schema: {
        operationId: 'archiveClient',
        summary: 'Archive a client: its sites then belong to no client',
        errorCodes: ['client_not_found'],
        params: IdParams,
        response,
      },
    },
    async (request) => {
      const id = Number(request.params.id);
      const { user } = signedIn(request);
      const client = await clients.archive(user, id, getAuditOrigin(request));
      return { success: true as const, client };
    },
  );

  app.post(
    '/panel/clients/:id/restore',
    {
      config: change,
      schema: {
        operationId: 'restoreClient',
        summary: 'Restore an archived client, without sites',
        errorCodes: ['client_not_found'],
        params: IdParams,
        response,
      },
    },
    async (request) => ({
      success: true as const,
      client: await clients.restore(Number(request.params.id), getAuditOrigin(request)),
    }),
  );
};
