import type { AuditOrigin } from '../../platform/audit-origin.ts';
import type { Database } from '../../platform/database/handles.ts';
import type { AuditService } from '../audit/index.ts';
import { lockLicense, updateLicense } from './licenses.repository.ts';
import { countActiveSites, listUsage, type Usage, type UsageRecord } from './usage.repository.ts';

export type UsageCheck = {
  /** The number of licenses that were compared. */
  licenses: number;
  differences: UsageRecord[];
};

export type UsageService = {
  /** Compares the stored usage of all licenses with their active sites. Changes nothing. */
  check(): Promise<UsageCheck>;
  /**
   * Stores the true count of a license. Returns null if the usage is correct by now: a concurrent repair may have
   * corrected it.
   */
  repair(licenseId: number, origin: AuditOrigin): Promise<UsageRecord | null>;
};

/** Bounds the time of one statement, and so the age of its snapshot. */
const LICENSES_PER_STATEMENT = 1000;

type Dependencies = { db: Database; audit: AuditService };

export function createUsageService({ db, audit }: Dependencies): UsageService {
  return {
    async check() {
      const result: UsageCheck = { licenses: 0, differences: [] };
      for (let afterId = 0; ; ) {
        const page = await listUsage(db, { afterId, limit: LICENSES_PER_STATEMENT });
        result.licenses += page.length;
        result.differences.push(
          ...page.filter(({ stored, actual }) => !isSameUsage(stored, actual)),
        );
        const last = page.at(-1);
        if (!last || page.length < LICENSES_PER_STATEMENT) return result;
        afterId = last.license_id;
      }
    },

    repair: (licenseId, origin) =>
      db.transaction().execute(async (trx) => {
        // Activations wait for the lock, so the count stays true until the commit.
        const license = await lockLicense(trx, { id: licenseId });
        if (!license) return null;
        const { counted_sites, uncounted_sites } = license;
        const stored = { counted_sites, uncounted_sites };
        const actual = await countActiveSites(trx, licenseId);
        if (isSameUsage(stored, actual)) return null;
        await updateLicense(trx, licenseId, actual);
        await audit.record(trx, origin, {
          action: 'repair_usage',
          entityType: 'license',
          entityId: licenseId,
          context: { before: stored, after: actual },
        });
        return { license_id: licenseId, stored, actual };
      }),
  };
}

function isSameUsage(a: Usage, b: Usage): boolean {
  return a.counted_sites === b.counted_sites && a.uncounted_sites === b.uncounted_sites;
}
