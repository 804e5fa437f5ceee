import type { SiteUrl } from '@steward/contract';

/**
 * The address a site says its endpoints answer at, when it has the very origin of the site; null
 * otherwise. The license key is sent there, so another host must never be taken from a request.
 */
export function usableEndpointUrl(endpointUrl: string | undefined, origin: string): string | null {
  const url = endpointUrl === undefined ? null : URL.parse(endpointUrl);
  // `blob:` addresses have the origin of the page they come from, so the scheme is looked at too.
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:';
  if (!url || !isWeb || url.origin !== new URL(origin).origin) return null;
  return url.username || url.password ? null : url.href;
}

/** Where WordPress and the agent answer, below the address of the site itself. */
const FORMS = [
  'cms-json/service/v1/',
  'wp-json/service/v1/',
  'index.php/wp-json/service/v1/',
  '?rest_route=/service/v1/',
  'index.php?rest_route=/service/v1/',
];

/**
 * As above, but only at the usual places: another site of the same host, in a folder beside it, must not
 * be able to answer for it.
 */
export function ownEndpointUrl(endpointUrl: string | undefined, site: SiteUrl): string | null {
  const usable = usableEndpointUrl(endpointUrl, site.origin);
  const base = `${site.given.replace(/\/+$/, '')}/`;
  return FORMS.some((form) => usable === base + form) ? usable : null;
}
