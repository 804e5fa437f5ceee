import type { FastifyRequest } from 'fastify';
import { AppError } from '../platform/app-error.ts';

/**
 * Refuses what a page of another site makes a browser send. Without a session there is no CSRF token
 * to ask for, and still nobody must be signed in as somebody else behind their back. A browser says
 * where a call comes from and no page can change that; a call without such a header is no browser's.
 */
export function assertFromOwnPage(request: FastifyRequest, baseUrl: string): void {
  const { origin, 'sec-fetch-site': site } = request.headers;
  const isOwnOrigin =
    origin === undefined ||
    origin === new URL(baseUrl).origin ||
    // Known by another name or port: then the page it came from has the same one.
    URL.parse(origin)?.host === request.host;
  const isOwnSite = site === undefined || site === 'same-origin' || site === 'none';
  if (isOwnOrigin && isOwnSite) return;
  throw new AppError('cross_site_request', { internal: `origin ${origin}, site ${site}` });
}
