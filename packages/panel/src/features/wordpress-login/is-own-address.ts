import { homeOf } from '../../site-client/index.ts';

/**
 * Whether a site may name this address for the token: an address with its proven endpoint, or with its home page, as origin.
 * Otherwise a site could send the browser of a user of the panel to any other site.
 */
export function isOwnAddress(
  address: string,
  { siteUrl, endpointUrl }: { siteUrl: string; endpointUrl: string },
): boolean {
  const url = URL.parse(address);
  if (!url || !['http:', 'https:'].includes(url.protocol)) return false;
  if (url.username !== '' || url.password !== '') return false;
  const origins = [URL.parse(endpointUrl)?.origin, homeOf({ siteUrl })?.origin];
  return origins.includes(url.origin);
}
