import { CONFIRMATION_MINUTES, CSRF_HEADER } from '@steward/contract';
import type { FastifyContextConfig, FastifySchema, RouteOptions } from 'fastify';
import type { TokenRule } from '../access.ts';
import { type DescribedRoute, describeErrorResponses, listErrorCodes } from './error-responses.ts';
import { findGroup } from './operation-groups.ts';

export const SECURITY_SCHEMES = {
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: 'steward.session_token',
    description:
      'Set by `POST /auth/sign-in/email`. At an https address, its name is `__Secure-steward.session_token`.',
  },
  csrfToken: {
    type: 'apiKey',
    in: 'header',
    name: CSRF_HEADER,
    description:
      'The `csrf_token` of `GET /panel/session`. Required with a session for all methods but GET.',
  },
  accessToken: {
    type: 'http',
    scheme: 'bearer',
    description:
      'An access token of a user, in the header `Authorization: Bearer TOKEN`. It needs no CSRF token and no confirmation.',
  },
  serviceKey: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Service-Key',
    description: 'The key of the site. Only the panel sends it.',
  },
} as const;

/** Adds to the schema of a route what follows from its path, its access rule and its error codes. */
export function describeRoute(schema: FastifySchema = {}, url: string, route: RouteOptions) {
  if (schema.hide) return { schema, url };
  const described = { url, method: String(route.method), config: route.config ?? {}, schema };
  const codes = listErrorCodes(described);
  return {
    url,
    schema: {
      ...schema,
      tags: [findGroup(url)],
      description: describeAccess(described),
      security: listSecurity(described),
      response: { ...listSuccesses(schema), ...describeErrorResponses(codes, described) },
      'x-error-codes': codes,
    },
  };
}

const SUCCESSES: Record<string, string> = {
  202: 'The run is still in progress.',
  304: 'Not modified since the `ETag` in `If-None-Match`.',
};

function listSuccesses({ response = {} }: FastifySchema) {
  return Object.fromEntries(
    Object.entries(response as Record<string, { description?: string }>)
      .filter(([status]) => /^[23]/.test(status))
      .map(([status, schema]) => [
        status,
        {
          'x-response-description': schema.description ?? SUCCESSES[status] ?? 'Success.',
          ...schema,
        },
      ]),
  );
}

const ACCESS_SENTENCES: Record<NonNullable<FastifyContextConfig['access']>, string> = {
  public: 'Needs no authentication.',
  license_key: 'The key or code in the request authenticates the site.',
  visitor: 'Needs no session. Refuses requests from the pages of other sites.',
  session: '',
};

function describeAccess({ config, schema }: DescribedRoute): string {
  const { access = 'public', permission, confirmation, tokenAction } = config;
  return [
    schema.description,
    permission ? `Requires the permission \`${permission}\`.` : ACCESS_SENTENCES[access],
    confirmation &&
      `With a session, ${confirmation === 'by_request' ? 'some requests require' : 'requires'} a confirmation of identity in the last ${CONFIRMATION_MINUTES} minutes (\`POST /auth/confirm\`); otherwise 403 \`confirmation_required\`.${confirmation === 'after_sign_in' ? ' The sign-in does not count.' : ''}`,
    access === 'session' && describeTokenRule(tokenAction),
  ]
    .filter(Boolean)
    .join(' ');
}

function describeTokenRule(rule: TokenRule = false): string {
  if (rule === false) return 'Accepts no access token.';
  if (rule === 'any') return 'Accepts every access token.';
  const actions = [rule].flat().map((action) => `\`${action}\``);
  return `An access token needs the action ${actions.join(' or ')}.`;
}

function listSecurity({ method, config }: DescribedRoute): Record<string, string[]>[] {
  if (config.access !== 'session') return [];
  const session = method === 'GET' ? { session: [] } : { session: [], csrfToken: [] };
  return config.tokenAction !== false ? [session, { accessToken: [] }] : [session];
}
