import type { Clock } from '../../platform/clock.ts';

/** The figures of an item on fewer sites are always read again: it takes some milliseconds. */
const CACHED_FROM_SITES = 2000;
const REFRESH_AFTER_MS = 60_000;
const MAX_AGE_MS = 10 * 60_000;
const MAX_ENTRIES = 500;

type Entry<Value> = { value: Value; sites: number; readAt: number; isRefreshing: boolean };

/**
 * Keeps the figures of items on many sites for some minutes, in this process. After a minute, a request gets the kept
 * figures and starts to read them again. `sites`: the number of sites with the item that the user may see. If it has
 * changed, the kept figures can cover other sites and are not used.
 */
export function createHealthCache<Value>({ clock }: { clock: Clock }) {
  const entries = new Map<string, Entry<Value>>();

  async function load(key: string, sites: number, read: () => Promise<Value>): Promise<Value> {
    const readAt = clock.now().getTime();
    const value = await read();
    // The last entry of a map is the newest.
    entries.delete(key);
    entries.set(key, { value, sites, readAt, isRefreshing: false });
    const [oldest] = entries.keys();
    if (entries.size > MAX_ENTRIES && oldest !== undefined) entries.delete(oldest);
    return value;
  }

  return async (key: string, sites: number, read: () => Promise<Value>): Promise<Value> => {
    if (sites < CACHED_FROM_SITES) return read();
    const entry = entries.get(key);
    const ageMs = clock.now().getTime() - (entry?.readAt ?? 0);
    if (!entry || entry.sites !== sites || ageMs > MAX_AGE_MS) return load(key, sites, read);
    if (ageMs > REFRESH_AFTER_MS && !entry.isRefreshing) {
      entry.isRefreshing = true;
      load(key, sites, read).catch(() => {
        entry.isRefreshing = false;
      });
    }
    return entry.value;
  };
}
