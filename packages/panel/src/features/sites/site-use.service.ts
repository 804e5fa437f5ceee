import type { Clock } from '../../platform/clock.ts';
import type { Database, Trx } from '../../platform/database/handles.ts';
import { secondsUntilNextDay, utcDay } from '../../platform/utc-day.ts';
import { CountedRefusal } from '../audit/index.ts';
import { DAILY_LIMITS, type DailyLimit, type DailyUse, findExceededLimit } from './daily-limits.ts';
import { addToUse, deleteUseBefore, readUse, type SiteCredential } from './site-use.repository.ts';

export type { SiteCredential };

/** Limits what a site can change per day: docs/decisions/0039-growth.md. */
export type SiteUseService = {
  /**
   * Counts a change in its transaction, and throws `rate_limited` if it exceeds a limit. Call it before the audit record of
   * the change, and after the writes to the site and its activation: see `addToUse`.
   */
  count(trx: Trx, site: SiteCredential, change: Partial<DailyUse>): Promise<void>;
  /** Like `count`, for a change that is never refused. */
  countOnly(trx: Trx, site: SiteCredential, change: Partial<DailyUse>): Promise<void>;
  /**
   * Throws `rate_limited` if the site has no changed report left today. Call it before a large write: PostgreSQL keeps the
   * space of rows that a refused transaction wrote.
   */
  assertReportLeft(trx: Trx, site: SiteCredential): Promise<void>;
  deleteOld(): Promise<void>;
};

const NO_USE: DailyUse = { changed_reports: 0, audited_changes: 0, error_reports: 0 };
const CHANGES: Record<DailyLimit, string> = {
  changed_reports: 'changed reports',
  audited_changes: 'changes that the audit log records',
  error_reports: 'reports of errors without an inventory',
};

export function createSiteUseService({
  db,
  clock,
}: {
  db: Database;
  clock: Clock;
}): SiteUseService {
  const add = (trx: Trx, site: SiteCredential, change: Partial<DailyUse>) =>
    addToUse(trx, site, utcDay(clock.now()), { ...NO_USE, ...change });

  function assertWithinLimits(site: SiteCredential, use: DailyUse): void {
    const limit = findExceededLimit(use);
    if (limit !== null) throw buildRefusal(site, limit, clock.now());
  }

  return {
    count: async (trx, site, change) => assertWithinLimits(site, await add(trx, site, change)),

    countOnly: async (trx, site, change) => void (await add(trx, site, change)),

    async assertReportLeft(trx, site) {
      const use = await readUse(trx, site, utcDay(clock.now()));
      assertWithinLimits(site, { ...use, changed_reports: use.changed_reports + 1 });
    },

    deleteOld: () => deleteUseBefore(db, utcDay(clock.now())),
  };
}

function buildRefusal({ siteId, credential }: SiteCredential, limit: DailyLimit, now: Date) {
  return new CountedRefusal('rate_limited', {
    message: `This site has sent ${DAILY_LIMITS[limit]} ${CHANGES[limit]} today, and Steward accepts no more of them from a site in a day. Nothing was changed. Try again after 00:00 UTC.`,
    retryAfterSeconds: secondsUntilNextDay(now),
    entry: {
      action: 'refuse_changes',
      entityType: 'activation',
      entityId: siteId,
      siteId,
      context: { credential, limit },
    },
  });
}
