import { sql } from 'kysely';
import type { SiteCallLimits } from '../../platform/config.ts';
import type { Database } from '../../platform/database/handles.ts';
import { tables } from './database.ts';

export type ProbedSite = {
  /** The canonical URL: the same site can belong to several licenses. */
  site: string;
  address: string;
  licenseId: number;
};

/** The limits of all licenses together, and of one license. */
export type ProbeLimits = { all: SiteCallLimits; ofLicense: SiteCallLimits };

/**
 * Records a call to a site before it starts. Returns its id, or null if a call to the site is in progress or the limits
 * of all processes are reached. A call that its process never removed ends with its lease.
 */
export function claimProbe(
  db: Database,
  { site, address, licenseId }: ProbedSite,
  { all, ofLicense }: ProbeLimits,
  leaseSeconds: number,
): Promise<number | null> {
  return db.transaction().execute(async (trx) => {
    // One claim at a time, so the counts stay valid until it commits.
    await sql`SELECT pg_advisory_xact_lock(hashtextextended('steward: probes', 0))`.execute(trx);
    await sql`DELETE FROM site_probes WHERE ends_at <= clock_timestamp()`.execute(trx);
    const { rows } = await sql<{ id: number }>`
      INSERT INTO site_probes (site, address, license_id, ends_at)
      SELECT ${site}, ${address}, ${licenseId}, clock_timestamp() + make_interval(secs => ${leaseSeconds})
      FROM (
        SELECT count(*) AS calls, count(*) FILTER (WHERE address = ${address}) AS at_address,
          count(*) FILTER (WHERE license_id = ${licenseId}) AS of_license,
          count(*) FILTER (WHERE license_id = ${licenseId} AND address = ${address}) AS of_license_at_address
        FROM site_probes) AS running
      WHERE calls < ${all.total} AND at_address < ${all.perAddress}
        AND of_license < ${ofLicense.total} AND of_license_at_address < ${ofLicense.perAddress}
      ON CONFLICT (site) DO NOTHING
      RETURNING id`.execute(trx);
    return rows[0]?.id ?? null;
  });
}

export async function releaseProbe(db: Database, id: number): Promise<void> {
  await tables(db).deleteFrom('site_probes').where('id', '=', id).execute();
}
