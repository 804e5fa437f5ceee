import { readFile } from 'node:fs/promises';
import { createTestDatabase } from '@steward/testkit/postgres/test-database.ts';
import { expect, it, onTestFinished } from 'vitest';

const PAGE = new URL('../../../../docs/decisions/0046-triggers.md', import.meta.url);
const ROW = /^\| `(\w+)` \| `(\w+)` \|/gm;

it('docs/decisions/0046-triggers.md lists all triggers of the database', async () => {
  const { pool, drop } = await createTestDatabase();
  onTestFinished(drop);
  // A partition counts as its table.
  const { rows } = await pool.query(
    `SELECT DISTINCT t.tgname::text AS name, coalesce(p.relname, c.relname)::text AS "table"
     FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
     LEFT JOIN pg_inherits i ON i.inhrelid = c.oid LEFT JOIN pg_class p ON p.oid = i.inhparent
     WHERE NOT t.tgisinternal AND c.relnamespace = current_schema()::regnamespace`,
  );
  const listed = [...(await readFile(PAGE, 'utf8')).matchAll(ROW)];
  expect(listed.map(([, name, table]) => `${name} on ${table}`).toSorted()).toEqual(
    rows.map(({ name, table }) => `${name} on ${table}`).toSorted(),
  );
});
