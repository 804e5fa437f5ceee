import { canonicalSiteUrl, SITE_API_PREFIX, type WebLogin } from '@steward/contract';

export type SiteTarget = {
  /** As the site gave it when its license was activated. */
  siteUrl: string;
  /** Where the site says its endpoints are; null: at the usual place. */
  endpointUrl: string | null;
  /** Where else than at the site's own origin they may be. */
  endpointOrigin?: string | null;
  /** '': none is sent. */
  serviceKey: string;
  /** What the web server in front of it asks for. */
  webLogin?: WebLogin | null;
};

/**
 * Where an endpoint of a site answers: on the site's own origin or the one approved for it, because the
 * key may go nowhere else. Null: what is stored is no address of a site.
 */
export function endpointOf(target: SiteTarget, path: string): URL | null {
  const { siteUrl, endpointUrl, endpointOrigin } = target;
  const site = canonicalSiteUrl(siteUrl);
  if (!site.ok) return null;
  const { origin } = new URL(site.origin);
  const reported = endpointUrl === null ? null : URL.parse(below(endpointUrl, path));
  if (reported && [origin, endpointOrigin].includes(reported.origin)) return reported;
  const folder = URL.parse(withScheme(site.given))?.pathname ?? '/';
  return URL.parse(origin + below(`${folder.replace(/\/+$/, '')}/${SITE_API_PREFIX}`, path));
}

/** The page that visitors see first. Null: what is stored is no address of a site. */
export function homeOf({ siteUrl }: SiteTarget): URL | null {
  const site = canonicalSiteUrl(siteUrl);
  if (!site.ok) return null;
  const folder = URL.parse(withScheme(site.given))?.pathname ?? '/';
  return URL.parse(`${new URL(site.origin).origin}${folder.replace(/\/+$/, '')}/`);
}

/** Put behind the text as it is: with plain permalinks the path stands in the query. */
function below(prefix: string, path: string): string {
  const [withoutFragment = ''] = prefix.split('#');
  return withoutFragment.endsWith('/') ? withoutFragment + path : `${withoutFragment}/${path}`;
}

function withScheme(address: string): string {
  return /^https?:\/\//i.test(address) ? address : `https://${address.replace(/^\/\//, '')}`;
}
