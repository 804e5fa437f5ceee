import {
  type PendingCounts,
  SITE_IDS_MAX,
  SITE_STATUSES,
  type SiteDetails,
  type SiteItem,
  type SiteSelectionQuery,
  type SiteStatus,
  type SitesQuery,
  type Total,
} from '@steward/contract';
import { sql } from 'kysely';
import { AppError } from '../../platform/app-error.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database/tables.ts';
import { cutPage, decodeCursor, pageLimit, totalOf } from '../../platform/page.ts';
import { isVisibleTo, type Viewer } from '../site-access/index.ts';
import type { SiteFilters } from './site-conditions.ts';
import { findSite, isKeyOf, type PageRequest, selectSites } from './site-list.repository.ts';
import {
  countSites,
  findPage,
  findPageByStatus,
  isStatusKey,
  type Reach,
  reachOf,
  sought,
} from './site-search.ts';
import { siteDetails, siteItem } from './site-view.ts';

/** Sites as the screens show them; each user sees those they were granted. */
export type SiteListService = {
  list(
    user: Viewer,
    query: SitesQuery,
  ): Promise<{ sites: SiteItem[]; next_cursor: string | null; total: Total }>;
  /** All that match, as far as one action reaches, and what an update would have to do there. */
  select(
    user: Viewer,
    query: SiteSelectionQuery,
  ): Promise<{ site_ids: number[]; is_complete: boolean; pending: PendingCounts }>;
  show(user: Viewer, id: number): Promise<SiteDetails>;
};

type Dependencies = { db: Database; clock: Clock };

export function createSiteListService({ db, clock }: Dependencies): SiteListService {
  return {
    async list(user, query) {
      const { sort = 'name', order = 'asc' } = query;
      const list = `sites ${sort} ${order}`;
      const limit = pageLimit(query);
      const isKey = (key: string) => (sort === 'status' ? isStatusKey(key) : isKeyOf(sort, key));
      const after = decodeCursor(list, query, isKey);
      const now = clock.now();
      const filters = filtersOf(query);
      const reach = await reachOf(db, user);
      const inAll = sought(user, reach, filters, now);
      const request = { order, after, limit: limit + 1 };
      const { rows, some } =
        sort === 'status'
          ? { rows: await byStatus(user, reach, filters, now, request), some: null }
          : await findPage(db, inAll, { ...request, sort });
      const { kept, next_cursor } = cutPage(rows, limit, list);
      const sites = kept.map((row) => siteItem(row, now));
      const total = after ? null : totalOf(some?.length ?? (await countSites(db, inAll)));
      return { sites, next_cursor, total };
    },

    async select(user, query) {
      const reach = await reachOf(db, user);
      const { ask, lead } = sought(user, reach, filtersOf(query), clock.now());
      const granted = Array.isArray(reach) && { list: sql`SELECT unnest(${reach}::bigint[])`, ask };
      const { ids, count, ...pending } = await selectSites(db, { ask, lead: granted || lead });
      return {
        site_ids: JSON.parse(ids) as number[],
        is_complete: count <= SITE_IDS_MAX,
        pending,
      };
    },

    async show(user, id) {
      const row = await findSite(db, isVisibleTo(user, 's'), id);
      if (!row) throw new AppError('site_not_found');
      return siteDetails(row, clock.now());
    },
  };

  function byStatus(
    user: Viewer,
    reach: Reach,
    filters: SiteFilters,
    now: Date,
    request: Omit<PageRequest, 'sort'>,
  ) {
    const statuses = filters.status ? [filters.status] : SITE_STATUSES;
    const inStatus = (status: SiteStatus) => sought(user, reach, { ...filters, status }, now);
    return findPageByStatus(db, statuses, inStatus, request);
  }
}

function filtersOf(query: SiteSelectionQuery): SiteFilters {
  const { search, status, pending, environment, tag, license_id } = query;
  const licenseId = license_id === undefined ? undefined : Number(license_id);
  return { search, status, pending, environment, tag, licenseId };
}
