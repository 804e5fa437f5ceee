import { sql } from 'kysely';
import type { SiteCallLimits } from '../../platform/config.ts';
import type { Database } from '../../platform/database/tables.ts';

export type ProbedSite = {
  /** The canonical URL: the same site can belong to several licenses. */
  site: string;
  address: string;
};

/**
 * Records a call to a site before it starts. Returns its id, or null if a call to the site is in progress or the limits
 * of all processes are reached. A call that its process never removed ends with its lease.
 */
export function claimProbe(
  db: Database,
  { site, address }: ProbedSite,
  { total, perAddress }: SiteCallLimits,
  leaseSeconds: number,
): Promise<number | null> {
  return db.transaction().execute(async (trx) => {
    // One claim at a time, so the counts stay valid until it commits.
    await sql`SELECT pg_advisory_xact_lock(hashtextextended('steward: probes', 0))`.execute(trx);
    await sql`DELETE FROM site_probes WHERE ends_at <= clock_timestamp()`.execute(trx);
    const { rows } = await sql<{ id: number }>`
      INSERT INTO site_probes (site, address, ends_at)
      SELECT ${site}, ${address}, clock_timestamp() + make_interval(secs => ${leaseSeconds})
      WHERE (SELECT count(*) FROM site_probes) < ${total}
        AND (SELECT count(*) FROM site_probes WHERE address = ${address}) < ${perAddress}
      ON CONFLICT (site) DO NOTHING
      RETURNING id`.execute(trx);
    return rows[0]?.id ?? null;
  });
}

export async function releaseProbe(db: Database, id: number): Promise<void> {
  await db.deleteFrom('site_probes').where('id', '=', id).execute();
}
