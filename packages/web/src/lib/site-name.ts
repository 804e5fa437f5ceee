import { commonMessages } from '../messages/common.ts';

/** The host and path of a URL, without the scheme. */
export function siteName(url: string | null): string {
  return url === null
    ? commonMessages.unknownSite
    : url.replace(/^https?:\/\//i, '').replace(/\/+$/, '');
}

/** A site may report its URL without a scheme. The browser must not read it as another scheme or as a relative path. */
export function siteHref(url: string): string {
  return /^https?:\/\//i.test(url) ? url : `https://${url.replace(/^\/\//, '')}`;
}
