import type { SiteUrl } from '@steward/contract';

/**
 * The address a site says its endpoints answer at, when it has the very origin of the site; null
 * otherwise. The key is sent there, so another host must never be taken from a request.
 */
export function usableEndpointUrl(endpointUrl: string | undefined, origin: string): string | null {
  const url = webAddress(endpointUrl);
  return url && url.origin === new URL(origin).origin ? url.href : null;
}

/** The address, when it is at another host than the site, and no less secure; null otherwise. */
export function foreignEndpointUrl(endpointUrl: string, origin: string): URL | null {
  const [url, site] = [webAddress(endpointUrl), new URL(origin)];
  if (!url || url.host === site.host) return null;
  return site.protocol === 'https:' && url.protocol !== 'https:' ? null : url;
}

function webAddress(text: string | undefined): URL | null {
  const url = text === undefined ? null : URL.parse(text);
  // `blob:` addresses have the origin of the page they come from, so the scheme is looked at too.
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:';
  return url && isWeb && !url.username && !url.password ? url : null;
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
