import type { SiteFault } from '@steward/contract';
import { sql } from 'kysely';
import type { Trx } from '../../platform/database/handles.ts';
import { RECONNECT_CODES } from './assess-call.ts';

export type FaultChange = {
  site_id: number;
  /** Null clears the fault. */
  fault: SiteFault | null;
  code: string | null;
  error: string | null;
  run_id: number;
  /** Keeps the fault `failing` while updates are pending, unless the site rejected the key or signature. */
  keeps_failing: boolean;
};

/**
 * Skips sites that have no fault to store or to clear. Like all statements that lock several sites, locks them by
 * ascending id, to prevent deadlocks.
 */
export async function writeFaults(trx: Trx, changes: FaultChange[], now: Date): Promise<void> {
  await sql`
    WITH input AS (
      SELECT * FROM jsonb_to_recordset(${JSON.stringify(changes)}::jsonb) AS i (
        site_id bigint, fault text, code text, error text, run_id bigint, keeps_failing boolean)
    ), changing AS (
      SELECT i.* FROM input i JOIN sites s ON s.id = i.site_id
      WHERE i.fault IS NOT NULL OR (s.fault IS NOT NULL AND NOT (i.keeps_failing
        AND s.fault = 'failing' AND s.pending_total > 0
        AND s.fault_code <> ALL(${RECONNECT_CODES}::text[])))
      ORDER BY s.id FOR NO KEY UPDATE OF s
    )
    UPDATE sites s SET fault = c.fault, fault_code = c.code, fault_error = c.error,
      fault_at = CASE WHEN c.fault IS NOT NULL THEN ${now}::timestamptz END,
      fault_run_id = CASE WHEN c.fault IS NOT NULL THEN c.run_id END,
      masked_fault = CASE WHEN c.fault = 'not_reachable' OR (c.fault IS NULL AND c.keeps_failing
        AND s.masked_fault ->> 'fault' = 'failing' AND s.pending_total > 0
        AND s.masked_fault ->> 'code' <> ALL(${RECONNECT_CODES}::text[])) THEN s.masked_fault END
    FROM changing c WHERE s.id = c.site_id`.execute(trx);
  const keeping = changes.filter(({ fault, keeps_failing }) => fault === null && keeps_failing);
  if (keeping.length === 0) return;
  // The site responds again, and the updates that had failed before it went down are still pending.
  await sql`UPDATE sites s SET ${UNMASK}
    WHERE s.id = ANY(${keeping.map(({ site_id }) => site_id)}::bigint[]) AND s.fault IS NULL
      AND s.masked_fault IS NOT NULL`.execute(trx);
}

/** Sets the fault that the site had before it went down, or none. A run may have been deleted since. */
const UNMASK = sql`fault = s.masked_fault ->> 'fault', fault_code = s.masked_fault ->> 'code',
  fault_error = s.masked_fault ->> 'error', fault_at = (s.masked_fault ->> 'at')::timestamptz,
  fault_run_id = (SELECT id FROM runs WHERE id = (s.masked_fault ->> 'run_id')::bigint),
  masked_fault = NULL`;

/** The faults that a ping can see and therefore clear. */
const PING_CODES = [
  'site_unreachable',
  'site_timeout',
  'site_tls_error',
  'site_down',
  'site_invalid_response',
];

/**
 * Marks sites that are down for visitors. A fault of another kind is masked, not lost: a ping cannot show whether it is
 * resolved.
 */
export async function markNotReachable(
  trx: Trx,
  sites: { siteId: number; code: string; error: string }[],
  now: Date,
): Promise<void> {
  const rows = sites.map(({ siteId, code, error }) => ({ site_id: siteId, code, error }));
  await sql`
    WITH changing AS (
      SELECT i.* FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        AS i (site_id bigint, code text, error text)
      JOIN sites s ON s.id = i.site_id AND s.fault IS DISTINCT FROM 'not_reachable'
      ORDER BY s.id FOR NO KEY UPDATE OF s
    )
    UPDATE sites s SET fault = 'not_reachable', fault_code = c.code, fault_error = c.error,
      fault_at = ${now}::timestamptz, fault_run_id = NULL,
      masked_fault = CASE WHEN s.fault IS NOT NULL THEN jsonb_build_object('fault', s.fault,
        'code', s.fault_code, 'error', s.fault_error, 'at', s.fault_at, 'run_id', s.fault_run_id) END
    FROM changing c WHERE s.id = c.site_id`.execute(trx);
}

/** Locks the sites that the next two functions change, for a transaction that calls both (see `lockSitesById`). */
export async function lockPingedSites(trx: Trx, down: number[], up: number[]): Promise<void> {
  await sql`
    SELECT FROM sites
    WHERE id = ANY(${down}::bigint[]) AND fault IS DISTINCT FROM 'not_reachable'
      OR id = ANY(${up}::bigint[]) AND fault = 'not_reachable'
    ORDER BY id FOR NO KEY UPDATE`.execute(trx);
}

/** Clears the faults of sites that respond again, and restores those from before they went down. */
export async function clearNotReachable(trx: Trx, siteIds: number[]): Promise<void> {
  await sql`
    WITH changing AS (
      SELECT id FROM sites
      WHERE id = ANY(${siteIds}::bigint[]) AND fault = 'not_reachable' AND fault_code = ANY(${PING_CODES}::text[])
      ORDER BY id FOR NO KEY UPDATE
    )
    UPDATE sites s SET ${UNMASK} FROM changing WHERE s.id = changing.id`.execute(trx);
}

/** Clears the fault of a site, also a masked one, if it is `only.fault`, or if its code is one of `only.codes`. */
export async function clearFault(
  trx: Trx,
  siteId: number,
  only: { fault: SiteFault } | { codes: string[] },
): Promise<void> {
  const matches =
    'fault' in only ? sql`fault = ${only.fault}` : sql`fault_code = ANY(${only.codes}::text[])`;
  await sql`
    UPDATE sites SET fault = NULL, fault_code = NULL, fault_error = NULL, fault_at = NULL,
      fault_run_id = NULL
    WHERE id = ${siteId} AND ${matches}`.execute(trx);
  const isMasked =
    'fault' in only
      ? sql`masked_fault ->> 'fault' = ${only.fault}`
      : sql`masked_fault ->> 'code' = ANY(${only.codes}::text[])`;
  await sql`UPDATE sites SET masked_fault = NULL WHERE id = ${siteId} AND ${isMasked}`.execute(trx);
}
