import type { InstalledItem, SiteItem, SitesQuery } from '@steward/contract';
import type { Database } from '../../platform/database/handles.ts';
import { readItemHealth } from '../release-health/index.ts';
import { createHoldFinder } from '../rules/index.ts';
import { listInstalledOn } from '../software/index.ts';

/** Adds what the sites of a page have of the item in the filter `software`. Without this filter, returns the sites as they are. */
export async function addInstalledItem(
  db: Database,
  sites: SiteItem[],
  { software: slug, software_type: type }: Pick<SitesQuery, 'software' | 'software_type'>,
  now: Date,
): Promise<SiteItem[]> {
  if (slug === undefined || type === undefined || sites.length === 0) return sites;
  const item = { type, slug };
  const siteIds = sites.map(({ id }) => id);
  const [installed, health, holds] = await Promise.all([
    listInstalledOn(db, siteIds, item),
    readItemHealth(db, siteIds, item),
    createHoldFinder(db, siteIds, { now, onlyPendingOf: new Set(siteIds) }),
  ]);
  return sites.map((site) => {
    const found = installed.get(site.id);
    if (!found) return site;
    const { version, new_version, active, changed_at } = found;
    const hold = holds?.findPendingHold(site.id, item);
    const state = health.get(site.id);
    const shown: InstalledItem = {
      ...{ version, new_version, active },
      ...(holds && hold && { hold: holds.explain(hold) }),
      ...(state?.version === version && { health: state.state }),
      changed_at: changed_at?.toISOString() ?? null,
    };
    return { ...site, installed: shown };
  });
}
