import { setTimeout as sleep } from 'node:timers/promises';
import type { SiteLookup } from '../../../platform/site-addresses.ts';

const REMEMBERED_MS = 60_000;
const MOST_REMEMBERED = 20_000;
const LONGEST_MS = 3000;

/**
 * Sites of one provider share an address, and it must not be flooded. Gives the address of a host,
 * or the one it was last seen at where its name servers are slow or silent.
 */
export function createAddressLookup(lookup: SiteLookup, longestMs = LONGEST_MS) {
  const known = new Map<string, { address: Promise<string | null>; until: number }>();

  function lookUp(host: string): Promise<string | null> {
    const remembered = known.get(host);
    if (remembered && remembered.until > performance.now()) return remembered.address;
    if (known.size >= MOST_REMEMBERED) known.clear();
    const address = lookup(host.replace(/^\[|\]$/g, '')).then(
      ([first]) => first?.address ?? null,
      () => null,
    );
    known.set(host, { address, until: performance.now() + REMEMBERED_MS });
    return address;
  }

  return async (host: string, lastSeen: string): Promise<string> => {
    const slow = sleep(longestMs, null, { ref: false });
    return (await Promise.race([lookUp(host), slow])) ?? lastSeen;
  };
}
