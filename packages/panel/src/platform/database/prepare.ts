import { installQueue, isQueueInstalled } from '../queue-schema.ts';
import type { OwnedDatabase } from './connect.ts';
import { listMigrations, migrate } from './migrate.ts';
import { grantToRuntime, hasRuntimeRights, ownsAuditLog, readCurrentRole } from './runtime-role.ts';

const INSUFFICIENT_PRIVILEGE = '42501';
/** Error codes: the schema or table does not exist, or this role may not read it. */
const NOT_SET_UP_CODES = ['3F000', '42P01', INSUFFICIENT_PRIVILEGE];

/**
 * Migrates tables, queue and grants, and returns the names of the migrations. Connects as the owner of the tables only
 * if the database is not up to date. Several processes may call this at once.
 */
export async function prepareDatabase(database: OwnedDatabase): Promise<string[]> {
  if (await isUpToDate(database)) return [];
  const owner = database.openAsOwner();
  try {
    const migrated = await migrate(owner.db);
    await installQueue(owner.pool);
    // The owner of the tables already has all rights and must not lose them.
    if (!(await ownsAuditLog(database.db))) {
      await grantToRuntime(owner.db, await readCurrentRole(database.db));
    }
    return migrated;
  } catch (error) {
    throw addAdvice(error as Error);
  } finally {
    await owner.close();
  }
}

async function isUpToDate({ db, pool }: OwnedDatabase): Promise<boolean> {
  try {
    const { rows } = await pool.query('SELECT name FROM kysely_migration ORDER BY name');
    const applied = rows.map(({ name }) => name);
    if (applied.join() !== (await listMigrations()).join()) return false;
    if (!(await isQueueInstalled(pool))) return false;
    return (await ownsAuditLog(db)) || (await hasRuntimeRights(db));
  } catch (error) {
    if (NOT_SET_UP_CODES.includes((error as { code?: string }).code ?? '')) return false;
    throw error;
  }
}

function addAdvice(error: Error): Error {
  const codes = [error, error.cause].map((part) => (part as { code?: string } | undefined)?.code);
  if (!codes.includes(INSUFFICIENT_PRIVILEGE)) return error;
  return new Error(
    `The database needs a migration, and the role of the panel may not run it (${error.message}). Set MIGRATION_DATABASE_URL to the role that owns the tables, and run npx steward migrate.`,
    { cause: error },
  );
}
