import type pg from 'pg';

/** Every panel process holds this lock, shared, on the connection that listens to notifications. */
const PANEL_LOCK = 0x57e3a84;

export const holdPanelLock = (client: Pick<pg.ClientBase, 'query'>) =>
  client.query('SELECT pg_advisory_lock_shared($1)', [PANEL_LOCK]);

/** Returns false if a panel process uses the database. Otherwise, none can start until the transaction ends. */
export async function tryExcludePanels(client: Pick<pg.ClientBase, 'query'>): Promise<boolean> {
  const { rows } = await client.query('SELECT pg_try_advisory_xact_lock($1) AS is_alone', [
    PANEL_LOCK,
  ]);
  return rows[0].is_alone;
}
