import type { LookupAddress } from 'node:dns';
import { lookup as systemLookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { canonicalSiteUrl } from '@steward/contract';

/** Fixed addresses by host name, which override DNS. */
export type DnsOverrides = ReadonlyMap<string, readonly LookupAddress[]>;

export type SiteLookup = (hostname: string) => Promise<LookupAddress[]>;

/**
 * Parses `shop.example.com=10.0.0.5,…`. A name can occur several times, with further addresses. Undefined: not valid.
 */
export function parseDnsOverrides(text: string): DnsOverrides | undefined {
  const overrides = new Map<string, LookupAddress[]>();
  for (const pair of text.split(',')) {
    const [name = '', address = '', ...more] = pair.split('=').map((part) => part.trim());
    const [hostname, family] = [hostnameOf(name), isIP(address)];
    if (hostname === null || family === 0 || more.length > 0) return undefined;
    overrides.set(hostname, [...(overrides.get(hostname) ?? []), { address, family }]);
  }
  return overrides;
}

/** Uses the fixed addresses of a host name if there are any, otherwise the DNS resolver of the system. */
export function createSiteLookup(overrides: DnsOverrides): SiteLookup {
  return async (hostname) => {
    const fixed = overrides.get(hostname.replace(/\.$/, '').toLowerCase());
    return fixed ? [...fixed] : systemLookup(hostname, { all: true });
  };
}

/** Returns the normalised host name; null for an IP address or a name with a port or path. */
function hostnameOf(name: string): string | null {
  const site = canonicalSiteUrl(`http://${name}`);
  if (!site.ok || /[/:@?#]/.test(name)) return null;
  const { hostname } = new URL(site.origin);
  return isIP(hostname) === 0 ? hostname : null;
}
