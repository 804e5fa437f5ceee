import { Readable } from 'node:stream';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { ErrorBody, PACKAGE_MAX_BYTES, PackageResponse, PackagesResponse } from '@steward/contract';
import Type from 'typebox';
import { getAuditOrigin, signedIn } from '../../http/access.ts';
import { zipResponse } from '../../http/openapi/file-response.ts';
import { AppError } from '../../platform/app-error.ts';
import type { PackageService } from './packages.service.ts';
import { tooLargeError } from './receive-upload.ts';

type Options = { packages: PackageService };

export const packageRoutes: FastifyPluginAsyncTypebox<Options> = async (app, { packages }) => {
  const errors = { '4xx': ErrorBody, '5xx': ErrorBody };
  const config = { access: 'session', permission: 'sites.act', tokenAction: 'install' } as const;

  // The body is not parsed: the upload streams to disk.
  app.addContentTypeParser(
    ['application/zip', 'application/x-zip-compressed'],
    (_request, body, done) => done(null, body),
  );

  app.post(
    '/panel/packages',
    {
      config: { ...config, confirmation: true },
      bodyLimit: PACKAGE_MAX_BYTES,
      schema: {
        operationId: 'uploadPackage',
        summary: 'Upload the zip file of a plugin or theme',
        errorCodes: ['invalid_package', 'management_plugin', 'package_storage_full'],
        body: { content: { 'application/zip': { schema: {} } } },
        response: { 200: PackageResponse, ...errors },
      },
    },
    async (request) => {
      const { body } = request;
      if (!(body instanceof Readable)) {
        throw new AppError('invalid_request', {
          message: 'Send the zip file as the body, with the content type application/zip.',
        });
      }
      if (Number(request.headers['content-length'] ?? 0) > PACKAGE_MAX_BYTES) throw tooLargeError();
      const { user } = signedIn(request);
      const uploaded = await packages.upload(user, body, getAuditOrigin(request));
      return { success: true as const, package: uploaded };
    },
  );

  app.get(
    '/panel/packages',
    {
      config: { ...config, tokenAction: 'read' },
      schema: {
        operationId: 'listPackages',
        summary: 'List the packages that you uploaded; an owner lists all',
        response: { 200: PackagesResponse, ...errors },
      },
    },
    async (request) => ({
      success: true as const,
      packages: await packages.list(signedIn(request).user),
    }),
  );

  app.get(
    '/api/v1/packages/:token',
    {
      // The token is the only credential: it names one package, for one site, once.
      config: { access: 'public' },
      // A HEAD request would use up the link.
      exposeHeadRoute: false,
      schema: {
        operationId: 'downloadPackage',
        summary: 'Download a package with a link that works once',
        errorCodes: ['package_link_unknown', 'package_link_expired', 'package_link_used'],
        params: Type.Object({ token: Type.String() }),
        response: { 200: zipResponse('The package.'), ...errors },
      },
    },
    async (request, reply) => {
      reply.header('cache-control', 'no-store');
      const { size, chunks } = await packages.download(request.params.token);
      reply.type('application/zip').header('content-length', size);
      return reply.send(Readable.from(chunks, { objectMode: false }));
    },
  );
};
