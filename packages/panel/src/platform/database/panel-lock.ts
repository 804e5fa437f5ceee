import { sql } from 'kysely';
import type pg from 'pg';
import type { Database } from './handles.ts';

/** Every panel process holds this lock, shared, on the connection that listens to notifications. */
const PANEL_LOCK = 0x57e3a84;

export const holdPanelLock = (client: Pick<pg.ClientBase, 'query'>) =>
  client.query('SELECT pg_advisory_lock_shared($1)', [PANEL_LOCK]);

/** Every process that runs tasks holds this lock, shared, on the same connection. */
const WORKER_LOCK = 0x57e3a85;

export const holdWorkerLock = (client: Pick<pg.ClientBase, 'query'>) =>
  client.query('SELECT pg_advisory_lock_shared($1)', [WORKER_LOCK]);

/** Whether a process runs the tasks of this database. */
export async function isWorkerRunning(client: Pick<pg.Pool, 'query'>): Promise<boolean> {
  const { rows } = await client.query(selectIsHeld(WORKER_LOCK));
  return rows[0].is_held;
}

/** The transaction of each backup holds this lock, shared. */
const BACKUP_LOCK = 0x57e3a86;

export const holdBackupLock = (client: Pick<pg.ClientBase, 'query'>) =>
  client.query('SELECT pg_advisory_xact_lock_shared($1)', [BACKUP_LOCK]);

/** Whether a backup of this database runs: a scheduled one, a requested one, or one of the command line. */
export async function isBackupRunning(db: Database): Promise<boolean> {
  const { rows } = await sql.raw<{ is_held: boolean }>(selectIsHeld(BACKUP_LOCK)).execute(db);
  return rows[0]?.is_held ?? false;
}

/** A killed process loses its connection and its locks. */
const selectIsHeld = (lock: number) =>
  `SELECT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND granted
     AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
     AND classid = 0 AND objid = ${lock} AND objsubid = 1) AS is_held`;

/** Returns false if a panel process uses the database. Otherwise, none can start until the transaction ends. */
export async function tryExcludePanels(trx: Database): Promise<boolean> {
  const { rows } = await sql<{ is_alone: boolean }>`
    SELECT pg_try_advisory_xact_lock(${PANEL_LOCK}) AS is_alone`.execute(trx);
  return rows[0]?.is_alone ?? false;
}
