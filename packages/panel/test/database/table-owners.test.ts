import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTestDatabase } from '@steward/testkit/postgres/test-database.ts';
import { expect, it, onTestFinished } from 'vitest';
import { listOwners } from '../../../../tools/table-problems.ts';

const ROOT = join(import.meta.dirname, '../../../..');

it('each table of the database has an owner, and each declared table exists', async () => {
  const files = globSync('packages/panel/src/**/tables.ts', { cwd: ROOT });
  const owners = listOwners(
    new Map(files.map((file) => [file, readFileSync(join(ROOT, file), 'utf8')])),
  );
  const database = await createTestDatabase();
  onTestFinished(() => database.drop());
  const { rows } = await database.pool.query(
    `SELECT relname AS name FROM pg_class
     WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
       AND relname NOT LIKE 'kysely%'`,
  );
  expect([...owners.keys()].toSorted()).toEqual(rows.map(({ name }) => name).toSorted());
});
