import { ERROR_CODES, ErrorBody, type ErrorCode } from '@steward/contract';
import type { FastifyContextConfig, FastifySchema } from 'fastify';
import { statusOf } from '../errors.ts';

declare module 'fastify' {
  interface FastifySchema {
    /** The error codes of this route, for the API description. Codes that follow from the access rule are added. */
    errorCodes?: readonly ErrorCode[];
  }
}

export type DescribedRoute = {
  url: string;
  method: string;
  config: FastifyContextConfig;
  schema: FastifySchema;
};

const EVERY_ROUTE = ['invalid_request', 'rate_limited', 'internal_error', 'unavailable'] as const;
/** Routes for monitoring have no rate limit and read no input. */
const MONITORING = ['internal_error', 'unavailable'] as const;

/** Returns all error codes that a route can send. */
export function listErrorCodes({ method, config, schema }: DescribedRoute): ErrorCode[] {
  const { access, permission, confirmation, rateLimit, tokenAction } = config;
  const isWrite = method !== 'GET';
  const hasBody = schema.body !== undefined || isWrite;
  const codes: ErrorCode[] = rateLimit === false ? [...MONITORING] : [...EVERY_ROUTE];
  if (hasBody) codes.push('request_too_large');
  if (access === 'visitor') codes.push('cross_site_request');
  if (access === 'session') {
    codes.push('unauthenticated');
    if (isWrite) codes.push('csrf_token_invalid');
    if (permission !== 'account') codes.push('forbidden', 'second_factor_required');
    if (confirmation) codes.push('confirmation_required');
    codes.push('token_invalid', 'token_sites_changed');
    // A token cannot confirm an identity, so such a route may refuse it.
    const needsConfirmation = schema.errorCodes?.includes('confirmation_required');
    if (tokenAction === false || needsConfirmation) codes.push('token_not_allowed');
    if (tokenAction !== false && tokenAction !== 'any') codes.push('token_action_missing');
  }
  return [...new Set([...codes, ...(schema.errorCodes ?? [])])];
}

/** Groups error codes by their HTTP status, in ascending order. */
export function groupByStatus(codes: readonly ErrorCode[], url: string): [number, ErrorCode[]][] {
  const groups = Map.groupBy(codes, (code) => statusOf(code, url));
  return [...groups].sort(([a], [b]) => a - b);
}

/** Creates one response for each error status. */
export function describeErrorResponses(codes: ErrorCode[], { url, schema }: DescribedRoute) {
  const declared = (schema.response ?? {}) as Record<string, object>;
  return Object.fromEntries(
    groupByStatus(codes, url).map(([status, codesOfStatus]) => [
      status,
      {
        ...(declared[status] ?? declared[`${String(status)[0]}xx`] ?? ErrorBody),
        'x-response-description': describeErrorCodes(codesOfStatus),
        ...((status === 429 || status === 503) && { headers: RETRY_AFTER }),
      },
    ]),
  );
}

export const describeErrorCodes = (codes: ErrorCode[]) =>
  codes.map((code) => `- \`${code}\`: ${ERROR_CODES[code].message}`).join('\n');

const RETRY_AFTER = {
  'Retry-After': { type: 'integer', description: 'Seconds until the client may try again.' },
};
