import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import type { Database, Trx } from '../../platform/database/handles.ts';
import { MIGRATION_LOCK, migrateWithin } from '../../platform/database/migrate.ts';
import { tryExcludePanels } from '../../platform/database/panel-lock.ts';
import { replacePartitions } from '../audit/index.ts';
import type { BackedUpTable, Manifest } from './backup-format.ts';
import {
  listForeignKeys,
  listIdSequences,
  listTables,
  listTriggers,
} from './catalog.repository.ts';
import type { OpenBackup } from './open-backup.ts';
import { assertMayCreateTables, assertUnused, createTablesAt } from './restore-schema.ts';

type RestoreInput = {
  /** Connects as the owner of the tables. */
  pool: pg.Pool;
  backup: OpenBackup;
  /** Runs in the same transaction, after the last migration. */
  finish(trx: Trx): Promise<void>;
};

const quote = pg.escapeIdentifier;

/** Restores all tables in one transaction. An error or a kill leaves the database as it was. */
export async function restoreBackup({ pool, backup, finish }: RestoreInput): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0');
    const db = bindToClient(client);
    await db.transaction().execute(async (trx) => {
      await assertNoPanelRuns(trx);
      await client.query('SELECT pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
      await assertUnused(client);
      await assertMayCreateTables(client);
      await createTablesAt(trx, client, backup.manifest.migrations);
      await loadTables(trx, client, backup);
      await migrateWithin(trx);
      await deleteJobs(client);
      await finish(trx);
    });
  } finally {
    // A failed COPY leaves the connection in an unknown state.
    client.release(true);
  }
}

/** Kysely and COPY must use the same connection, because they share the transaction. */
function bindToClient(client: pg.PoolClient): Database {
  const connection = { query: client.query.bind(client), release: () => {} };
  const pool = { connect: async () => connection, end: async () => {} };
  return new Kysely<never>({
    dialect: new PostgresDialect({ pool: pool as unknown as pg.Pool }),
  });
}

async function assertNoPanelRuns(trx: Trx): Promise<void> {
  if (await tryExcludePanels(trx)) return;
  throw new Error(
    'A panel is running on this database. Stop all panel and worker processes, and restore again. Nothing was restored.',
  );
}

/**
 * Loads the rows without triggers and foreign keys: triggers would count sites twice, and no order of tables suits all
 * foreign keys. Creating the foreign keys again checks all rows.
 */
async function loadTables(trx: Trx, client: pg.ClientBase, backup: OpenBackup): Promise<void> {
  const { manifest } = backup;
  const tables = (await listTables(client)).map(({ name }) => quote(name)).join(', ');
  await withoutTriggers(client, () => client.query(`TRUNCATE ${tables}`));
  await replacePartitions(trx, manifest.partitions);
  const foreignKeys = await listForeignKeys(client);
  for (const { table, name } of foreignKeys) {
    await client.query(`ALTER TABLE ${quote(table)} DROP CONSTRAINT ${quote(name)}`);
  }
  await withoutTriggers(client, async () => {
    for (const table of manifest.tables) await loadRows(client, backup, table);
  });
  for (const { table, name, definition } of foreignKeys) {
    await client.query(`ALTER TABLE ${quote(table)} ADD CONSTRAINT ${quote(name)} ${definition}`);
  }
  await setSequences(client, manifest);
  await client.query(`ANALYZE ${tables}`);
}

/** Disables all triggers during the work, then sets each back to its mode. */
async function withoutTriggers(client: pg.ClientBase, work: () => Promise<unknown>): Promise<void> {
  const triggers = await listTriggers(client);
  for (const { table, name } of triggers) {
    await client.query(`ALTER TABLE ${quote(table)} DISABLE TRIGGER ${quote(name)}`);
  }
  await work();
  for (const { table, name, mode } of triggers) {
    const state = { O: 'ENABLE', A: 'ENABLE ALWAYS', R: 'ENABLE REPLICA', D: 'DISABLE' }[mode];
    await client.query(`ALTER TABLE ${quote(table)} ${state} TRIGGER ${quote(name)}`);
  }
}

async function loadRows(
  client: pg.ClientBase,
  backup: OpenBackup,
  table: BackedUpTable,
): Promise<void> {
  const columns = table.columns.map((column) => quote(column)).join(', ');
  const target = client.query(copyFrom(`COPY ${quote(table.name)} (${columns}) FROM STDIN`));
  try {
    await pipeline(Readable.from(backup.readRows(table)), target);
  } catch (cause) {
    const reason = (cause as Error).message;
    throw new Error(`Could not restore ${table.name}. Nothing was restored. Reason: ${reason}`, {
      cause,
    });
  }
  if (target.rowCount === table.rows) return;
  throw new Error(
    `The backup has ${target.rowCount} rows of ${table.name} in place of ${table.rows}. Nothing was restored.`,
  );
}

/** An id that was used and deleted must not be used again: audit records refer to it. */
async function setSequences(client: pg.ClientBase, { sequences }: Manifest): Promise<void> {
  for (const { name, value } of sequences) {
    if (value !== null) await client.query('SELECT setval($1::regclass, $2)', [quote(name), value]);
  }
  for (const { sequence, table, column } of await listIdSequences(client)) {
    const saved = sequences.find(({ name }) => name === sequence)?.value ?? 0;
    const { rows } = await client.query(`SELECT max(${quote(column)}) AS id FROM ${quote(table)}`);
    const last = Math.max(saved, Number(rows[0].id ?? 0));
    if (last > 0) await client.query('SELECT setval($1::regclass, $2)', [quote(sequence), last]);
  }
}

/** Deletes all jobs: they belong to the data before the restore. Workers add the jobs of unfinished tasks again. */
async function deleteJobs(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query("SELECT to_regclass('pgboss.job') IS NOT NULL AS exists");
  if (rows[0].exists) await client.query('DELETE FROM pgboss.job');
}
