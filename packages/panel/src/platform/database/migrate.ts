import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import { INSTALLED } from '../installation.ts';
import type { Database, Trx } from './handles.ts';
import { tryExcludePanels } from './panel-lock.ts';
import {
  assertKnowsMinimum,
  isReplaced,
  leaveOutReplaced,
  RefusedSchemaError,
  readAppliedMigrations,
  recordMinimum,
} from './schema-state.ts';

const { migrations: MIGRATIONS_DIR } = INSTALLED;

export const MIGRATION_LOCK = 0x57e3a81;

/**
 * Marks a migration that removes or changes what older versions of Steward use. Such a migration does not run while
 * panel processes run. After it, processes that do not know it no longer start. All other migrations only add.
 */
const BREAKS_OLDER_VERSIONS = /^-- breaks older versions$/m;

/**
 * A migration that waits for a table makes the requests after it wait too, so it gives up and tries again. Less than the
 * `deadlock_timeout` of PostgreSQL, so that it gives up before PostgreSQL ends the transaction of a request.
 */
export const LOCK_TIMEOUT_MS = 500;
const LOCK_RETRY_MS = 1500;
/** Ten minutes: a backup locks all tables. */
const LOCK_ATTEMPTS = 300;
const LOCK_CODES = ['55P03', '40P01'];

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
      const { pending, isNewer } = await planMigrations(connection);
      // Kysely does not accept applied migrations that it has no file for.
      if (isNewer || pending.length === 0) return [];
      const isEmpty = (await readAppliedMigrations(connection)).length === 0;
      return isEmpty
        ? await runMigrations(connection)
        : await migrateBesideRequests(connection, pending);
    } finally {
      await sql`SELECT pg_advisory_unlock(${MIGRATION_LOCK})`.execute(connection);
      await sql`RESET statement_timeout`.execute(connection);
    }
  });
}

/** One transaction per migration, so that no table stays locked during the next one. */
async function migrateBesideRequests(db: Database, pending: { name: string }[]): Promise<string[]> {
  await sql`SET lock_timeout = ${sql.lit(LOCK_TIMEOUT_MS)}`.execute(db);
  try {
    const migrated: string[] = [];
    for (const { name } of pending) {
      migrated.push(...(await retryWhileLocked(() => runMigrations(db, { to: name }))));
    }
    return migrated;
  } finally {
    await sql`RESET lock_timeout`.execute(db);
  }
}

export async function retryWhileLocked<T>(
  run: () => Promise<T>,
  attempts = LOCK_ATTEMPTS,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run();
    } catch (error) {
      const { code = '' } = ((error as Error).cause ?? error) as { code?: string };
      if (!LOCK_CODES.includes(code) || attempt === attempts) throw error;
      await sleep(LOCK_RETRY_MS);
    }
  }
}

/** Runs pending migrations in a transaction of the caller, who holds the lock. `names`: only these. */
export async function migrateWithin(trx: Trx, names?: string[]): Promise<void> {
  await runMigrations(trx, { names });
}

/** `to`: the last migration to run. `names`: only these migrations. */
async function runMigrations(
  db: Database,
  { to, names }: { to?: string; names?: string[] | undefined } = {},
): Promise<string[]> {
  const migrations = { ...(await readReplaced(db)), ...(await readMigrations(names)) };
  const getMigrations = async () => migrations;
  const migrator = new Migrator({ db: db as Kysely<never>, provider: { getMigrations } });
  const { error, results = [] } = await (to ? migrator.migrateTo(to) : migrator.migrateToLatest());
  if (error) {
    const failed = results.find((result) => result.status === 'Error')?.migrationName;
    const where = failed ? `Migration ${failed} failed` : 'Migration failed';
    throw new Error(`${where}: ${(error as Error).message}`, { cause: error });
  }
  return results.map((result) => result.migrationName);
}

export type MigrationPlan = {
  pending: { name: string; breaksOlderVersions: boolean }[];
  /** Whether a newer version of Steward has migrated the database. This version can still use it. */
  isNewer: boolean;
};

/** Finds the pending migrations. Throws if a newer version of Steward made the database unusable for this one. */
export async function planMigrations(db: Database): Promise<MigrationPlan> {
  const known = await listMigrations();
  const applied = leaveOutReplaced(await readAppliedMigrations(db), {
    subject: 'The database',
    command: 'npx steward migrate',
  });
  await assertKnowsMinimum(db, known, applied);
  const pending = known.filter((name) => !applied.includes(name));
  const isNewer = applied.some((name) => !known.includes(name));
  if (isNewer && pending.length > 0) {
    throw new RefusedSchemaError(
      `A newer version of Steward has changed the database, and the migration ${pending[0]} of this version is missing in it. Install the newer version.`,
    );
  }
  return {
    pending: await Promise.all(
      pending.map(async (name) => {
        const text = await readMigration(name);
        return { name, breaksOlderVersions: BREAKS_OLDER_VERSIONS.test(text) };
      }),
    ),
    isNewer,
  };
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
    const breaksOlderVersions = BREAKS_OLDER_VERSIONS.test(text);
    const up = async (db: Database) => {
      if (breaksOlderVersions) await assertNoPanelRuns(db);
      await sql.raw(text).execute(db);
      if (breaksOlderVersions) await recordMinimum(db, name);
    };
    return [name, { up }];
  });
  return Object.fromEntries(await Promise.all(migrations));
}

/** Kysely does not accept applied migrations that it does not know. */
async function readReplaced(db: Database): Promise<Record<string, Migration>> {
  const replaced = (await readAppliedMigrations(db)).filter(isReplaced);
  return Object.fromEntries(replaced.map((name) => [name, { up: async () => {} }]));
}

/** A running process of an older version would fail, so it must be stopped first. */
async function assertNoPanelRuns(trx: Database): Promise<void> {
  if (await tryExcludePanels(trx)) return;
  throw new Error(
    'Processes of an older version of Steward use the database, and this migration would break them. Stop all panel and worker processes, then run npx steward migrate.',
  );
}
