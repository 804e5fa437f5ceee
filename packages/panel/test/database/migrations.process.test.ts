import { testLogger } from '@steward/testkit/logs.ts';
import { createTestDatabase, waitForLocks } from '@steward/testkit/postgres/test-database.ts';
import { UNDO_SINCE_BASELINE } from '@steward/testkit/postgres/undo-migrations.ts';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openPool } from '../../src/platform/database/connect.ts';
import { migrate, planMigrations } from '../../src/platform/database/migrate.ts';
import { BASELINE } from '../../src/platform/database/replaced-migrations.ts';

async function createEmptyDatabase() {
  const database = await createTestDatabase({ empty: true });
  onTestFinished(() => database.drop());
  return database;
}

describe('migrations', () => {
  it('run once if twenty processes start together', async () => {
    const database = await createEmptyDatabase();
    const ran = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const connection = openPool({ connectionString: database.url }, testLogger());
        const names = await migrate(connection.db);
        await connection.close();
        return names;
      }),
    );
    expect(ran.filter((names) => names.length > 0)).toHaveLength(1);
    const { rows } = await database.pool.query('SELECT name FROM kysely_migration ORDER BY name');
    expect(rows.map((row) => row.name)).toEqual(ran.flat().toSorted());
    expect(rows[0].name).toBe(BASELINE);
  });

  describe('of a newer version', () => {
    const apply = (database: Awaited<ReturnType<typeof createEmptyDatabase>>, name: string) =>
      database.pool.query(
        'INSERT INTO kysely_migration (name, timestamp) VALUES ($1, now()::text)',
        [name],
      );
    const setMinimum = (database: Awaited<ReturnType<typeof createEmptyDatabase>>, name: string) =>
      database.pool.query("UPDATE panel_settings SET value = $1 WHERE name = 'minimum_migration'", [
        name,
      ]);

    it('are accepted if they only add', async () => {
      const database = await createEmptyDatabase();
      await migrate(database.db);
      await apply(database, '9998_adds_a_column');
      expect(await migrate(database.db)).toEqual([]);
      // This version has the minimum migration.
      await setMinimum(database, BASELINE);
      expect(await planMigrations(database.db)).toEqual({ pending: [], isNewer: true });
    });

    it('are refused if they broke older versions', async () => {
      const database = await createEmptyDatabase();
      await migrate(database.db);
      await apply(database, '9998_drops_a_column');
      await apply(database, '9999_adds_a_column');
      await setMinimum(database, '9998_drops_a_column');
      await expect(migrate(database.db)).rejects.toThrow(
        /newer version of Steward has changed the database \(9998_drops_a_column\)/,
      );
    });

    it('are refused if one of this version is missing', async () => {
      const database = await createEmptyDatabase();
      await migrate(database.db);
      await apply(database, '9998_adds_a_column');
      await database.pool.query("DELETE FROM kysely_migration WHERE name = '0054_fewer_triggers'");
      await setMinimum(database, BASELINE);
      await expect(migrate(database.db)).rejects.toThrow(/0054_fewer_triggers .* is missing/);
    });

    it('are refused if they belong to another history', async () => {
      const database = await createEmptyDatabase();
      await migrate(database.db);
      await apply(database, '0002_from_a_fork');
      await expect(migrate(database.db)).rejects.toThrow('0002_from_a_fork');
    });
  });

  it('do not block requests while they wait for a table', async () => {
    const database = await createTestDatabase();
    onTestFinished(() => database.drop());
    await database.executeAsTableOwner(UNDO_SINCE_BASELINE.join(';'));
    const holder = await database.pool.connect();
    // A backup locks its tables like this.
    await holder.query('BEGIN; LOCK TABLE sites IN ACCESS SHARE MODE');
    const owner = openPool({ connectionString: database.ownerUrl }, testLogger());
    onTestFinished(() => owner.close());
    const migrated = migrate(owner.db);
    // Only its own role sees what the session of the migration waits for.
    await waitForLocks(owner, 1);
    const request = await database.pool.query('SELECT count(*) AS count FROM sites');
    expect(request.rows).toEqual([{ count: 0 }]);
    await holder.query('COMMIT');
    holder.release();
    expect(await migrated).toContain('0054_fewer_triggers');
    expect((await planMigrations(owner.db)).pending).toEqual([]);
  });

  it('succeed without pg_trgm; names are then searched without an index', async () => {
    const indexed = async ({ pool }: Awaited<ReturnType<typeof createEmptyDatabase>>) =>
      (await pool.query(`SELECT FROM pg_indexes WHERE indexname = 'sites_by_part_of_name'`)).rows;
    const usual = await createEmptyDatabase();
    await migrate(usual.db);
    expect(await indexed(usual)).toHaveLength(1);
    const strict = await createEmptyDatabase();
    await strict.pool.query(
      `DO $$ BEGIN EXECUTE format('REVOKE CREATE ON DATABASE %I FROM steward', current_database());
       END $$`,
    );
    await migrate(strict.db);
    expect(await indexed(strict)).toHaveLength(0);
  });
});
