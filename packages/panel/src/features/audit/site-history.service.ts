import { HISTORY_PAGE, type HistoryRecord, type PanelUser, roleMay } from '@steward/contract';
import type { Database } from '../../platform/database/tables.ts';
import { listSiteRecords } from './site-history.repository.ts';

export type HistoryPage = { history: HistoryRecord[]; next_before: number | null };

/** What happened on a site, as the audit log has it. Who may see the site is for the caller to ask. */
export type SiteHistoryService = {
  read(user: Pick<PanelUser, 'role'>, siteId: number, before?: number): Promise<HistoryPage>;
};

/** Who else was given a site, or was not and tried to act on it, is for owners to know. */
const FOR_OWNERS = { entityTypes: ['access'], codes: ['site_not_found'] };
const NOTHING = { entityTypes: [], codes: [] };

export function createSiteHistoryService({ db }: { db: Database }): SiteHistoryService {
  return {
    async read(user, siteId, before) {
      const rows = await listSiteRecords(db, siteId, {
        before,
        limit: HISTORY_PAGE + 1,
        hidden: roleMay(user.role, 'owner') ? NOTHING : FOR_OWNERS,
      });
      const kept = rows.slice(0, HISTORY_PAGE);
      return {
        history: kept.map((row) => ({ ...row, at: row.at.toISOString() })),
        next_before: rows.length > HISTORY_PAGE ? (kept.at(-1)?.id ?? null) : null,
      };
    },
  };
}
