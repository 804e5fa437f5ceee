import {
  EXPIRING_LICENSES_MAX,
  type ExpiringLicense,
  type LicenseSummary,
  type LicensesQuery,
  type Total,
} from '@steward/contract';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database/handles.ts';
import { decodeCursor, pageLimit, takePage, toTotal } from '../../platform/page.ts';
import { countLicenses, listExpiring, listLicensePage } from './license-list.repository.ts';
import { toLicenseSummary } from './license-view.ts';

export type LicenseListService = {
  list(
    query: LicensesQuery,
  ): Promise<{ licenses: LicenseSummary[]; next_cursor: string | null; total: Total }>;
  /** Lists the first valid licenses that expire within the given number of days, at most `EXPIRING_LICENSES_MAX`. */
  listExpiring(days: number): Promise<ExpiringLicense[]>;
};

const LIST_NAME = 'licenses';

export function createLicenseListService(deps: { db: Database; clock: Clock }): LicenseListService {
  const { db, clock } = deps;
  return {
    async list(query) {
      const limit = pageLimit(query);
      // The list is sorted by id alone, so the sort key of its cursors is empty.
      const after = decodeCursor(LIST_NAME, query, (key) => key === '');
      const now = clock.now();
      const filters = { search: query.search, status: query.status, plan: query.plan, now };
      const [rows, count] = await Promise.all([
        listLicensePage(db, filters, after?.id, limit + 1),
        after ? null : countLicenses(db, filters),
      ]);
      const keyed = rows.map((row) => ({ ...row, key: '' }));
      const { kept, next_cursor } = takePage(keyed, limit, LIST_NAME);
      const licenses = kept.map((row) => toLicenseSummary(row, now));
      return { licenses, next_cursor, total: count === null ? null : toTotal(count) };
    },

    async listExpiring(days) {
      const from = clock.now();
      const to = new Date(from.getTime() + days * 24 * 60 * 60 * 1000);
      const rows = await listExpiring(db, { from, to }, EXPIRING_LICENSES_MAX);
      return rows.flatMap(({ id, key_last_six, name, plan_name, expires_at, counted_sites }) =>
        expires_at === null
          ? []
          : [
              {
                id,
                key_last_six,
                name,
                plan: plan_name,
                expires_at: expires_at.toISOString(),
                sites_used: counted_sites,
              },
            ],
      );
    },
  };
}
