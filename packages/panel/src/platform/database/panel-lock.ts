import { sql } from 'kysely';
import type pg from 'pg';
import type { Database } from './tables.ts';

/** Every panel process holds this lock, shared, on the connection that listens to notifications. */
const PANEL_LOCK = 0x57e3a84;

export const holdPanelLock = (client: Pick<pg.ClientBase, 'query'>) =>
  client.query('SELECT pg_advisory_lock_shared($1)', [PANEL_LOCK]);

/** Returns false if a panel process uses the database. Otherwise, none can start until the transaction ends. */
export async function tryExcludePanels(trx: Database): Promise<boolean> {
  const { rows } = await sql<{ is_alone: boolean }>`
    SELECT pg_try_advisory_xact_lock(${PANEL_LOCK}) AS is_alone`.execute(trx);
  return rows[0]?.is_alone ?? false;
}
