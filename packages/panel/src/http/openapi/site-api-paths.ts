import {
  listSiteErrors,
  SITE_API_PREFIX,
  SITE_OPERATIONS,
  SiteErrorBody,
  type SiteOperation,
} from '@steward/contract';
import { describeErrorCodes, groupByStatus } from './error-responses.ts';
import { SITE_API_GROUP } from './operation-groups.ts';

const SERVERS = [
  {
    url: '{site_url}',
    description: 'A connected site',
    variables: { site_url: { default: 'https://site.example.com' } },
  },
];

const json = (schema: object) => ({ content: { 'application/json': { schema } } });

/** The endpoints of sites. No route of the panel describes them: the plugin and the agent implement them. */
export function describeSiteApi(): Record<string, object> {
  return Object.fromEntries(
    Object.entries(SITE_OPERATIONS).map(([path, operation]) => [
      `/${SITE_API_PREFIX}/${path}`,
      { servers: SERVERS, post: describeOperation(operation) },
    ]),
  );
}

function describeOperation(operation: SiteOperation) {
  const { id, summary, access, body, isBodyOptional, response } = operation;
  const codes = listSiteErrors(operation);
  return {
    operationId: id,
    summary,
    tags: [SITE_API_GROUP],
    description: describeAccess(operation),
    parameters: SIGNATURE_HEADERS.map((header) => ({
      ...header,
      in: 'header',
      required: access !== 'key',
    })),
    ...(body && { requestBody: { required: !isBodyOptional, ...json(body) } }),
    responses: {
      200: { description: 'Success.', ...json(response) },
      ...Object.fromEntries(
        groupByStatus(codes, '').map(([status, codesOfStatus]) => [
          status,
          { description: describeErrorCodes(codesOfStatus), ...json(SiteErrorBody) },
        ]),
      ),
    },
    security: access === 'signature' ? [] : [{ serviceKey: [] }],
    'x-error-codes': codes,
  };
}

const ACCESS_SENTENCES: Record<SiteOperation['access'], string> = {
  key: 'Requires the key of the site. A site with a site key also requires a signature, unless it accepts unsigned calls.',
  key_and_signature: 'Requires the key of the site and a signature.',
  signature: 'Requires a signature, but no key.',
};

function describeAccess({ description, access }: SiteOperation): string {
  return [description, ACCESS_SENTENCES[access]].filter(Boolean).join(' ');
}

const SIGNATURE_HEADERS = [
  {
    name: 'X-Service-Timestamp',
    description: 'Seconds since 1970.',
    schema: { type: 'string', pattern: '^[0-9]+$' },
  },
  {
    name: 'X-Service-Nonce',
    description: 'A random value that is used once.',
    schema: { type: 'string', pattern: '^[0-9a-f]{32}$' },
  },
  {
    name: 'X-Service-Signature',
    description: 'The Ed25519 signature of the call in base64; two during a key rotation.',
    schema: { type: 'string' },
  },
];
