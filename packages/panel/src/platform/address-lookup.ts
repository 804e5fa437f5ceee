import { setTimeout as sleep } from 'node:timers/promises';
import type { SiteLookup } from './dns-overrides.ts';

const CACHE_MS = 60_000;
const MAX_CACHED_HOSTS = 20_000;
const TIMEOUT_MS = 3000;

/**
 * Resolves a host, for the concurrency limit per address: sites of one provider share an address. Falls
 * back to the last known address if the name servers are slow or do not respond.
 */
export function createAddressLookup(lookup: SiteLookup, timeoutMs = TIMEOUT_MS) {
  const cache = new Map<string, { address: Promise<string | null>; until: number }>();

  function lookUp(host: string): Promise<string | null> {
    const cached = cache.get(host);
    if (cached && cached.until > performance.now()) return cached.address;
    if (cache.size >= MAX_CACHED_HOSTS) cache.clear();
    const address = lookup(host.replace(/^\[|\]$/g, '')).then(
      ([first]) => first?.address ?? null,
      () => null,
    );
    cache.set(host, { address, until: performance.now() + CACHE_MS });
    return address;
  }

  return async (host: string, lastKnown: string): Promise<string> => {
    const timeout = sleep(timeoutMs, null, { ref: false });
    return (await Promise.race([lookUp(host), timeout])) ?? lastKnown;
  };
}
