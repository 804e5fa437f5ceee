import { sql } from 'kysely';
import type { Database, Trx } from '../../platform/database/handles.ts';

/** The number of active sites of a license. */
export type Usage = { counted_sites: number; uncounted_sites: number };

export type UsageRecord = { license_id: number; stored: Usage; actual: Usage };

/**
 * Reads the stored usage and the true count of the next licenses by ascending id. Both are from one statement and so from
 * one snapshot: an activation during the statement cannot cause a difference.
 */
export async function listUsage(
  db: Database,
  page: { afterId: number; limit: number },
): Promise<UsageRecord[]> {
  const { rows } = await sql<Usage & { license_id: number; counted: number; uncounted: number }>`
    SELECT l.id AS license_id, l.counted_sites, l.uncounted_sites, a.counted, a.uncounted
    FROM (
      SELECT id, counted_sites, uncounted_sites FROM licenses
      WHERE id > ${page.afterId} ORDER BY id LIMIT ${page.limit}
    ) l
    CROSS JOIN LATERAL (${countSites(sql.ref('l.id'))}) a
    ORDER BY l.id`.execute(db);
  return rows.map(({ license_id, counted_sites, uncounted_sites, counted, uncounted }) => ({
    license_id,
    stored: { counted_sites, uncounted_sites },
    actual: { counted_sites: counted, uncounted_sites: uncounted },
  }));
}

/** Counts the active sites of a locked license. */
export async function countActiveSites(trx: Trx, licenseId: number): Promise<Usage> {
  const { rows } = await sql<{ counted: number; uncounted: number }>`${countSites(
    sql`${licenseId}`,
  )}`.execute(trx);
  return { counted_sites: rows[0]?.counted ?? 0, uncounted_sites: rows[0]?.uncounted ?? 0 };
}

const countSites = (licenseId: ReturnType<typeof sql>) => sql`
  SELECT count(*) FILTER (WHERE counted) AS counted, count(*) FILTER (WHERE NOT counted) AS uncounted
  FROM license_activations WHERE license_id = ${licenseId} AND status = 'active'`;
