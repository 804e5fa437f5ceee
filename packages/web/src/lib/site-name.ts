import { commonMessages } from '../messages/common.ts';

/** The host and path of a URL, without the scheme. */
export function siteName(url: string | null): string {
  return url === null
    ? commonMessages.unknownSite
    : url.replace(/^https?:\/\//i, '').replace(/\/+$/, '');
}

/** Adds a missing scheme: a browser would read the URL as a relative path or as another scheme. */
export function siteHref(url: string): string {
  return /^https?:\/\//i.test(url) ? url : `https://${url.replace(/^\/\//, '')}`;
}
