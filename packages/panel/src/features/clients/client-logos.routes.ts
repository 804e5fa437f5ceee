import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import {
  CLIENT_LOGO_MAX_BYTES,
  ClientLogoQuery,
  DoneResponse,
  ErrorBody,
  IdParams,
} from '@steward/contract';
import { getAuditOrigin, signedIn } from '../../http/access.ts';
import { fileResponse } from '../../http/openapi/file-response.ts';
import { AppError } from '../../platform/app-error.ts';
import type { ClientLogoService } from './client-logos.service.ts';
import { LOGO_TYPES } from './tables.ts';

type Options = { clientLogos: ClientLogoService };

export const clientLogoRoutes: FastifyPluginAsyncTypebox<Options> = async (
  app,
  { clientLogos },
) => {
  const change = { access: 'session', permission: 'owner', tokenAction: 'sites' } as const;
  const errors = { '4xx': ErrorBody, '5xx': ErrorBody };

  app.addContentTypeParser([...LOGO_TYPES], { parseAs: 'buffer' }, (_request, body, done) =>
    done(null, body),
  );

  app.get(
    '/panel/clients/:id/logo',
    {
      config: { access: 'session', permission: 'sites.view', tokenAction: 'read' },
      schema: {
        operationId: 'getClientLogo',
        summary: 'Get the logo of a client',
        errorCodes: ['client_not_found'],
        params: IdParams,
        querystring: ClientLogoQuery,
        response: { 200: fileResponse('The image.', ...LOGO_TYPES), ...errors },
      },
    },
    async (request, reply) => {
      const { user } = signedIn(request);
      const logo = await clientLogos.read(user, Number(request.params.id));
      // Only for the browser of this user. The screens add the hash of the image to its address.
      reply.header('cache-control', 'private, max-age=3600').type(logo.media_type);
      return reply.send(logo.bytes);
    },
  );

  app.put(
    '/panel/clients/:id/logo',
    {
      config: change,
      bodyLimit: CLIENT_LOGO_MAX_BYTES,
      schema: {
        operationId: 'setClientLogo',
        summary: 'Upload the logo of a client',
        errorCodes: ['client_not_found', 'invalid_logo'],
        params: IdParams,
        body: { content: Object.fromEntries(LOGO_TYPES.map((type) => [type, { schema: {} }])) },
        response: { 200: DoneResponse, ...errors },
      },
    },
    async (request) => {
      const { body } = request as { body: unknown };
      if (!Buffer.isBuffer(body)) throw new AppError('invalid_logo');
      await clientLogos.set(Number(request.params.id), body, getAuditOrigin(request));
      return { success: true as const };
    },
  );

  app.delete(
    '/panel/clients/:id/logo',
    {
      config: change,
      schema: {
        operationId: 'removeClientLogo',
        summary: 'Remove the logo of a client',
        errorCodes: ['client_not_found'],
        params: IdParams,
        response: { 200: DoneResponse, ...errors },
      },
    },
    async (request) => {
      await clientLogos.set(Number(request.params.id), null, getAuditOrigin(request));
      return { success: true as const };
    },
  );
};
