import { TOTAL_MAX } from '@steward/contract';
import type { Database } from '../../../platform/database/tables.ts';
import type { CurrentUser } from '../../site-access/index.ts';
import {
  combineFilters,
  countFilters,
  isTooShortForTrigrams,
  parseNameSearch,
  type SiteFilters,
  type SitePredicate,
} from './filters.ts';
import { findGrantedIds } from './search.repository.ts';
import { stateOfStatus } from './status-predicates.ts';

/** The sites that a user may see, archived or not: all, more than `TOTAL_MAX` granted sites, or the sites with these ids. */
export type Scope = 'all' | 'many' | number[];

/** A query with the properties by which `findPage` and `countSites` choose the cheapest statement. */
export type SiteQuery = SitePredicate & {
  scope: Scope;
  /** No filter is set; only the scope limits the sites. */
  isUnfiltered: boolean;
  /** The value of the column `state` that belongs to the status filter, if any: see `stateOfStatus`. */
  state: string | null;
  /** Nearly every site that a scan in page order reads is a match. */
  isDense: boolean;
  /** The stored counts of software show that more than `TOTAL_MAX` sites match, so no query has to count them. */
  hasManyMatches: boolean;
  /** A search text of one or two letters, too short for the trigram index; otherwise null. */
  shortSearch: string | null;
};

export async function readScope(
  db: Database,
  user: CurrentUser,
  { archived }: SiteFilters,
): Promise<Scope> {
  if (user.role === 'owner') return 'all';
  const ids = new Set(await findGrantedIds(db, user.id, archived === true));
  return ids.size > TOTAL_MAX ? 'many' : [...ids];
}

export function createSiteQuery(
  user: CurrentUser,
  scope: Scope,
  filters: SiteFilters,
  now: Date,
): SiteQuery {
  const { status, ...otherFilters } = filters;
  const hasOtherFilters = countFilters(otherFilters) > 0;
  const state = status ? stateOfStatus(status) : null;
  const name = parseNameSearch(filters);
  return {
    ...combineFilters(scope === 'many' ? user : null, filters, now),
    scope,
    isUnfiltered: !hasOtherFilters && !status,
    state,
    isDense: !hasOtherFilters && (!status || (state !== null && scope === 'all')),
    // A scan does not check the access of a user with few sites, so it must not run for such a user.
    hasManyMatches:
      !Array.isArray(scope) &&
      countFilters(filters) === 1 &&
      (filters.software?.visibleSites ?? 0) > TOTAL_MAX,
    shortSearch: isTooShortForTrigrams(name) ? name : null,
  };
}
