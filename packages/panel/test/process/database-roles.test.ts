import { testLogger } from '@steward/testkit/logs.ts';
import { steward } from '@steward/testkit/panel/steward-command.ts';
import { TEST_SECRET } from '@steward/testkit/panel/test-panel.ts';
import { expectFailure } from '@steward/testkit/panel/use-command-line.ts';
import { createTestDatabase } from '@steward/testkit/postgres/test-database.ts';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openPool } from '../../src/platform/database/connect.ts';
import { BASELINE } from '../../src/platform/database/replaced-migrations.ts';
import { ownsAuditLog } from '../../src/platform/database/runtime-role.ts';

async function useDatabase(options?: { empty: boolean }) {
  const database = await createTestDatabase(options);
  onTestFinished(() => database.drop());
  const runtime = openPool({ connectionString: database.runtimeUrl }, testLogger());
  onTestFinished(() => runtime.close());
  const env = { DATA_DIR: database.dataDir, SECRET_KEY: TEST_SECRET };
  const asOwner = { ...env, DATABASE_URL: database.ownerUrl };
  const asRuntime = { ...env, DATABASE_URL: database.runtimeUrl };
  const withBoth = { ...asRuntime, MIGRATION_DATABASE_URL: database.ownerUrl };
  return { ...database, runtime, asOwner, asRuntime, withBoth };
}

const CREATE = ['license', 'create', '--plan', 'Pro', '--site-limit', '3', '--json'];
const AUDIT_TABLES = ['audit_log', 'audit_chain', 'audit_unsealed', 'audit_checkpoints'];
const CHANGED_COLUMNS: Record<string, string> = { audit_log: 'actor', audit_checkpoints: 'mac' };
/** The rights of the role, not the append-only trigger, which has the same code. */
const NO_RIGHT = {
  code: '42501',
  message: expect.stringMatching(/^(permission denied|must be owner)/),
};

describe('the role of the panel', () => {
  it.each(
    AUDIT_TABLES.flatMap((table) => [
      `UPDATE ${table} SET ${CHANGED_COLUMNS[table] ?? 'record_hash'} = NULL`,
      `DELETE FROM ${table}`,
      `TRUNCATE ${table}`,
      `DROP TABLE ${table}`,
      `ALTER TABLE ${table} DISABLE TRIGGER ALL`,
      `ALTER TABLE ${table} ADD COLUMN more text`,
      `CREATE RULE nothing AS ON INSERT TO ${table} DO INSTEAD NOTHING`,
    ]),
  )('may not %s', async (statement) => {
    const { runtime } = await useDatabase();
    await expect(runtime.pool.query(statement)).rejects.toMatchObject(NO_RIGHT);
  });

  it.each([
    `INSERT INTO audit_checkpoints (content, mac) VALUES ('{}', '')`,
    'SELECT FROM audit_log_first',
    'TRUNCATE audit_log_first',
    'DELETE FROM audit_log_default',
    'DROP TABLE audit_log_default',
    'ALTER TABLE audit_log DETACH PARTITION audit_log_first',
    `CREATE TABLE more PARTITION OF audit_log FOR VALUES FROM ('2030-01-01') TO ('2030-02-01')`,
    'CREATE TABLE more (id int)',
    'CREATE SCHEMA more',
    'SET ROLE steward',
    `SELECT setval('audit_log_id_seq', 1)`,
    'DELETE FROM kysely_migration',
    `CREATE OR REPLACE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql
     AS 'BEGIN RETURN NULL; END'`,
    'SET session_replication_role = replica',
  ])('may not %s', async (statement) => {
    const { runtime } = await useDatabase();
    await expect(runtime.pool.query(statement)).rejects.toMatchObject(NO_RIGHT);
  });

  it('owns nothing', async () => {
    const { runtime } = await useDatabase();
    const { rows } = await runtime.pool.query(
      `SELECT relname FROM pg_class WHERE pg_has_role(current_user, relowner, 'MEMBER')`,
    );
    expect(rows).toEqual([]);
    expect(await ownsAuditLog(runtime.db)).toBe(false);
  });

  it('removes a mark only if its record has a link, even with a temporary table of the same name', async () => {
    const { runtime } = await useDatabase();
    await runtime.pool.query('INSERT INTO audit_unsealed VALUES (7, NULL)');
    const client = await runtime.pool.connect();
    await client.query('CREATE TEMP TABLE audit_chain AS SELECT 7::bigint AS record_id');
    await client.query('SELECT remove_sealed_marks(ARRAY[7]::bigint[])');
    client.release(true);
    expect((await runtime.pool.query('SELECT FROM public.audit_unsealed')).rowCount).toBe(1);
  });
});

describe('your own PostgreSQL', () => {
  it('is set up by the owner and used by the role of DATABASE_URL', async () => {
    const { asRuntime, withBoth, runtime } = await useDatabase({ empty: true });
    expectFailure(await steward(CREATE, asRuntime), /MIGRATION_DATABASE_URL.*npx steward migrate/);
    const migrated = await steward(['migrate', '--json'], withBoth);
    expect(JSON.parse(migrated.stdout).migrated).toContain(BASELINE);
    expect((await steward(CREATE, asRuntime)).code).toBe(0);
    expect((await steward(['audit', 'verify'], asRuntime)).code).toBe(0);
    await expect(runtime.pool.query('DELETE FROM audit_log')).rejects.toThrow('permission denied');
    expect(JSON.parse((await steward(['migrate', '--json'], asRuntime)).stdout)).toEqual({
      migrated: [],
      audit_partitions: { created: [], problem: null },
    });
  });

  it('works with one role and moves to two without data loss', async () => {
    const { asOwner, withBoth, asRuntime, db, runtime } = await useDatabase({ empty: true });
    const { stdout } = await steward(CREATE, asOwner);
    expect((await steward(['audit', 'verify'], asOwner)).code).toBe(0);
    expect(await ownsAuditLog(db)).toBe(true);
    expect((await steward(['migrate'], withBoth)).code).toBe(0);
    const listed = JSON.parse((await steward(['license', 'list', '--json'], asRuntime)).stdout);
    expect(listed).toMatchObject([{ id: JSON.parse(stdout).id }]);
    expect((await steward(CREATE, asRuntime)).code).toBe(0);
    expect((await steward(['audit', 'verify'], asRuntime)).code).toBe(0);
    expect(await ownsAuditLog(runtime.db)).toBe(false);
  });

  it('revokes extra rights of the role', async () => {
    const { withBoth, asOwner: owned, runtime, asRuntime } = await useDatabase();
    const owner = openPool({ connectionString: owned.DATABASE_URL }, testLogger());
    onTestFinished(() => owner.close());
    await owner.pool.query('GRANT ALL ON ALL TABLES IN SCHEMA public TO steward_app');
    expect((await steward(CREATE, withBoth)).code).toBe(0);
    await expect(runtime.pool.query('TRUNCATE audit_unsealed')).rejects.toThrow('denied');
    expect((await steward(CREATE, asRuntime)).code).toBe(0);
  });
});
