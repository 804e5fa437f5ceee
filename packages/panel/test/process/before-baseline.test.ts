import { usePanelDatabase } from '@steward/testkit/panel/process-fixture.ts';
import { startPanel } from '@steward/testkit/panel/start-process.ts';
import { steward } from '@steward/testkit/panel/steward-command.ts';
import { VERSIONS } from '@steward/testkit/panel/test-panel.ts';
import { RETURN_TO_REPLACED } from '@steward/testkit/postgres/undo-migrations.ts';
import { describe, expect, it } from 'vitest';
import { listMigrations } from '../../src/platform/database/migrate.ts';
import { BASELINE, REPLACED_MIGRATIONS } from '../../src/platform/database/replaced-migrations.ts';

async function useDatabaseBeforeBaseline() {
  const database = await usePanelDatabase();
  const { license_key } = await database.newLicense();
  await database.executeAsTableOwner(RETURN_TO_REPLACED.join(';\n'));
  const env = { ...database.env, MIGRATION_DATABASE_URL: database.ownerUrl };
  return { ...database, env, license_key };
}

describe('a database from before the baseline', () => {
  it('takes the next migrations when the panel starts, and keeps its history', async () => {
    const { env, pool, license_key } = await useDatabaseBeforeBaseline();
    const { stdout } = await steward(['migrate', '--plan', '--json'], env);
    const later = (await listMigrations()).filter((name) => name !== BASELINE);
    expect(JSON.parse(stdout).pending.map(({ name }: { name: string }) => name)).toEqual(later);

    const panel = await startPanel(env);
    const site = { license_key, site_url: 'https://a.example.com', ...VERSIONS };
    expect((await panel.post('/api/v1/license/activate', site)).status).toBe(200);
    expect(await panel.end('SIGTERM')).toBe(0);

    const { rows } = await pool.query('SELECT name FROM kysely_migration ORDER BY name');
    expect(rows.map(({ name }) => name)).toEqual([...REPLACED_MIGRATIONS, BASELINE, ...later]);
    expect((await steward(['migrate'], env)).stdout).toBe('The database is up to date.\n');
  });

  it('is refused if its last migrations are missing, with the commit to run first', async () => {
    const { env, executeAsTableOwner } = await useDatabaseBeforeBaseline();
    await executeAsTableOwner("DELETE FROM kysely_migration WHERE name > '0040_audit_partitions'");
    for (const args of [['serve', '--port', '0'], ['migrate'], ['migrate', '--plan']]) {
      const { code, stderr } = await steward(args, env);
      expect([code, stderr]).toEqual([
        1,
        expect.stringMatching(
          /^steward: The database has the migrations up to 0040_audit_partitions\..* commit 5646c365 .* npx steward migrate/,
        ),
      ]);
    }
  });
});
