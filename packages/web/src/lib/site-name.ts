/** An address as people say it: host and path, without scheme. */
export function siteName(url: string | null): string {
  return url === null ? 'Unknown site' : url.replace(/^https?:\/\//i, '').replace(/\/+$/, '');
}
