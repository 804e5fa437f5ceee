import { sql } from 'kysely';
import type { Database } from './handles.ts';
import { BASELINE, COMMIT_BEFORE_BASELINE, REPLACED_MIGRATIONS } from './replaced-migrations.ts';
import { readSetting, writeSetting } from './settings.ts';

/**
 * During an upgrade, old and new processes share one database: docs/decisions/0032-old-and-new-versions.md. The database
 * records the newest migration that broke older versions, and a process that does not know it does not start.
 */
const SETTING = 'minimum_migration';

/** Error codes: the schema or table does not exist, or this role may not read it. */
const NOT_SET_UP_CODES = ['3F000', '42P01', '42501'];

/** This version of Steward cannot use the database. */
export class RefusedSchemaError extends Error {}

/** Returns an empty list for an empty database. */
export async function readAppliedMigrations(db: Database): Promise<string[]> {
  try {
    // Not by the error of a missing table: that would end the transaction of a restore.
    const found = await sql`
      SELECT FROM pg_class WHERE oid = to_regclass('kysely_migration')`.execute(db);
    if (found.rows.length === 0) return [];
    const { rows } = await sql<{ name: string }>`
      SELECT name FROM kysely_migration ORDER BY name`.execute(db);
    return rows.map(({ name }) => name);
  } catch (error) {
    if (isNotSetUp(error)) return [];
    throw error;
  }
}

export const isReplaced = (name: string) => REPLACED_MIGRATIONS.includes(name);

/**
 * Leaves out the migrations that the baseline replaces. Throws if the baseline itself is missing: no version with the
 * baseline can apply the rest of the replaced migrations. `command`: what to run with a version that can.
 */
export function leaveOutReplaced(
  applied: string[],
  { subject, command }: { subject: string; command: string },
): string[] {
  const last = applied.findLast(isReplaced);
  if (last && !applied.includes(BASELINE)) {
    throw new RefusedSchemaError(
      `${subject} has the migrations up to ${last}. This version of Steward needs those up to ${BASELINE} and cannot apply them. Check out commit ${COMMIT_BEFORE_BASELINE} of Steward and run ${command} with it. Then use this version again.`,
    );
  }
  return applied.filter((name) => !isReplaced(name));
}

/** Throws if a newer version made the database unusable for this version, or if the database has another history. */
export async function assertKnowsMinimum(
  db: Database,
  known: string[],
  applied: string[],
): Promise<void> {
  const newest = known.at(-1) ?? '';
  const unknown = applied.filter((name) => !known.includes(name));
  const foreign = unknown.find((name) => name < newest);
  if (foreign) {
    throw new RefusedSchemaError(
      `The database has the migration ${foreign}, which this version of Steward does not have. Install the version that created it.`,
    );
  }
  if (unknown.length === 0) return;
  const minimum = await readSetting(db, SETTING);
  if (minimum && !known.includes(minimum)) {
    throw new RefusedSchemaError(
      `A newer version of Steward has changed the database (${minimum}). This version can no longer use it. Install the newer version.`,
    );
  }
}

export function recordMinimum(db: Database, migration: string): Promise<void> {
  return writeSetting(db, SETTING, migration);
}

/** Whether the schema or table of a query is missing or not readable, as in an empty database. */
export function isNotSetUp(error: unknown): boolean {
  return NOT_SET_UP_CODES.includes((error as { code?: string }).code ?? '');
}
