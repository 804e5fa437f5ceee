import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import {
  ErrorBody,
  KnownVersionsResponse,
  SoftwareExportQuery,
  SoftwareItemQuery,
  SoftwareItemResponse,
  SoftwareQuery,
  SoftwareResponse,
} from '@steward/contract';
import { signedIn } from '../../http/access.ts';
import { fileResponse } from '../../http/openapi/file-response.ts';
import { sendCsv } from '../../http/send-csv.ts';
import type { SoftwareService } from './software.service.ts';

type Options = { software: SoftwareService };

export const softwareRoutes: FastifyPluginAsyncTypebox<Options> = async (app, { software }) => {
  const config = { access: 'session', permission: 'sites.view', tokenAction: 'read' } as const;
  const errors = { '4xx': ErrorBody, '5xx': ErrorBody };

  app.get(
    '/panel/software',
    {
      config,
      schema: {
        operationId: 'listSoftware',
        summary: 'Find plugins, themes and core of all sites',
        querystring: SoftwareQuery,
        response: { 200: SoftwareResponse, ...errors },
      },
    },
    async (request) => ({
      success: true as const,
      ...(await software.list(signedIn(request).user, request.query)),
    }),
  );

  app.get(
    '/panel/software/export',
    {
      config,
      schema: {
        operationId: 'exportSoftware',
        summary: 'Download a list of plugins, themes and core',
        querystring: SoftwareExportQuery,
        response: { 200: fileResponse('The matches in their order.', 'text/csv'), ...errors },
      },
    },
    async (request, reply) => {
      const lines = await software.export(signedIn(request).user, request.query);
      return sendCsv(reply, 'software.csv', lines);
    },
  );

  app.get(
    '/panel/software/versions',
    {
      config,
      schema: {
        operationId: 'listKnownVersions',
        summary: 'List the known versions of a plugin, a theme or core',
        querystring: SoftwareItemQuery,
        response: { 200: KnownVersionsResponse, ...errors },
      },
    },
    async (request) => ({
      success: true as const,
      versions: await software.listKnownVersions(signedIn(request).user, request.query),
    }),
  );

  app.get(
    '/panel/software/item',
    {
      config,
      schema: {
        operationId: 'getSoftwareItem',
        summary: 'Get a plugin, a theme or core with its versions',
        errorCodes: ['software_not_found'],
        querystring: SoftwareItemQuery,
        response: { 200: SoftwareItemResponse, ...errors },
      },
    },
    async (request) => ({
      success: true as const,
      software: await software.show(signedIn(request).user, request.query),
    }),
  );
};
