import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import type { Database, Trx } from './tables.ts';

const MIGRATIONS_DIR = join(import.meta.dirname, '../../../migrations');

export const MIGRATION_LOCK = 0x57e3a81;

/**
 * Runs pending migrations and returns their names. Several processes may call this at once: a database lock lets only
 * the first process find pending migrations. Kysely's own lock comes too late: before it, Kysely reads the catalog, and
 * that query fails if another process renames a column at the same time.
 */
export async function migrate(db: Database): Promise<string[]> {
  return db.connection().execute(async (connection) => {
    // A migration may take long, and so may the wait for the migration of another process.
    await sql`SET statement_timeout = 0`.execute(connection);
    try {
      await sql`SELECT pg_advisory_lock(${MIGRATION_LOCK})`.execute(connection);
      return await migrateToLatest(connection);
    } finally {
      await sql`SELECT pg_advisory_unlock(${MIGRATION_LOCK})`.execute(connection);
      await sql`RESET statement_timeout`.execute(connection);
    }
  });
}

/** Runs pending migrations in a transaction of the caller, who holds the lock. `names`: only these. */
export async function migrateWithin(trx: Trx, names?: string[]): Promise<void> {
  await migrateToLatest(trx, names);
}

async function migrateToLatest(db: Database, names?: string[]): Promise<string[]> {
  const getMigrations = () => readMigrations(names);
  const migrator = new Migrator({ db, provider: { getMigrations } });
  const { error, results = [] } = await migrator.migrateToLatest();
  if (error) {
    const failed = results.find((result) => result.status === 'Error')?.migrationName;
    const where = failed ? `Migration ${failed} failed` : 'Migration failed';
    throw new Error(`${where}: ${(error as Error).message}`, { cause: error });
  }
  return results.map((result) => result.migrationName);
}

/** Returns the names of all migrations in order. */
export async function listMigrations(): Promise<string[]> {
  const files = (await readdir(MIGRATIONS_DIR)).filter((name) => name.endsWith('.sql'));
  return files.map((file) => file.replace(/\.sql$/, '')).toSorted();
}

/** Returns the statements of a migration. */
export const readMigration = (name: string) =>
  readFile(join(MIGRATIONS_DIR, `${name}.sql`), 'utf8');

async function readMigrations(names?: string[]): Promise<Record<string, Migration>> {
  const listed = names ?? (await listMigrations());
  const migrations = listed.map(async (name): Promise<[string, Migration]> => {
    const text = await readMigration(name);
    const up = async (db: Database) => void (await sql.raw(text).execute(db));
    return [name, { up }];
  });
  return Object.fromEntries(await Promise.all(migrations));
}
