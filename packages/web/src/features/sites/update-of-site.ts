import type { SiteDetails } from '@steward/contract';

/** The request and the basis of the counts for an update of all items of a site. */
export const updateOfSite = (site: SiteDetails) => ({
  request: { site_ids: [site.id] },
  basis: [site.inventory_at, site.status, site.held_items],
});
