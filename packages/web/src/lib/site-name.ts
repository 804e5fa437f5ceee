/** An address as people say it: host and path, without scheme. */
export function siteName(url: string | null): string {
  return url === null ? 'Unknown site' : url.replace(/^https?:\/\//i, '').replace(/\/+$/, '');
}

/** Sites may have given their address without a scheme; it must never be read as another one. */
export function siteHref(url: string): string {
  return /^https?:\/\//i.test(url) ? url : `https://${url.replace(/^\/\//, '')}`;
}
