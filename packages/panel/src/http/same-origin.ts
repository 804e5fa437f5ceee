import type { FastifyRequest } from 'fastify';
import { AppError } from '../platform/app-error.ts';

/**
 * Refuses cross-site requests on routes that need no CSRF token. At sign-in, for example, no token exists yet: another
 * site must not sign a user in to a foreign account (login CSRF). Browsers set these headers themselves, so pages
 * cannot forge them. Other clients do not send them.
 */
export function assertSameOrigin(request: FastifyRequest, baseUrl: string): void {
  const { origin, 'sec-fetch-site': site } = request.headers;
  const isOwnOrigin =
    origin === undefined ||
    origin === new URL(baseUrl).origin ||
    // The user opened the panel under another name or port: then the page and the request have the same host.
    URL.parse(origin)?.host === request.host;
  const isOwnSite = site === undefined || site === 'same-origin' || site === 'none';
  if (isOwnOrigin && isOwnSite) return;
  throw new AppError('cross_site_request', { internal: `origin ${origin}, site ${site}` });
}
