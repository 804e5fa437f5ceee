import { TOTAL_MAX } from '@steward/contract';
import { sql } from 'kysely';
import { type CurrentUser, isVisibleTo, scopeOf } from '../../site-access/index.ts';
import { combineFilters, countFilters, type SiteFilters, type SitePredicate } from './filters.ts';
import { type SiteSource, stateOfStatus } from './status-predicates.ts';

/** A query with the properties by which `findPage` and `countSites` choose the cheapest statement. */
export type SiteQuery = SitePredicate & {
  source: SiteSource;
  /** The value of the column `state` that belongs to the status filter, if any: see `stateOfStatus`. */
  state: string | null;
  /** Nearly every site that a scan in page order reads is a match. */
  isDense: boolean;
  /** The stored counts of software or tags show that more than `TOTAL_MAX` sites match, so no query has to count them. */
  hasManyMatches: boolean;
};

/** `listed_sites` has a row for each user who sees a site, so that a query reads no other sites. It has no archived sites. */
function sourceFor(user: CurrentUser, { archived }: SiteFilters): SiteSource {
  return archived
    ? {
        table: sql`sites s`,
        condition: sql`(s.archived_at IS NOT NULL AND ${isVisibleTo(user, 's')})`,
      }
    : { table: sql`listed_sites s`, condition: sql`s.scope = ${scopeOf(user)}` };
}

function findStoredCount({ software, tag, client }: SiteFilters) {
  return software ?? tag ?? (client === 'none' ? undefined : client);
}

export function createSiteQuery(user: CurrentUser, filters: SiteFilters, now: Date): SiteQuery {
  const { status, ...otherFilters } = filters;
  const state = status ? stateOfStatus(status) : null;
  const source = sourceFor(user, filters);
  // A stored count is the number of matches only if no other filter applies.
  const stored = countFilters(filters) === 1 ? findStoredCount(filters) : undefined;
  return {
    ...combineFilters(filters, source, now),
    source,
    state,
    isDense: countFilters(otherFilters) === 0 && (!status || state !== null),
    hasManyMatches: (stored?.visibleSites ?? 0) > TOTAL_MAX,
  };
}
