import { commonMessages } from '../messages/common.ts';

/** The panel builds the names of sites, because they include display names. Null: the user may not see the site. */
export const siteName = (site: { site_id: number; site_name: string | null }): string =>
  site.site_name ?? commonMessages.siteWithId(site.site_id);

/** The host and path of a URL, without the scheme. */
export const siteAddress = (url: string): string =>
  url.replace(/^https?:\/\//i, '').replace(/\/+$/, '');

/**
 * Adds the scheme that a site may omit in its URL. Without a scheme, the browser treats `example.com` as a relative
 * path and `host:8080` as the scheme `host:`.
 */
export function siteHref(url: string): string {
  return /^https?:\/\//i.test(url) ? url : `https://${url.replace(/^\/\//, '')}`;
}
