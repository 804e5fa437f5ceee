import { canonicalSiteUrl, SITE_API_PREFIX, type WebLogin } from '@steward/contract';

export type SiteTarget = {
  /** The address that the site sent at activation. */
  siteUrl: string;
  /**
   * The endpoint that receives the key; null for the default below the site URL. `decideEndpoint` of the sites decides
   * which endpoint that is.
   */
  endpointUrl: string | null;
  /** Empty: no key is sent. */
  serviceKey: string;
  /** HTTP basic authentication credentials for the web server of the site. */
  webLogin?: WebLogin | null;
};

/** Returns the URL of an endpoint; null if the stored address is not valid. */
export function endpointOf({ siteUrl, endpointUrl }: SiteTarget, path: string): URL | null {
  const home = homeOf({ siteUrl });
  return home && URL.parse(append(endpointUrl ?? `${home.href}${SITE_API_PREFIX}`, path));
}

/** Returns the host that a call connects to; null if the stored address is not valid. */
export function hostnameOf(target: Omit<SiteTarget, 'serviceKey'>): string | null {
  return endpointOf({ ...target, serviceKey: '' }, '')?.hostname ?? null;
}

/** Returns the URL of the home page, with a trailing slash; null if the stored address is not valid. */
export function homeOf({ siteUrl }: Pick<SiteTarget, 'siteUrl'>): URL | null {
  const site = canonicalSiteUrl(siteUrl);
  if (!site.ok) return null;
  const folder = URL.parse(withScheme(site.given))?.pathname ?? '/';
  // Collapses slashes like the canonical address: some servers route `//blog` to another site than `/blog`.
  return URL.parse(`${new URL(site.origin).origin}${`${folder}/`.replace(/\/{2,}/g, '/')}`);
}

/** Appends to the text, not to the URL path: with plain permalinks, the query contains the route. */
function append(prefix: string, path: string): string {
  return prefix.endsWith('/') ? prefix + path : `${prefix}/${path}`;
}

function withScheme(address: string): string {
  return /^https?:\/\//i.test(address) ? address : `https://${address.replace(/^\/\//, '')}`;
}
