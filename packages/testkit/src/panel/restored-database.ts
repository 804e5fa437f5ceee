import type { openPool } from '@steward/panel/database';
import { onTestFinished } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../postgres/test-database.ts';
import { TEST_SECRET } from './test-panel.ts';

type Pool = ReturnType<typeof openPool>['pool'];

/** The environment of commands and panels on this database. A restore also needs the owner of the tables. */
export const environmentOf = ({ runtimeUrl, ownerUrl, dataDir }: TestDatabase) => ({
  DATABASE_URL: runtimeUrl,
  MIGRATION_DATABASE_URL: ownerUrl,
  DATA_DIR: dataDir,
  SECRET_KEY: TEST_SECRET,
  ALLOW_PRIVATE_SITES: 'true',
  PING_MINUTES: '0',
});

/** Creates a database for a restore. Drops it when the test ends. */
export async function createRestoreTarget(options: { empty?: boolean } = {}) {
  const database = await createTestDatabase(options);
  onTestFinished(() => database.drop());
  return { ...database, env: environmentOf(database) };
}

/** Reads all rows of all tables, also their generated columns, as text. */
export async function readAllTables(pool: Pool): Promise<Map<string, string[]>> {
  const { rows: tables } = await pool.query(
    `SELECT relname AS name FROM pg_class
     WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
     ORDER BY relname`,
  );
  const content = new Map<string, string[]>();
  for (const { name } of tables) {
    const { rows } = await pool.query(`SELECT t::text AS line FROM "${name}" t`);
    content.set(name, rows.map(({ line }) => line).toSorted());
  }
  return content;
}

/** Reads columns, triggers, constraints, indexes, functions and rights. */
export async function readSchema(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query(
    `SELECT format('%s %s', pg_get_triggerdef(oid), tgenabled) AS line FROM pg_trigger
       WHERE NOT tgisinternal
     UNION ALL SELECT format('%s %s %s', conrelid::regclass, conname, pg_get_constraintdef(oid))
       FROM pg_constraint WHERE connamespace = 'public'::regnamespace
     UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 'public'
     UNION ALL SELECT format('%s %s', pg_get_functiondef(p.oid), array_to_string(proacl, ',')) FROM pg_proc p
       WHERE pronamespace = 'public'::regnamespace AND prokind = 'f' AND NOT EXISTS (
         SELECT FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')
     UNION ALL SELECT format('%s %s %s', relname, relkind, array_to_string(relacl, ','))
       FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p', 'S')
     UNION ALL SELECT format('%s %s %s', attrelid::regclass, attname, format_type(atttypid, atttypmod))
       FROM pg_attribute JOIN pg_class c ON c.oid = attrelid
       WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND attnum > 0 AND NOT attisdropped`,
  );
  return rows.map(({ line }) => line).toSorted();
}
