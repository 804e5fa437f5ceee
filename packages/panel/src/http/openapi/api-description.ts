import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { describeRoute, SECURITY_SCHEMES } from './describe-route.ts';
import { TAGS } from './operation-groups.ts';
import { type Json, shareSchemas } from './share-schemas.ts';
import { describeSiteApi } from './site-api-paths.ts';

const DESCRIPTION = `The API of a Steward panel, and the endpoints that a connected site provides.

- Requests and responses are JSON in UTF-8 with \`snake_case\` names, UTC times in ISO 8601, and whole numbers as ids.
- Success is 200, or 202 for a run that is still in progress. Unknown fields of a request are ignored.
- An error has \`success: false\`, \`error\` (a sentence for users), \`code\` (for programs) and \`request_id\`. Each
  response has the header \`X-Request-Id\`, which identifies the request in the log of the panel.
- 429 and 503 have \`Retry-After\`. Wait for the seconds in it, then repeat the request. They do not mean that a license is invalid.`;

/** Collects all routes that are registered later. The document is built at the first request, not at each start. */
export async function describeApi(app: FastifyInstance): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'Steward', version: '1', description: DESCRIPTION },
      servers: [{ url: '/', description: 'This panel' }],
      tags: TAGS,
      components: { securitySchemes: SECURITY_SCHEMES },
    },
    transform: ({ schema, url, route }) => describeRoute(schema, url, route),
  });
}

/** Builds the document from all routes, and adds the endpoints of sites. */
export function buildApiDescription(app: FastifyInstance): ApiDescription {
  const document = app.swagger() as unknown as { paths: Json; components: Json };
  const { paths, schemas } = shareSchemas({ ...describeSiteApi(), ...document.paths });
  return { ...document, paths, components: { ...document.components, schemas } } as ApiDescription;
}

export type Operation = {
  operationId: string;
  summary: string;
  tags: string[];
  security: object[];
  parameters?: { in: string; name: string; schema: object }[];
  requestBody?: { content: Record<string, { schema: object }> };
  responses: Record<string, { content?: Record<string, { schema: object }> }>;
  'x-error-codes': string[];
};
export type ApiDescription = {
  paths: Record<string, Record<string, Operation>>;
  components: Json;
};

/** Serves the description. It is public: it contains no data, and clients need it before they have an account. */
export async function apiDescriptionRoutes(app: FastifyInstance): Promise<void> {
  let text: string | undefined;
  app.get(
    '/openapi.json',
    {
      config: { access: 'public' },
      schema: {
        operationId: 'getApiDescription',
        summary: 'Get this description',
        response: { 200: Type.Unsafe<object>({ type: 'object' }) },
      },
    },
    async (_request, reply) => {
      text ??= JSON.stringify(buildApiDescription(app));
      return reply
        .type('application/json; charset=utf-8')
        .header('cache-control', 'no-cache')
        .send(text);
    },
  );
}
