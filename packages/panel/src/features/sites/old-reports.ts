import { sql } from 'kysely';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Trx } from '../../platform/database/handles.ts';
import { tables } from './database.ts';

/** A license keeps the reports of this many disconnected sites, or of as many as its site limit if that is more. */
const KEPT_SITES_MIN = 10;
const SITES_PER_PASS = 1000;

type Dependencies = {
  db: Database;
  clock: Clock;
  /** Deletes the version history of a site, together with its report. */
  forgetVersions(trx: Trx, siteId: number, removeReport: () => Promise<void>): Promise<void>;
};

/**
 * Deletes the reports and version history of sites that were disconnected a year ago, and of the longest disconnected sites
 * of a license with many of them: the holder of a license key can move a seat to a new address several times a day, and each
 * address can send a report. Archived sites keep theirs.
 */
export async function deleteOldReports({ db, clock, forgetVersions }: Dependencies): Promise<void> {
  const { rows } = await sql<{ site_id: number }>`
    SELECT site_id FROM (
      SELECT a.site_id, a.deactivated_at, greatest(l.site_limit, ${KEPT_SITES_MIN}::int) AS kept_sites,
        l.site_limit IS NULL AS is_unlimited,
        row_number() OVER (PARTITION BY a.license_id ORDER BY a.deactivated_at DESC, a.site_id DESC) AS place
      FROM license_activations a JOIN sites s ON s.id = a.site_id JOIN licenses l ON l.id = a.license_id
      WHERE a.status = 'deactivated' AND s.inventory_at IS NOT NULL AND s.archived_at IS NULL
    ) AS disconnected
    WHERE deactivated_at < ${clock.now()}::timestamptz - interval '1 year'
      OR (place > kept_sites AND NOT is_unlimited)
    ORDER BY site_id LIMIT ${SITES_PER_PASS}`.execute(db);
  // One transaction per site: with two, it and a report could deadlock on the counts of software.
  for (const { site_id } of rows) {
    await db
      .transaction()
      .execute((trx) => forgetVersions(trx, site_id, () => removeReport(trx, site_id)));
  }
}

/** The row of the site stays. */
async function removeReport(trx: Trx, siteId: number): Promise<void> {
  const report = [
    'inventory',
    'inventory_hash',
    'inventory_at',
    'preflight',
    'preflight_at',
    'backups',
    'backed_up_at',
  ] as const;
  const nothing = Object.fromEntries(report.map((column) => [column, null]));
  await tables(trx).updateTable('sites').set(nothing).where('id', '=', siteId).execute();
}
