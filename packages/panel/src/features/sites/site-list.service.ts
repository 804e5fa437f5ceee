import {
  type PendingCounts,
  SITE_IDS_MAX,
  type SiteDetails,
  type SiteItem,
  type SiteSelectionQuery,
  type SitesQuery,
  TOTAL_MAX,
  type Total,
} from '@steward/contract';
import type { Database } from '../../database/tables.ts';
import { AppError } from '../../lib/app-error.ts';
import type { Clock } from '../../lib/clock.ts';
import { cutPage, decodeCursor, pageLimit, totalOf } from '../../lib/page.ts';
import { isVisibleTo, type Viewer } from '../site-access/visible-sites.ts';
import { matches, type SiteFilters } from './site-conditions.ts';
import {
  findSite,
  findSome,
  isKeyOf,
  listSites,
  type SelectedSite,
  selectSites,
} from './site-list.repository.ts';
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
      const after = decodeCursor(list, query, (key) => isKeyOf(sort, key));
      const now = clock.now();
      const filters = filtersOf(query);
      const matching = matches(user, filters, now);
      const some = await findSome(db, matching);
      // All sites have an index for each order; few of them are sorted quicker than looked for.
      const areFew = some.length <= TOTAL_MAX && !isEverything(user, filters);
      const among = areFew ? some : matching;
      const rows = await listSites(db, among, { sort, order, after, limit: limit + 1 });
      const { kept, next_cursor } = cutPage(rows, limit, list);
      const sites = kept.map((row) => siteItem(row, now));
      return { sites, next_cursor, total: after ? null : totalOf(some.length) };
    },

    async select(user, query) {
      const rows = await selectSites(db, matches(user, filtersOf(query), clock.now()));
      const selected = rows.slice(0, SITE_IDS_MAX);
      return {
        site_ids: selected.map(({ id }) => id),
        is_complete: rows.length <= SITE_IDS_MAX,
        pending: pendingOf(selected),
      };
    },

    async show(user, id) {
      const row = await findSite(db, isVisibleTo(user, 's'), id);
      if (!row) throw new AppError('site_not_found');
      return siteDetails(row, clock.now());
    },
  };
}

function isEverything(user: Viewer, filters: SiteFilters): boolean {
  return user.role === 'owner' && Object.values(filters).every((filter) => filter === undefined);
}

function filtersOf(query: SiteSelectionQuery): SiteFilters {
  const { search, status, pending, environment, tag, license_id } = query;
  const licenseId = license_id === undefined ? undefined : Number(license_id);
  return { search, status, pending, environment, tag, licenseId };
}

function pendingOf(sites: SelectedSite[]): PendingCounts {
  const total = { plugins: 0, themes: 0, core: 0 };
  for (const site of sites) {
    total.plugins += site.pending_plugins;
    total.themes += site.pending_themes;
    total.core += site.pending_core;
  }
  return total;
}
