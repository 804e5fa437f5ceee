import { postRequest } from '../load.ts';
import { hostOf, INVENTORY, licenseKey, licenseOf, type Scale, VERSIONS } from './shapes.ts';

export type Operation = 'check' | 'verify' | 'activate';

/** Which sites a round calls. `reportedToday`: only sites that reported today; false: only the others. */
export type Sample = { size: number; round: number; rounds: number; reportedToday: boolean };

/**
 * Spreads a sample evenly over all sites, in another order than the rows in the tables: production sites also check in at
 * any time. Different rounds have different sites if there are enough of them.
 */
export function sampleSites({ sites }: Scale, sample: Sample): number[] {
  const half = Math.floor(sites / 2);
  const size = Math.min(sample.size, half);
  // A prime step that does not divide the number of sites visits each of them once.
  const step = 7919;
  const start = size * (sample.round % sample.rounds);
  return Array.from({ length: size }, (_, n) => {
    const index = ((start + n) * step) % half;
    return index * 2 + (sample.reportedToday ? 0 : 1);
  });
}

/** Returns one list of requests per connection. Each connection has its own sites. */
export function createRequests(
  operation: Operation,
  sites: number[],
  scale: Scale,
  connections: number,
): Buffer[][] {
  return Array.from({ length: connections }, (_, connection) =>
    sites
      .filter((_, index) => index % connections === connection)
      .flatMap((site) => createSiteRequests(operation, site, scale)),
  );
}

/** An activation follows a deactivation of the same site, so that the number of active sites stays the same. */
function createSiteRequests(operation: Operation, site: number, scale: Scale): Buffer[] {
  const body = {
    license_key: licenseKey(licenseOf(site, scale)),
    site_url: `https://${hostOf(site)}`,
  };
  const post = (path: string, fields: object = {}) =>
    postRequest(`/api/v1/${path}`, JSON.stringify({ ...body, ...fields }));
  if (operation === 'check') return [post('license/check', VERSIONS)];
  if (operation === 'verify') {
    return [post('site/verify', { ...VERSIONS, inventory: INVENTORY })];
  }
  return [post('license/deactivate'), post('license/activate', VERSIONS)];
}
