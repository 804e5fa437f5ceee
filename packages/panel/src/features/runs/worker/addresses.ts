import type { SiteLookup } from '../../../lib/site-addresses.ts';

/** The address behind a host name: many sites of one provider share one, and it must not be flooded. */
export type Addresses = { of(host: string): Promise<string> };

const REMEMBERED_MS = 60_000;
const MOST_REMEMBERED = 20_000;

export function createAddresses(lookup: SiteLookup): Addresses {
  const known = new Map<string, { address: Promise<string>; until: number }>();
  return {
    of(host) {
      const remembered = known.get(host);
      if (remembered && remembered.until > performance.now()) return remembered.address;
      if (known.size >= MOST_REMEMBERED) known.clear();
      // A name that leads nowhere is an address of its own; the call will say what is wrong with it.
      const address = lookup(host.replace(/^\[|\]$/g, '')).then(
        ([first]) => first?.address ?? host,
        () => host,
      );
      known.set(host, { address, until: performance.now() + REMEMBERED_MS });
      return address;
    },
  };
}
