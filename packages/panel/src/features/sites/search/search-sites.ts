import {
  type PendingCounts,
  SITE_IDS_MAX,
  SITE_STATUSES,
  type SiteSelectionQuery,
  type SiteStatus,
  type SitesQuery,
  type Total,
} from '@steward/contract';
import { sql } from 'kysely';
import type { Database } from '../../../platform/database/tables.ts';
import { decodeCursor, pageLimit, takePage, toTotal } from '../../../platform/page.ts';
import type { Viewer } from '../../site-access/index.ts';
import { parseFilters } from './filters.ts';
import { countSites, findPage } from './find-page.ts';
import { findPageByStatus, isStatusKey } from './find-page-by-status.ts';
import { selectIds } from './search.repository.ts';
import type { SiteRow } from './site-columns.ts';
import { createSiteQuery, readScope } from './site-query.ts';
import { isColumnKey } from './sort-orders.ts';

/** `total` is null on all pages but the first. */
export type SitePage = { rows: SiteRow[]; nextCursor: string | null; total: Total };

/** Finds one page of the sites that match the query and that the user may see. */
export async function searchSites(
  db: Database,
  user: Viewer,
  query: SitesQuery,
  now: Date,
): Promise<SitePage> {
  const { sort = 'name', order = 'asc' } = query;
  const list = `sites ${sort} ${order}`;
  const limit = pageLimit(query);
  const isKey = (key: string) => (sort === 'status' ? isStatusKey(key) : isColumnKey(sort, key));
  const after = decodeCursor(list, query, isKey);
  const filters = parseFilters(query);
  const scope = await readScope(db, user);
  const siteQuery = createSiteQuery(user, scope, filters, now);
  const queryOfStatus = (status: SiteStatus) =>
    createSiteQuery(user, scope, { ...filters, status }, now);
  const statuses = filters.status ? [filters.status] : SITE_STATUSES;
  // One row more than the page shows whether there is a next page.
  const request = { order, after, limit: limit + 1 };
  const { rows, matchingIds } =
    sort === 'status'
      ? { rows: await findPageByStatus(db, statuses, queryOfStatus, request), matchingIds: null }
      : await findPage(db, siteQuery, { ...request, sort });
  const { kept, next_cursor: nextCursor } = takePage(rows, limit, list);
  const total = after ? null : toTotal(matchingIds?.length ?? (await countSites(db, siteQuery)));
  return { rows: kept, nextCursor, total };
}

export type SiteIds = { ids: number[]; isComplete: boolean; pending: PendingCounts };

/** Lists the ids of all matches, at most as many as one action accepts, with their pending updates. */
export async function listSiteIds(
  db: Database,
  user: Viewer,
  query: SiteSelectionQuery,
  now: Date,
): Promise<SiteIds> {
  const scope = await readScope(db, user);
  const { predicate, candidates } = createSiteQuery(user, scope, parseFilters(query), now);
  const granted = Array.isArray(scope) && {
    ids: sql`SELECT unnest(${scope}::bigint[])`,
    predicate,
  };
  const selection = await selectIds(db, { predicate, candidates: granted || candidates });
  const { ids, count, ...pending } = selection;
  return { ids: JSON.parse(ids) as number[], isComplete: count <= SITE_IDS_MAX, pending };
}
