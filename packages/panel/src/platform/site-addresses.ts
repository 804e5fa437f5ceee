import type { LookupAddress } from 'node:dns';
import { lookup as systemLookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { canonicalSiteUrl } from '@steward/contract';

/** Where names of sites lead for this panel, whatever the DNS says; other names are not in it. */
export type SiteAddresses = ReadonlyMap<string, readonly LookupAddress[]>;

export type SiteLookup = (hostname: string) => Promise<LookupAddress[]>;

/** Reads `shop.example.com=10.0.0.5,…`. A name that comes twice has both addresses. */
export function parseSiteAddresses(text: string): SiteAddresses | undefined {
  const addresses = new Map<string, LookupAddress[]>();
  for (const pair of text.split(',')) {
    const [name = '', address = '', ...more] = pair.split('=').map((part) => part.trim());
    const [hostname, family] = [hostnameOf(name), isIP(address)];
    if (hostname === null || family === 0 || more.length > 0) return undefined;
    addresses.set(hostname, [...(addresses.get(hostname) ?? []), { address, family }]);
  }
  return addresses;
}

/** The system's resolver, but for the names that are listed. */
export function createSiteLookup(addresses: SiteAddresses): SiteLookup {
  return async (hostname) => {
    const listed = addresses.get(hostname.replace(/\.$/, '').toLowerCase());
    return listed ? [...listed] : systemLookup(hostname, { all: true });
  };
}

/** As a connection asks for it; null for what is an address already, or has a port or a path. */
function hostnameOf(name: string): string | null {
  const site = canonicalSiteUrl(`http://${name}`);
  if (!site.ok || /[/:@?#]/.test(name)) return null;
  const { hostname } = new URL(site.origin);
  return isIP(hostname) === 0 ? hostname : null;
}
