import {
  PAGE_LIMIT_MAX,
  type PendingCounts,
  parseSiteColumns,
  type SiteDetails,
  type SiteItem,
  type SiteSelectionQuery,
  type SitesExportQuery,
  type SitesQuery,
  type Total,
} from '@steward/contract';
import { AppError } from '../../platform/app-error.ts';
import type { Clock } from '../../platform/clock.ts';
import { listAsCsv } from '../../platform/csv-pages.ts';
import type { Database } from '../../platform/database/handles.ts';
import { readItemErrors } from '../release-health/index.ts';
import { createHoldFinder } from '../rules/index.ts';
import { type CurrentUser, isVisibleTo } from '../site-access/index.ts';
import { addInstalledItem } from './add-installed-item.ts';
import { listSiteIds, searchSites } from './search/index.ts';
import { createSiteCsv } from './site-csv.ts';
import { findSite } from './site-details.repository.ts';
import { toSiteDetails, toSiteItem } from './site-view.ts';

/** Reads sites for the screens. Owners see all sites; other users see only the sites granted to them. */
export type SiteListService = {
  list(
    user: CurrentUser,
    query: SitesQuery,
  ): Promise<{ sites: SiteItem[]; next_cursor: string | null; total: Total }>;
  /** The list as a CSV file, line by line, one page of sites at a time. */
  export(user: CurrentUser, query: SitesExportQuery): Promise<AsyncIterable<string>>;
  /** Returns the ids of all matches, up to the limit of one run, and counts their pending updates. */
  select(
    user: CurrentUser,
    query: SiteSelectionQuery,
  ): Promise<{ site_ids: number[]; is_complete: boolean; pending: PendingCounts }>;
  show(user: CurrentUser, id: number): Promise<SiteDetails>;
};

type Dependencies = {
  db: Database;
  readDb: Database;
  clock: Clock;
  shippedPluginVersion: string | null;
};

export function createSiteListService(deps: Dependencies): SiteListService {
  const { db, readDb, clock, shippedPluginVersion } = deps;

  const list: SiteListService['list'] = async (user, query) => {
    const now = clock.now();
    const { rows, nextCursor, total } = await searchSites(readDb, user, query, {
      now,
      shippedPluginVersion,
    });
    const sites = await addInstalledItem(
      readDb,
      rows.map((row) => toSiteItem(row, now)),
      query,
      now,
    );
    return { sites, next_cursor: nextCursor, total };
  };

  return {
    list,

    async export(user, { columns, ...query }) {
      const hasItem = query.software !== undefined;
      const csv = createSiteCsv(parseSiteColumns(columns), { hasItem });
      return listAsCsv(csv, async (cursor) => {
        const page = { ...(cursor && { cursor }), limit: String(PAGE_LIMIT_MAX) };
        const { sites, next_cursor } = await list(user, { ...query, ...page });
        return { items: sites, next_cursor };
      });
    },

    async select(user, query) {
      const context = { now: clock.now(), shippedPluginVersion };
      // From the primary: the result decides which sites are updated.
      const { ids, isComplete, pending } = await listSiteIds(db, user, query, context);
      return { site_ids: ids, is_complete: isComplete, pending };
    },

    async show(user, id) {
      const row = await findSite(readDb, isVisibleTo(user, 's'), id);
      if (!row) throw new AppError('site_not_found');
      const now = clock.now();
      const item_errors = await readItemErrors(readDb, id);
      const finder = await createHoldFinder(readDb, [id], { now });
      return {
        ...toSiteDetails(row, now),
        item_errors,
        held_items: finder?.listHeld(id) ?? [],
      };
    },
  };
}
