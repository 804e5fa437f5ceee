import type { SiteSelectionQuery } from '@steward/contract';
import { sql } from 'kysely';
import { AppError } from '../../../platform/app-error.ts';
import type { Database } from '../../../platform/database/handles.ts';
import type { CurrentUser } from '../../site-access/index.ts';
import { findSoftware } from '../../software/index.ts';
import type { Filter } from './status-predicates.ts';

/** `id`: of the software, null if no site matches. `sites` counts all matches, `visibleSites` those the user may see. */
export type SoftwareOnSites = {
  id: number | null;
  sites: number;
  visibleSites: number;
  version: string | undefined;
  isOutdated: boolean;
};

export async function readSoftwareFilter(
  db: Database,
  user: CurrentUser,
  query: SiteSelectionQuery,
): Promise<SoftwareOnSites | undefined> {
  const { software: slug, software_type: type, software_version: version } = query;
  const isOutdated = query.software_outdated === 'true';
  if (slug === undefined && type === undefined && version === undefined && !isOutdated) return;
  if (slug === undefined || type === undefined) {
    throw new AppError('invalid_request', {
      message: 'software and software_type must be sent together.',
    });
  }
  const found = await findSoftware(db, user, { type, slug, version, isOutdated });
  return { ...(found ?? { id: null, sites: 0, visibleSites: 0 }), version, isOutdated };
}

/** Up to this number of sites, checking the other filters for each site is faster than a scan. */
const MAX_CANDIDATES = 5000;

/**
 * Software on more than `MAX_CANDIDATES` sites offers candidates only if it is the only filter. Otherwise the query
 * would check the other filters for each of these sites, although they usually match fewer sites.
 */
export function filterBySoftware(
  { id, sites, version, isOutdated }: SoftwareOnSites,
  { isOnlyFilter }: { isOnlyFilter: boolean },
): Filter {
  const installed = sql`FROM site_software h WHERE h.software_id = ${id}
    ${version === undefined ? sql`` : sql`AND h.version = ${version}`}
    ${isOutdated ? sql`AND h.new_version IS NOT NULL` : sql``}`;
  const predicate = sql<boolean>`(SELECT 1 ${installed} AND h.site_id = s.id) IS NOT NULL`;
  const hasCandidates = isOnlyFilter || sites <= MAX_CANDIDATES;
  return hasCandidates
    ? { predicate, candidates: sql`SELECT h.site_id ${installed}`, predicateOfCandidates: null }
    : { predicate };
}
