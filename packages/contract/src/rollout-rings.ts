import { hashText } from './text-hash.ts';

/** A ring of a rollout plan. The last ring has neither `tag` nor `percent` and gets the remaining sites. */
export type RingPlan = {
  name: string;
  /** The sites with this tag. */
  tag?: string;
  /** This share of all sites of the rollout. */
  percent?: number;
};

export const DEFAULT_RINGS: RingPlan[] = [
  { name: 'Canary', tag: 'canary' },
  { name: '10 %', percent: 10 },
  { name: 'All other sites' },
];

/** `server`: the IP address of the last call; null if the site was never called. */
export type SiteForRing = { id: number; tags: string[]; server: string | null };

/**
 * Assigns each site to a ring; returns the position of the ring by site id. Rings with a tag choose first. The others
 * take sites of as many servers as possible, so that a version that breaks one server does not break a whole ring.
 */
export function assignRings(sites: SiteForRing[], rings: RingPlan[]): Map<number, number> {
  const assigned = new Map<number, number>();
  rings.forEach(({ tag }, position) => {
    if (tag === undefined) return;
    for (const site of sites) {
      if (!assigned.has(site.id) && hasTag(site, tag)) assigned.set(site.id, position);
    }
  });
  const remaining = spreadByServer(sites.filter(({ id }) => !assigned.has(id)));
  rings.forEach(({ tag, percent }, position) => {
    if (tag !== undefined) return;
    const count = percent === undefined ? Infinity : Math.ceil((sites.length * percent) / 100);
    for (const { id } of remaining.splice(0, count)) assigned.set(id, position);
  });
  return assigned;
}

/** Tags ignore case. */
const hasTag = ({ tags }: SiteForRing, wanted: string) =>
  tags.some((tag) => tag.toLowerCase() === wanted.toLowerCase());

/** Sorts the sites so that the first site of each server comes before the second of any server. */
function spreadByServer(sites: SiteForRing[]): SiteForRing[] {
  const sitesPerServer = new Map<string, number>();
  return (
    sites
      .map((site) => ({ site, hash: hashText(String(site.id)) }))
      // By a hash, because the oldest sites often belong to the same customer.
      .sort((a, b) => a.hash - b.hash || a.site.id - b.site.id)
      .map(({ site }) => {
        const server = site.server ?? `site ${site.id}`;
        const rank = sitesPerServer.get(server) ?? 0;
        sitesPerServer.set(server, rank + 1);
        return { site, rank };
      })
      .sort((a, b) => a.rank - b.rank)
      .map(({ site }) => site)
  );
}
