import { ACCESS_TOKEN_PATTERN, ACCESS_TOKEN_PREFIX } from '@steward/contract';
import type { FastifyRequest } from 'fastify';
import { AppError } from '../platform/app-error.ts';

/** RFC 6750, with a scheme in any case and any number of spaces. */
const BEARER = /^bearer +(.*)$/i;

/**
 * Reads the access token of a request. Returns null without one, also if the header contains other credentials: a proxy
 * in front of the panel may add its own, such as Basic or the JWT of a single sign-on.
 */
export function readAccessToken(request: FastifyRequest): string | null {
  const headers = listAuthorizationHeaders(request);
  const token = headers.map(parseBearer).find((text) => text?.startsWith(ACCESS_TOKEN_PREFIX));
  if (!token) return null;
  // Two proxies could read different headers. Refuse, rather than choose one of several credentials.
  if (headers.length > 1 || !ACCESS_TOKEN_PATTERN.test(token)) throw new AppError('token_invalid');
  return token;
}

/** True: the client sent a token that is not one of ours. */
export function hasForeignBearer(request: FastifyRequest): boolean {
  return listAuthorizationHeaders(request).some((header) => parseBearer(header) !== undefined);
}

/** From the raw headers: Node drops the second of two Authorization headers. */
function listAuthorizationHeaders({ raw: { rawHeaders } }: FastifyRequest): string[] {
  return rawHeaders.filter(
    (_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === 'authorization',
  );
}

function parseBearer(header: string): string | undefined {
  return BEARER.exec(header.trim())?.[1];
}
