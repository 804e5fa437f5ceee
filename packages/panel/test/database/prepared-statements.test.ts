import { testLogger } from '@steward/testkit/logs.ts';
import { showTables } from '@steward/testkit/postgres/show-tables.ts';
import { createTestDatabase } from '@steward/testkit/postgres/test-database.ts';
import { sql } from 'kysely';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openPool } from '../../src/platform/database/connect.ts';
import { executePrepared } from '../../src/platform/database/prepared-statements.ts';

async function open(options = {}) {
  const database = await createTestDatabase();
  onTestFinished(() => database.drop());
  const connection = openPool({ connectionString: database.url }, testLogger(), options);
  onTestFinished(connection.close);
  return showTables(connection.db);
}

const countPrepared = sql<{ count: number }>`
  SELECT count(*)::int AS count FROM pg_prepared_statements WHERE statement LIKE '%panel_settings%'`;

describe('executePrepared', () => {
  it('prepares a statement once per connection, also in a transaction', async () => {
    const db = await open({ size: 1 });
    const read = (name: string) =>
      executePrepared(db, db.selectFrom('panel_settings').select('value').where('name', '=', name));
    await executePrepared(
      db,
      db.insertInto('panel_settings').values({ name: 'first', value: '1' }),
    );
    expect(await read('first')).toEqual([{ value: '1' }]);
    expect(await read('other')).toEqual([]);
    const inTransaction = await db.transaction().execute(async (trx) => {
      await sql`UPDATE panel_settings SET value = '2'`.execute(trx);
      return executePrepared(
        trx,
        trx.selectFrom('panel_settings').select('value').where('name', '=', 'first'),
      );
    });
    expect(inTransaction).toEqual([{ value: '2' }]);
    expect((await countPrepared.execute(db)).rows).toEqual([{ count: 2 }]);
  });

  it('prepares nothing behind a pooler', async () => {
    const db = await open({ size: 1, isPooled: true });
    const query = db.selectFrom('panel_settings').select('value').where('name', '=', 'x');
    expect(await executePrepared(db, query)).toEqual([]);
    expect((await countPrepared.execute(db)).rows).toEqual([{ count: 0 }]);
  });
});
