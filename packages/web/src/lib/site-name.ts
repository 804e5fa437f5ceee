import { commonMessages } from '../messages/common.ts';

/** The host and path of a URL, without the scheme. */
export function siteName(url: string | null): string {
  return url === null
    ? commonMessages.unknownSite
    : url.replace(/^https?:\/\//i, '').replace(/\/+$/, '');
}

/**
 * Adds the scheme that a site may omit in its URL. Without a scheme, the browser treats `example.com` as a relative
 * path and `host:8080` as the scheme `host:`.
 */
export function siteHref(url: string): string {
  return /^https?:\/\//i.test(url) ? url : `https://${url.replace(/^\/\//, '')}`;
}
