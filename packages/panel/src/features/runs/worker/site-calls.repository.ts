import { sql } from 'kysely';
import type { Trx } from '../../../platform/database/handles.ts';

/** A task, and the current IP address of its site. */
export type WantedCall = { taskId: number; address: string };

/** Whether the task was admitted to its site. If not: whether another task blocks the site. */
export type ClaimedCall = { isAdmitted: boolean; isSiteBlocked: boolean };

/**
 * Admits tasks to their sites: one task per site, by the key of `site_calls`, and `perAddress` tasks per address, by a
 * lock on each address until the transaction ends. Both hold across all processes. Addresses are locked in one order, so
 * two transactions never wait for each other. Skips tasks that another transaction changes now, such as a cancel.
 */
export async function claimSites(
  trx: Trx,
  wanted: WantedCall[],
  perAddress: number,
): Promise<Map<number, ClaimedCall>> {
  const addresses = wanted.map(({ address }) => address);
  await sql`
    SELECT pg_advisory_xact_lock(hashtextextended('steward: calls to ' || address, 0))
    FROM (SELECT DISTINCT address FROM unnest(${addresses}::text[]) AS wanted (address) ORDER BY address) AS wanted`.execute(
    trx,
  );
  const { rows } = await sql<{ id: number; is_admitted: boolean; is_blocked: boolean }>`
    WITH open AS MATERIALIZED (
      SELECT t.id, t.site_id, w.address, w.position
      FROM unnest(${wanted.map(({ taskId }) => taskId)}::bigint[], ${addresses}::text[])
        WITH ORDINALITY AS w (id, address, position)
      JOIN LATERAL (SELECT id, site_id FROM run_tasks WHERE id = w.id AND finished_at IS NULL
        OFFSET 0 FOR SHARE SKIP LOCKED) t ON true
    ), free AS (
      SELECT o.*, row_number() OVER (PARTITION BY o.address ORDER BY o.position) + (
        SELECT count(*) FROM site_calls c WHERE c.address = o.address AND c.task_id <> o.id) AS place
      FROM open o
      WHERE NOT EXISTS (SELECT FROM site_calls c WHERE c.site_id = o.site_id AND c.task_id <> o.id)
    ), admitted AS (
      INSERT INTO site_calls (site_id, task_id, address)
      SELECT site_id, id, address FROM free WHERE place <= ${perAddress}
      ON CONFLICT (site_id) DO UPDATE SET address = excluded.address
      WHERE site_calls.task_id = excluded.task_id
      RETURNING task_id
    )
    SELECT o.id, EXISTS (SELECT FROM admitted a WHERE a.task_id = o.id) AS is_admitted,
      NOT EXISTS (SELECT FROM free f WHERE f.id = o.id) AS is_blocked
    FROM open o`.execute(trx);
  return new Map(
    rows.map((row) => [row.id, { isAdmitted: row.is_admitted, isSiteBlocked: row.is_blocked }]),
  );
}

/** Frees the site of a task that was not called. While a lost call is open, the task keeps blocking its site. */
export async function releaseSite(
  trx: Trx,
  taskId: number,
  { hasLostCall }: { hasLostCall: boolean },
): Promise<void> {
  await (hasLostCall
    ? sql`UPDATE site_calls SET address = NULL WHERE task_id = ${taskId}`
    : sql`DELETE FROM site_calls WHERE task_id = ${taskId}`
  ).execute(trx);
}
