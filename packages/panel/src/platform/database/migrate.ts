import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import { INSTALLED } from '../installation.ts';
import type { Database } from './tables.ts';

const { migrations: MIGRATIONS_DIR } = INSTALLED;

const MIGRATION_LOCK = 0x57e3a81;

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

async function migrateToLatest(db: Database): Promise<string[]> {
  const migrator = new Migrator({ db, provider: { getMigrations: readMigrations } });
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

async function readMigrations(): Promise<Record<string, Migration>> {
  const migrations = (await listMigrations()).map(async (name): Promise<[string, Migration]> => {
    const text = await readFile(join(MIGRATIONS_DIR, `${name}.sql`), 'utf8');
    const up = async (db: Database) => void (await sql.raw(text).execute(db));
    return [name, { up }];
  });
  return Object.fromEntries(await Promise.all(migrations));
}
