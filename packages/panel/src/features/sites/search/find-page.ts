import { TOTAL_MAX } from '@steward/contract';
import type { Database } from '../../../platform/database/tables.ts';
import type { Position } from '../../../platform/page.ts';
import {
  countScanMatches,
  filterIds,
  findIds,
  findIdsByShortSearch,
  type PageRequest,
  readPage,
} from './search.repository.ts';
import type { SiteRow } from './site-columns.ts';
import type { SiteQuery } from './site-query.ts';

export type FoundRow = SiteRow & Position;

/** Fills a page if about one site in thirty matches. */
const PAGE_SCAN_SITES = 1500;
const COUNT_SCAN_SITES = 8000;

/**
 * Finds a page fast, whether matches are common or rare. If the query has candidates, or the user has few sites,
 * only those sites are filtered. If nearly all sites match, a plain scan in page order is enough. Any other query scans
 * a limited number of sites. If this scan does not fill the page, matches are rare, and indexes find them.
 *
 * `matchingIds` contains up to `TOTAL_MAX + 1` matches if the page needed them, so that the caller need not count.
 */
export async function findPage(
  db: Database,
  query: SiteQuery,
  request: PageRequest,
): Promise<{ rows: FoundRow[]; matchingIds: number[] | null }> {
  const { predicate, candidates, scope, state, isDense } = query;
  const scan = { predicate, state: request.sort === 'name' ? state : null };
  // True without a status filter, or if the scan applies it.
  const scanCoversState = scan.state === state;
  if (query.hasManyMatches) return { rows: await readPage(db, scan, request), matchingIds: null };
  if (Array.isArray(scope) || candidates) return readMatches(await findMatchingIds(db, query));
  if (isDense && scanCoversState) {
    const scanLimit = query.isUnfiltered && scope === 'all' ? { maxSites: request.limit } : {};
    return { rows: await readPage(db, { ...scan, ...scanLimit }, request), matchingIds: null };
  }
  const rows = await readPage(db, { ...scan, maxSites: PAGE_SCAN_SITES }, request);
  return rows.length === request.limit
    ? { rows, matchingIds: null }
    : readMatches(await findMatchingIds(db, query));

  async function readMatches(matchingIds: number[]) {
    const isComplete = matchingIds.length <= TOTAL_MAX;
    return { rows: await readPage(db, isComplete ? matchingIds : scan, request), matchingIds };
  }
}

/** Counts at most `TOTAL_MAX + 1` sites. */
export async function countSites(db: Database, query: SiteQuery): Promise<number> {
  const { predicate, candidates, scope, state, isDense, isUnfiltered, hasManyMatches } = query;
  if (hasManyMatches || (isUnfiltered && scope === 'many')) return TOTAL_MAX + 1;
  if (Array.isArray(scope) || candidates) return (await findMatchingIds(db, query)).length;
  const scanLimit = isDense ? {} : { maxSites: COUNT_SCAN_SITES };
  const count = await countScanMatches(db, { predicate, state, ...scanLimit });
  return isDense || count > TOTAL_MAX ? count : (await findMatchingIds(db, query)).length;
}

async function findMatchingIds(db: Database, query: SiteQuery): Promise<number[]> {
  const { predicate, candidates, scope, shortSearch } = query;
  if (Array.isArray(scope)) return filterIds(db, scope, predicate);
  if (shortSearch !== null && !candidates) {
    const ids = await findIdsByShortSearch(db, shortSearch);
    if (ids.length <= TOTAL_MAX) return filterIds(db, ids, predicate);
  }
  return findIds(db, { predicate, candidates });
}
