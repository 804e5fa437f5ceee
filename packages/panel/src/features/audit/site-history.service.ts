import { HISTORY_PAGE_SIZE, type HistoryRecord, type PanelUser, roleMay } from '@steward/contract';
import type { Database } from '../../platform/database/handles.ts';
import { listSiteRecords } from './site-history.repository.ts';

export type HistoryPage = { history: HistoryRecord[]; next_before: number | null };

/** The history of a site from the audit log. The caller checks access to the site. */
export type SiteHistoryService = {
  read(user: Pick<PanelUser, 'role'>, siteId: number, before?: number): Promise<HistoryPage>;
};

/** Records that only owners see: access grants, and attempts of users without access. */
const HIDDEN_FROM_NON_OWNERS = { entityTypes: ['access'], codes: ['site_not_found'] };
const NOTHING_HIDDEN = { entityTypes: [], codes: [] };

export function createSiteHistoryService({ db }: { db: Database }): SiteHistoryService {
  return {
    async read(user, siteId, before) {
      const rows = await listSiteRecords(db, siteId, {
        before,
        limit: HISTORY_PAGE_SIZE + 1,
        hidden: roleMay(user.role, 'owner') ? NOTHING_HIDDEN : HIDDEN_FROM_NON_OWNERS,
      });
      const page = rows.slice(0, HISTORY_PAGE_SIZE);
      return {
        history: page.map((row) => ({ ...row, at: row.at.toISOString() })),
        next_before: rows.length > HISTORY_PAGE_SIZE ? (page.at(-1)?.id ?? null) : null,
      };
    },
  };
}
