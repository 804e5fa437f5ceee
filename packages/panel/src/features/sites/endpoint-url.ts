import type { SiteUrl } from '@steward/contract';

/**
 * Returns the reported endpoint URL if it has the origin of the site, otherwise null. The panel sends the key to this
 * URL, so a request must not be able to set another host.
 */
export function parseSameOriginEndpoint(
  endpointUrl: string | undefined,
  origin: string,
): string | null {
  const url = parseHttpUrl(endpointUrl);
  return url && url.origin === new URL(origin).origin ? url.href : null;
}

/** Returns the endpoint URL if it is on another host and does not downgrade HTTPS to HTTP, otherwise null. */
export function parseOtherHostEndpoint(endpointUrl: string, origin: string): URL | null {
  const [url, site] = [parseHttpUrl(endpointUrl), new URL(origin)];
  if (!url || url.host === site.host) return null;
  return site.protocol === 'https:' && url.protocol !== 'https:' ? null : url;
}

function parseHttpUrl(text: string | undefined): URL | null {
  const url = text === undefined ? null : URL.parse(text);
  // Check the scheme too: a `blob:` URL has the origin of the page that created it.
  const isHttp = url?.protocol === 'https:' || url?.protocol === 'http:';
  return url && isHttp && !url.username && !url.password ? url : null;
}

/** The endpoint paths of WordPress and the agent, relative to the site. */
const STANDARD_PATHS = [
  'cms-json/service/v1/',
  'wp-json/service/v1/',
  'index.php/wp-json/service/v1/',
  '?rest_route=/service/v1/',
  'index.php?rest_route=/service/v1/',
];

/**
 * Returns the endpoint URL if it has one of the standard paths of the site, otherwise null. Another site in a folder of
 * the same host must not be able to respond for this site.
 */
export function parseStandardEndpoint(
  endpointUrl: string | undefined,
  site: SiteUrl,
): string | null {
  const url = parseSameOriginEndpoint(endpointUrl, site.origin);
  const base = `${site.given.replace(/\/+$/, '')}/`;
  return STANDARD_PATHS.some((path) => url === base + path) ? url : null;
}
