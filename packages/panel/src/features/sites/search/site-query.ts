import { TOTAL_MAX } from '@steward/contract';
import type { Database } from '../../../platform/database/tables.ts';
import type { Viewer } from '../../site-access/index.ts';
import {
  combineFilters,
  isTooShortForTrigrams,
  nameToFind,
  type SiteFilters,
  type SitePredicate,
} from './filters.ts';
import { findGrantedIds } from './search.repository.ts';
import { stateOfStatus } from './status-predicates.ts';

/** The sites a user may see: all, more than `TOTAL_MAX`, or these ids. */
export type Scope = 'all' | 'many' | number[];

/** A query with the facts from which `findPage` and `countSites` choose the cheapest statement. */
export type SiteQuery = SitePredicate & {
  scope: Scope;
  /** No filter is set; only the scope limits the sites. */
  isUnfiltered: boolean;
  /** The value of the column `state` that all matches have, if any. */
  state: string | null;
  /** A scan in the order of the page matches nearly every site it reads. */
  isDense: boolean;
  /** One or two letters of the name, too few for the trigram index. */
  letters: string | null;
};

export async function readScope(db: Database, user: Viewer): Promise<Scope> {
  if (user.role === 'owner') return 'all';
  const ids = new Set(await findGrantedIds(db, user.id));
  return ids.size > TOTAL_MAX ? 'many' : [...ids];
}

export function createSiteQuery(
  user: Viewer,
  scope: Scope,
  filters: SiteFilters,
  now: Date,
): SiteQuery {
  const { status, ...others } = filters;
  const hasOnlyStatus = Object.values(others).every((filter) => filter === undefined);
  const state = status ? stateOfStatus(status) : null;
  const name = nameToFind(filters);
  return {
    ...combineFilters(scope === 'many' ? user : null, filters, now),
    scope,
    isUnfiltered: hasOnlyStatus && !status,
    state,
    isDense: hasOnlyStatus && (!status || (state !== null && scope === 'all')),
    letters: isTooShortForTrigrams(name) ? name : null,
  };
}
