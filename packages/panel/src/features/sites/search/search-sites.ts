import {
  type PendingCounts,
  SITE_IDS_MAX,
  SITE_STATUSES,
  type SiteSelectionQuery,
  type SiteStatus,
  type SitesQuery,
  type Total,
} from '@steward/contract';
import type { Database } from '../../../platform/database/handles.ts';
import { decodeCursor, pageLimit, takePage, toTotal } from '../../../platform/page.ts';
import type { CurrentUser } from '../../site-access/index.ts';
import { readFilters } from './filters.ts';
import { countSites, findPage } from './find-page.ts';
import { findPageByStatus, isValidStatusKey } from './find-page-by-status.ts';
import { selectIds } from './search.repository.ts';
import type { SiteRow } from './site-columns.ts';
import { createSiteQuery } from './site-query.ts';
import { isValidColumnKey } from './sort-orders.ts';

/** Only the first page has a `total`; on later pages it is null. */
export type SitePage = { rows: SiteRow[]; nextCursor: string | null; total: Total };

export type SearchContext = {
  now: Date;
  /** The version of the Steward plugin that this panel ships; null if it ships none. */
  shippedPluginVersion: string | null;
};

/** Finds one page of the sites that match the query and that the user may see. */
export async function searchSites(
  db: Database,
  user: CurrentUser,
  query: SitesQuery,
  { now, shippedPluginVersion }: SearchContext,
): Promise<SitePage> {
  const { sort = 'name', order = 'asc' } = query;
  const listName = `sites ${sort} ${order}`;
  const limit = pageLimit(query);
  const isValidKey = (key: string) =>
    sort === 'status' ? isValidStatusKey(key) : isValidColumnKey(sort, key);
  const after = decodeCursor(listName, query, isValidKey);
  const filters = await readFilters(db, user, query, shippedPluginVersion);
  const siteQuery = createSiteQuery(user, filters, now);
  const createStatusQuery = (status: SiteStatus) =>
    createSiteQuery(user, { ...filters, status }, now);
  const statuses = filters.status ? [filters.status] : SITE_STATUSES;
  // Request one extra row to detect a next page.
  const request = { order, after, limit: limit + 1 };
  const { rows, count } =
    sort === 'status'
      ? { rows: await findPageByStatus(db, statuses, createStatusQuery, request), count: null }
      : await findPage(db, siteQuery, { ...request, sort });
  const { kept, next_cursor: nextCursor } = takePage(rows, limit, listName);
  const total = after ? null : toTotal(count ?? (await countSites(db, siteQuery)));
  return { rows: kept, nextCursor, total };
}

export type SiteIds = { ids: number[]; isComplete: boolean; pending: PendingCounts };

/** Lists the ids of all matches, up to the limit of one run, and counts their pending updates. */
export async function listSiteIds(
  db: Database,
  user: CurrentUser,
  query: SiteSelectionQuery,
  { now, shippedPluginVersion }: SearchContext,
): Promise<SiteIds> {
  const filters = await readFilters(db, user, query, shippedPluginVersion);
  const selection = await selectIds(db, createSiteQuery(user, filters, now));
  const { ids, count, ...pending } = selection;
  return { ids: JSON.parse(ids) as number[], isComplete: count <= SITE_IDS_MAX, pending };
}
