import type { PlacedSite } from './demo-site.ts';
import { FIRST_SITES } from './first-sites.ts';
import { createLaterSites } from './later-sites.ts';

export const MIN_SITES = FIRST_SITES.length;
export const MAX_SITES = 200;

/** Creates the list of sites: the first ones in every state, then the later ones. */
export const createFleet = (count: number): PlacedSite[] =>
  [...FIRST_SITES, ...createLaterSites(count - FIRST_SITES.length)].map((site, place) => ({
    ...site,
    place,
  }));

/** The panel listens on the first port, the sites on the following ports. */
export const sitePort = ({ place }: PlacedSite, firstPort: number): number => firstPort + 1 + place;

export const siteUrl = (site: PlacedSite, firstPort: number): string =>
  `http://${site.host}:${sitePort(site, firstPort)}`;
