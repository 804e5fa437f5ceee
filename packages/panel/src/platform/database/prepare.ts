import { installQueue, isQueueInstalled } from '../queue-schema.ts';
import type { OwnedDatabase } from './connect.ts';
import { migrate, planMigrations } from './migrate.ts';
import { isNaturalOrderOutdated, refreshNaturalOrder } from './refresh-natural-order.ts';
import { grantToRuntime, hasRuntimeRights, ownsAuditLog, readCurrentRole } from './runtime-role.ts';
import { isNotSetUp } from './schema-state.ts';

const INSUFFICIENT_PRIVILEGE = '42501';

/**
 * Migrates tables, queue and grants, and returns the names of the applied migrations. Connects as the owner of the
 * tables only if the database is not up to date. Several processes may call this at once.
 */
export async function prepareDatabase(database: OwnedDatabase): Promise<string[]> {
  if (await isUpToDate(database)) return [];
  const owner = await database.openAsOwner();
  try {
    const migrated = await migrate(owner.db);
    await refreshNaturalOrder(owner.db);
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
  const { pending, isNewer } = await planMigrations(db);
  if (pending.length > 0) return false;
  // The newer version has installed its queue and granted the rights.
  if (isNewer) return true;
  try {
    if (await isNaturalOrderOutdated(db)) return false;
    if (!(await isQueueInstalled(pool))) return false;
    return (await ownsAuditLog(db)) || (await hasRuntimeRights(db));
  } catch (error) {
    if (isNotSetUp(error)) return false;
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
