import { createTestDatabase } from '@steward/testkit/postgres/test-database.ts';
import { expect, it, onTestFinished } from 'vitest';
import { createSoftwareService } from '../../src/features/software/index.ts';
import { migrate } from '../../src/platform/database/migrate.ts';
import { naiveSoftware } from './support/naive-software.ts';
import { createRandomInventory } from './support/random-inventory.ts';
import { sorted } from './support/software-panel.ts';

it('rebuild_software counts the inventories and grants again', async () => {
  const { db, pool, drop } = await createTestDatabase({ empty: true });
  onTestFinished(drop);
  await migrate(db);
  const inventories = Array.from({ length: 30 }, (_, n) => createRandomInventory(n));
  await pool.query(`
    INSERT INTO plans (slug, name, services, created_at) VALUES ('a', 'A', '{}', now());
    INSERT INTO licenses (plan_id, key_hash, key_encrypted, key_last_six, status, created_at)
    SELECT 1, sha256(n::text::bytea), '', '', 'active', now() FROM generate_series(1, 3) n;
    INSERT INTO users (name, email, role, created_at, updated_at)
    VALUES ('M', 'm@example.com', 'manager', now(), now());
    INSERT INTO access_grants (user_id, license_id, created_at) VALUES (1, 1, now());`);
  await pool.query(
    `INSERT INTO sites (license_id, url, canonical_url, inventory, inventory_at, created_at)
     SELECT 1 + (n - 1) % 3, 'https://' || n, n, inventory, now() + n * interval '1 second', now()
     FROM jsonb_array_elements($1::jsonb) WITH ORDINALITY AS each (inventory, n)`,
    [JSON.stringify(inventories)],
  );
  // A site that never reported, one with too many items, and one with another structure.
  const tooMany = { plugins: Array.from({ length: 2001 }, (_, n) => ({ plugin: `p${n}` })) };
  for (const inventory of [null, tooMany, { plugins: 'none', core: 7 }]) {
    await pool.query(
      `INSERT INTO sites (license_id, url, canonical_url, inventory, created_at)
       VALUES (2, 'https://x', gen_random_uuid(), $1, now())`,
      [inventory && JSON.stringify(inventory)],
    );
  }
  // One of these sites is also granted through its license.
  await pool.query(`INSERT INTO access_grants (user_id, site_id, created_at)
    SELECT 1, id, now() FROM sites WHERE canonical_url IN ('1', '2')`);

  // Wrong counts and missing rows, as after a load without triggers.
  await pool.query(
    'UPDATE software_counts SET sites = 999; DELETE FROM site_software WHERE site_id < 9',
  );

  await pool.query('SELECT rebuild_software()');

  const clock = { now: () => new Date() };
  const software = createSoftwareService({ db, clock, packages: { listVersions: async () => [] } });
  const read = async (role: 'owner' | 'manager') =>
    (await software.list({ id: 1, role }, { limit: '200' })).software;
  expect(sorted(await read('owner'))).toEqual(sorted(naiveSoftware(inventories)));
  const granted = inventories.filter((_, n) => n % 3 === 0 || n === 1);
  expect(sorted(await read('manager'))).toEqual(sorted(naiveSoftware(granted)));
});
