import pg from 'pg';
import type { Trx } from '../../platform/database/handles.ts';
import { listMigrations, migrateWithin, readMigration } from '../../platform/database/migrate.ts';
import { isReplaced, leaveOutReplaced } from '../../platform/database/schema-state.ts';
import { listAppliedMigrations, listObjects } from './catalog.repository.ts';

const INSUFFICIENT_PRIVILEGE = '42501';

const SCRATCH_SCHEMA = 'steward_restore';

/** Rows in these tables show that a panel is in use. */
const TABLES_OF_USE = [
  'users',
  'licenses',
  'sites',
  'plans',
  'packages',
  'notification_channels',
  'update_rules',
  'quarantined_versions',
];

/** Throws if the database contains a panel that is in use, or a panel of a newer version. */
export async function assertUnused(client: pg.ClientBase): Promise<void> {
  const applied = await listAppliedMigrations(client);
  if (applied === null) return;
  const known = await listMigrations();
  const current = leaveOutReplaced(applied, {
    subject: 'The database',
    command: 'npx steward migrate',
  });
  const unknown = current.find((name) => !known.includes(name));
  if (unknown) {
    throw new Error(
      `The database belongs to a newer version of Steward (migration ${unknown}). Restore with that version, or into another database.`,
    );
  }
  for (const table of TABLES_OF_USE) {
    const { rows } = await client.query('SELECT to_regclass($1) IS NOT NULL AS exists', [table]);
    if (!rows[0].exists) continue;
    const used = await client.query(`SELECT EXISTS (SELECT FROM ${table}) AS used`);
    if (used.rows[0].used) {
      throw new Error(
        `The panel is not empty: it has ${table.replaceAll('_', ' ')}. Restore into a new database or data directory. Nothing was restored.`,
      );
    }
  }
}

/**
 * Fails with the code of PostgreSQL for missing rights. In a transaction, the migrator hides the refusal of its first
 * statement behind "current transaction is aborted".
 */
export async function assertMayCreateTables(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query(
    `SELECT has_schema_privilege(current_schema(), 'CREATE') AS allowed`,
  );
  if (rows[0].allowed) return;
  const error = new Error('permission denied to create tables');
  throw Object.assign(error, { code: INSUFFICIENT_PRIVILEGE });
}

/** Creates the tables as they are after these migrations. */
export async function createTablesAt(
  trx: Trx,
  client: pg.ClientBase,
  migrations: string[],
): Promise<void> {
  const withoutReplaced = (names: string[]) => names.filter((name) => !isReplaced(name));
  const wanted = withoutReplaced(migrations);
  const applied = await listAppliedMigrations(client);
  if (applied !== null) {
    const current = withoutReplaced(applied);
    if (current.join() === wanted.join()) return;
    await dropTables(client, current);
  }
  await migrateWithin(trx, wanted);
}

/**
 * Drops what the migrations created, and nothing else: other programs may have tables in the same schema. The names
 * come from a second run of the migrations in an empty schema, which is rolled back.
 */
async function dropTables(client: pg.ClientBase, applied: string[]): Promise<void> {
  await client.query('SAVEPOINT scratch');
  await client.query(`CREATE SCHEMA ${SCRATCH_SCHEMA}`);
  // Operator classes of extensions are in the second schema.
  await client.query(
    `SELECT set_config('search_path', format('${SCRATCH_SCHEMA}, %I', current_schema()), true)`,
  );
  for (const name of applied) await client.query(await readMigration(name));
  const { tables, sequences, functions, collations } = await listObjects(client, SCRATCH_SCHEMA);
  await client.query('ROLLBACK TO SAVEPOINT scratch');

  const own = ['kysely_migration', 'kysely_migration_lock'];
  const quote = (names: string[]) => names.map((name) => pg.escapeIdentifier(name)).join(', ');
  await client.query(`DROP TABLE ${quote([...tables, ...own])}`);
  if (sequences.length > 0) await client.query(`DROP SEQUENCE ${quote(sequences)}`);
  if (functions.length > 0) await client.query(`DROP FUNCTION ${functions.join(', ')}`);
  for (const name of collations) {
    await client.query(`DROP COLLATION ${pg.escapeIdentifier(name)}`);
  }
}
