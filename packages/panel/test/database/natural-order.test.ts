import { testLogger } from '@steward/testkit/logs.ts';
import { createTestDatabase } from '@steward/testkit/postgres/test-database.ts';
import { expect, it, onTestFinished } from 'vitest';
import { openPool } from '../../src/platform/database/connect.ts';
import {
  isNaturalOrderOutdated,
  refreshNaturalOrder,
} from '../../src/platform/database/refresh-natural-order.ts';

const INDEX_FILES = `SELECT relname, relfilenode FROM pg_class
  WHERE relname IN ('listed_sites_by_name', 'listed_sites_by_state', 'sites_archived', 'sites_pkey') ORDER BY 1`;

it('indexes of names are built again after an update of ICU, once', async () => {
  const database = await createTestDatabase();
  const superuser = openPool({ connectionString: database.superuserUrl }, testLogger());
  const owner = openPool({ connectionString: database.ownerUrl }, testLogger());
  onTestFinished(async () => {
    await Promise.all([superuser.close(), owner.close()]);
    await database.drop();
  });
  const readFiles = async () => (await database.pool.query(INDEX_FILES)).rows;
  const built = await readFiles();
  await refreshNaturalOrder(owner.db);
  expect(await readFiles()).toEqual(built);

  await superuser.pool.query(
    "UPDATE pg_collation SET collversion = '1' WHERE collname = 'natural_order'",
  );
  expect(await isNaturalOrderOutdated(database.db)).toBe(true);
  await Promise.all([refreshNaturalOrder(owner.db), refreshNaturalOrder(owner.db)]);
  expect(await isNaturalOrderOutdated(database.db)).toBe(false);
  const rebuilt = (await readFiles()).filter(
    (index, n) => index.relfilenode !== built[n].relfilenode,
  );
  expect(rebuilt.map(({ relname }) => relname)).toEqual([
    'listed_sites_by_name',
    'listed_sites_by_state',
    'sites_archived',
  ]);
});
