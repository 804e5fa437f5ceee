/**
 * The address a site says its endpoints answer at, when it has the very origin of the site; null
 * otherwise. The license key is sent there, so another host must never be taken from a request.
 */
export function usableEndpointUrl(endpointUrl: string | undefined, origin: string): string | null {
  if (endpointUrl === undefined) return null;
  const url = URL.parse(endpointUrl);
  const isUsable = url?.origin === new URL(origin).origin && !url.username && !url.password;
  return isUsable ? endpointUrl : null;
}
