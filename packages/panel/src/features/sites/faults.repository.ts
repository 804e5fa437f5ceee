import type { SiteFault } from '@steward/contract';
import { sql } from 'kysely';
import type { Trx } from '../../platform/database/tables.ts';
import { NEEDS_CONNECTING } from './call-findings.ts';

export type FaultNews = {
  site_id: number;
  /** Null: there is none any more. */
  fault: SiteFault | null;
  code: string | null;
  error: string | null;
  run_id: number;
  /** A failure is over only when nothing is pending, or when it was the key that was refused. */
  keeps_failing: boolean;
};

/**
 * Writes what calls have found. Sites without news of a fault are not touched, and those that are, in
 * the order of their ids: others lock sites in that order too.
 */
export async function writeFaults(trx: Trx, news: FaultNews[], now: Date): Promise<void> {
  await sql`
    WITH news AS (
      SELECT * FROM jsonb_to_recordset(${JSON.stringify(news)}::jsonb) AS n (
        site_id bigint, fault text, code text, error text, run_id bigint, keeps_failing boolean)
    ), changing AS (
      SELECT n.* FROM news n JOIN sites s ON s.id = n.site_id
      WHERE n.fault IS NOT NULL OR (s.fault IS NOT NULL AND NOT (n.keeps_failing
        AND s.fault = 'failing' AND s.pending_total > 0
        AND s.fault_code <> ALL(${NEEDS_CONNECTING}::text[])))
      ORDER BY s.id FOR NO KEY UPDATE OF s
    )
    UPDATE sites s SET fault = c.fault, fault_code = c.code, fault_error = c.error,
      fault_at = CASE WHEN c.fault IS NOT NULL THEN ${now}::timestamptz END,
      fault_run_id = CASE WHEN c.fault IS NOT NULL THEN c.run_id END
    FROM changing c WHERE s.id = c.site_id`.execute(trx);
}

/** Forgets what is wrong with a site if it is just this. */
export async function clearFault(
  trx: Trx,
  siteId: number,
  only: { fault: SiteFault } | { codes: string[] },
): Promise<void> {
  const isIt =
    'fault' in only ? sql`fault = ${only.fault}` : sql`fault_code = ANY(${only.codes}::text[])`;
  await sql`
    UPDATE sites SET fault = NULL, fault_code = NULL, fault_error = NULL, fault_at = NULL,
      fault_run_id = NULL
    WHERE id = ${siteId} AND ${isIt}`.execute(trx);
}
