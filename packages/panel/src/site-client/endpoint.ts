import { canonicalSiteUrl, SITE_API_PREFIX, type WebLogin } from '@steward/contract';

export type SiteTarget = {
  /** The address that the site sent at activation. */
  siteUrl: string;
  /** The endpoint URL that the site reported; null for the default. */
  endpointUrl: string | null;
  /** An origin other than that of the site, approved by an owner. */
  endpointOrigin?: string | null;
  /** Empty: no key is sent. */
  serviceKey: string;
  /** HTTP basic authentication credentials for the web server of the site. */
  webLogin?: WebLogin | null;
};

/**
 * Returns the URL of an endpoint, on the origin of the site or the approved origin: no other origin may
 * receive the key. Null if the stored address is not valid.
 */
export function endpointOf(target: SiteTarget, path: string): URL | null {
  const { siteUrl, endpointUrl, endpointOrigin } = target;
  const site = canonicalSiteUrl(siteUrl);
  if (!site.ok) return null;
  const { origin } = new URL(site.origin);
  const reported = endpointUrl === null ? null : URL.parse(append(endpointUrl, path));
  if (reported && [origin, endpointOrigin].includes(reported.origin)) return reported;
  const folder = URL.parse(withScheme(site.given))?.pathname ?? '/';
  return URL.parse(origin + append(`${folder.replace(/\/+$/, '')}/${SITE_API_PREFIX}`, path));
}

/** Returns the host that a call connects to; null if the stored address is not valid. */
export function hostnameOf(target: Omit<SiteTarget, 'serviceKey'>): string | null {
  return endpointOf({ ...target, serviceKey: '' }, '')?.hostname ?? null;
}

/** Returns the URL of the home page; null if the stored address is not valid. */
export function homeOf({ siteUrl }: SiteTarget): URL | null {
  const site = canonicalSiteUrl(siteUrl);
  if (!site.ok) return null;
  const folder = URL.parse(withScheme(site.given))?.pathname ?? '/';
  return URL.parse(`${new URL(site.origin).origin}${folder.replace(/\/+$/, '')}/`);
}

/** Appends to the text, not to the URL path: with plain permalinks, the query contains the route. */
function append(prefix: string, path: string): string {
  const [withoutFragment = ''] = prefix.split('#');
  return withoutFragment.endsWith('/') ? withoutFragment + path : `${withoutFragment}/${path}`;
}

function withScheme(address: string): string {
  return /^https?:\/\//i.test(address) ? address : `https://${address.replace(/^\/\//, '')}`;
}
