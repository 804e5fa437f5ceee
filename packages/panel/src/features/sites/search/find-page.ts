import { TOTAL_MAX } from '@steward/contract';
import type { Database } from '../../../platform/database/handles.ts';
import type { Position } from '../../../platform/page.ts';
import {
  countFound,
  countScanMatches,
  type PageRequest,
  readFoundPage,
  readPage,
} from './search.repository.ts';
import type { SiteRow } from './site-columns.ts';
import type { SiteQuery } from './site-query.ts';
import { SORT_ORDERS } from './sort-orders.ts';

export type FoundRow = SiteRow & Position;

/** Fills a page if about one site in thirty matches. */
const PAGE_SCAN_SITES = 1500;
const COUNT_SCAN_SITES = 8000;

/**
 * Finds a page fast, whether matches are common or rare. If nearly all sites match, or if stored counts show many
 * matches, a plain scan in page order is enough. Otherwise, if the query has candidates, only those sites are filtered.
 * Any other query scans a limited number of sites. If this scan does not fill the page, matches are rare, and indexes
 * find them.
 *
 * `count` is the number of matches, at most `TOTAL_MAX + 1`, if the page needed it, so that the caller need not count.
 */
export async function findPage(
  db: Database,
  query: SiteQuery,
  request: PageRequest,
): Promise<{ rows: FoundRow[]; count: number | null }> {
  const scan = { ...query, state: request.sort === 'name' ? query.state : null };
  const isDenseScan =
    query.isDense && scan.state === query.state && SORT_ORDERS[request.sort].table === 'site';
  if (query.hasManyMatches || (isDenseScan && !query.candidates)) {
    return { rows: await readPage(db, scan, request), count: null };
  }
  if (!query.candidates) {
    const rows = await readPage(db, { ...scan, maxSites: PAGE_SCAN_SITES }, request);
    if (rows.length === request.limit) return { rows, count: null };
  }
  const found = await readFoundPage(db, query, request);
  return found.count <= TOTAL_MAX
    ? found
    : { rows: await readPage(db, scan, request), count: found.count };
}

/** Counts at most `TOTAL_MAX + 1` sites. */
export async function countSites(db: Database, query: SiteQuery): Promise<number> {
  if (query.hasManyMatches) return TOTAL_MAX + 1;
  if (query.candidates) return countFound(db, query);
  if (query.isDense) return countScanMatches(db, query);
  const count = await countScanMatches(db, { ...query, maxSites: COUNT_SCAN_SITES });
  return count > TOTAL_MAX ? count : countFound(db, query);
}
