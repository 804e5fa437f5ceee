import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import packageJson from '../../../package.json' with { type: 'json' };
import { listMigrations } from '../../platform/database/migrate.ts';
import { holdBackupLock } from '../../platform/database/panel-lock.ts';
import { isReplaced } from '../../platform/database/schema-state.ts';
import type { Secrets } from '../../platform/secrets.ts';
import { findUnknownTables, isLeftOut } from './backed-up-tables.ts';
import {
  BACKUP_FORMAT,
  type BackedUpTable,
  type BackupPart,
  computeSecretCheck,
  createSeal,
  MANIFEST_NAME,
  type Manifest,
  SEAL_NAME,
} from './backup-format.ts';
import type { BackupWriter } from './backup-writer.ts';
import {
  listAppliedMigrations,
  listPartitions,
  listSequences,
  listTables,
  type TableColumns,
} from './catalog.repository.ts';

const compress = promisify(gzip);

/** Bounds the memory of a backup. A part contains whole rows. */
const PART_BYTES = 8 * 1024 * 1024;
/** Ends the transaction of a suspended process: its snapshot would keep deleted rows on disk. */
const IDLE_TIMEOUT = '5min';
/** Twice as fast as the default, for files that are a tenth larger. */
const COMPRESSION = { level: 3 };
const NEWLINE = 0x0a;

type BackupInput = {
  pool: pg.Pool;
  secrets: Secrets;
  now: Date;
  writer: BackupWriter;
  signal?: AbortSignal | undefined;
};

/** Writes all tables as they are at one moment. The panel keeps working meanwhile. */
export async function writeBackup(input: BackupInput): Promise<Manifest> {
  const { pool, secrets, now, writer, signal } = input;
  const names = (await findTables(pool)).map(({ name }) => name);
  const client = await pool.connect();
  try {
    await beginSnapshot(client, names);
    const tables = await listTables(client);
    if (tables.map(({ name }) => name).join() !== names.join()) {
      throw new Error('The database was migrated meanwhile. Run the backup again.');
    }
    const migrations = await listAppliedMigrations(client);
    const content: BackedUpTable[] = [];
    for (const table of tables.filter(({ name }) => !isLeftOut(name))) {
      content.push(await writeTable(client, table, writer, signal));
    }
    const manifest: Manifest = {
      format: BACKUP_FORMAT,
      steward_version: packageJson.version,
      created_at: now.toISOString(),
      secret_check: computeSecretCheck(secrets),
      migrations: migrations ?? [],
      tables: content,
      left_out: names.filter(isLeftOut),
      sequences: await listSequences(client),
      partitions: await listPartitions(client),
    };
    await client.query('COMMIT');
    client.release();
    const text = Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`);
    await writer.add(MANIFEST_NAME, text);
    await writer.add(SEAL_NAME, createSeal(text, secrets));
    return manifest;
  } catch (error) {
    // The connection may be in the middle of a COPY, so it cannot be used again.
    client.release(true);
    throw error;
  }
}

/** A newer version has migrated the database. During an upgrade, a worker of that version creates the backup. */
export class NewerDatabaseError extends Error {}

/** Throws if the database has a table that this version does not know: the table could be missing after a restore. */
async function findTables(pool: pg.Pool): Promise<TableColumns[]> {
  const applied = await listAppliedMigrations(pool);
  if (applied === null) throw new Error('The database contains no panel. Start the panel first.');
  const known = await listMigrations();
  const unknownMigration = applied.find((name) => !known.includes(name) && !isReplaced(name));
  if (unknownMigration) {
    throw new NewerDatabaseError(
      `The database belongs to a newer version of Steward (migration ${unknownMigration}). Run the backup with that version.`,
    );
  }
  const tables = await listTables(pool);
  // Before an upgrade, the database still has the tables of the version before.
  const isUpToDate = known.every((name) => applied.includes(name));
  const unknown = isUpToDate ? findUnknownTables(tables.map(({ name }) => name)) : [];
  if (unknown.length === 0) return tables;
  throw new Error(
    `The database has tables that are not part of Steward: ${unknown.join(', ')}. Move them to another schema or owner. No backup was created.`,
  );
}

/**
 * Locks the tables before the snapshot: a migration in between could rewrite a table, which then looks empty in the
 * snapshot. The lock waits for a migration and makes the next one wait, but no other statement.
 */
async function beginSnapshot(client: pg.PoolClient, tables: string[]): Promise<void> {
  const names = tables.map((name) => pg.escapeIdentifier(name)).join(', ');
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  await client.query(`SET LOCAL statement_timeout = 0;
    SET LOCAL idle_in_transaction_session_timeout = '${IDLE_TIMEOUT}';
    SET LOCAL datestyle = 'ISO, YMD';
    SET LOCAL intervalstyle = 'postgres';
    SET LOCAL timezone = 'UTC';
    SET LOCAL extra_float_digits = 3;
    SET LOCAL bytea_output = 'hex'`);
  await holdBackupLock(client);
  await client.query(`LOCK TABLE ${names} IN ACCESS SHARE MODE`);
}

async function writeTable(
  client: pg.PoolClient,
  { name, columns }: TableColumns,
  writer: BackupWriter,
  signal?: AbortSignal,
): Promise<BackedUpTable> {
  const list = columns.map((column) => pg.escapeIdentifier(column)).join(', ');
  // COPY with a query also reads a partitioned table.
  const select = `SELECT ${list} FROM ${pg.escapeIdentifier(name)}`;
  const stream = client.query(copyTo(`COPY (${select}) TO STDOUT`));
  const parts: BackupPart[] = [];
  const addPart = async (rows: Buffer) => {
    const number = String(parts.length + 1).padStart(5, '0');
    parts.push(
      await writer.add(`tables/${name}/${number}.copy.gz`, await compress(rows, COMPRESSION)),
    );
  };
  for await (const rows of collectRows(stream)) {
    signal?.throwIfAborted();
    await addPart(rows);
  }
  // The number of rows arrives after the last row; the next statement waits for it.
  await client.query('SELECT 1');
  return { name, columns, rows: stream.rowCount, parts };
}

/** Joins chunks to buffers of about PART_BYTES that end after a row. In the text format, a row has one line. */
async function* collectRows(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let collected: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    const end = bytes + chunk.length >= PART_BYTES ? chunk.lastIndexOf(NEWLINE) + 1 : 0;
    if (end > 0) {
      yield Buffer.concat([...collected, chunk.subarray(0, end)]);
      collected = [];
      bytes = 0;
    }
    const rest = chunk.subarray(end);
    collected.push(rest);
    bytes += rest.length;
  }
  if (bytes > 0) yield Buffer.concat(collected);
}
