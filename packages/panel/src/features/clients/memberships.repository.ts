import { sql } from 'kysely';
import type { Database, Trx } from '../../platform/database/handles.ts';

export type EndedMembership = { site_id: number; client_id: number; client_name: string };

export async function listSitesOfClient(db: Database, clientId: number): Promise<number[]> {
  const { rows } = await sql<{ site_id: number }>`
    SELECT site_id FROM client_memberships WHERE client_id = ${clientId} AND ended_at IS NULL
    ORDER BY site_id`.execute(db);
  return rows.map(({ site_id }) => site_id);
}

/** Ends the memberships of these sites: not those of `except`, and only those of `only`. The caller has locked the sites. */
export async function endMemberships(
  trx: Trx,
  siteIds: number[],
  { except = null, only = null }: { except?: number | null; only?: number | null },
  now: Date,
): Promise<EndedMembership[]> {
  const { rows } = await sql<EndedMembership>`
    UPDATE client_memberships m SET ended_at = greatest(m.started_at, ${now}::timestamptz)
    FROM clients c
    WHERE c.id = m.client_id AND m.site_id = ANY(${siteIds}::bigint[]) AND m.ended_at IS NULL
      AND m.client_id IS DISTINCT FROM ${except}::bigint
      AND (${only}::bigint IS NULL OR m.client_id = ${only}::bigint)
    RETURNING m.site_id, m.client_id, c.name AS client_name`.execute(trx);
  return rows;
}

/** Starts memberships of the sites that have no client now, and returns these sites. */
export async function startMemberships(
  trx: Trx,
  siteIds: number[],
  clientId: number,
  now: Date,
): Promise<number[]> {
  // After a clock that went back, a membership starts when the one before it ended.
  const { rows } = await sql<{ site_id: number }>`
    INSERT INTO client_memberships (site_id, client_id, started_at)
    SELECT s.id, ${clientId}::bigint, greatest(${now}::timestamptz, max(m.ended_at))
    FROM unnest(${siteIds}::bigint[]) AS s (id) LEFT JOIN client_memberships m ON m.site_id = s.id
    GROUP BY s.id HAVING count(m.id) = count(m.ended_at) ORDER BY s.id
    RETURNING site_id`.execute(trx);
  return rows.map(({ site_id }) => site_id);
}
