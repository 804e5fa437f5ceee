/**
 * The address a site says its endpoints answer at, when it has the very origin of the site; null
 * otherwise. The license key is sent there, so another host must never be taken from a request.
 */
export function usableEndpointUrl(endpointUrl: string | undefined, origin: string): string | null {
  const url = endpointUrl === undefined ? null : URL.parse(endpointUrl);
  // `blob:` addresses have the origin of the page they come from, so the scheme is looked at too.
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:';
  if (!url || !isWeb || url.origin !== new URL(origin).origin) return null;
  return url.username || url.password ? null : url.href;
}
